import { appendFile, writeFile } from "node:fs/promises";
import { errorMessage } from "@sightline/foundation/errors";
import { describeFirst, experimentComparisonSchema, gateSchema, nodesSchema, type Gate } from "@sightline/observability/contract";
import { z } from "zod";
import { findBranch, findCheckout } from "#demo/checkout.ts";
import { UsageError } from "#settings/failure.ts";
import { createEvaluationClient, findNewest, type EvaluationClient } from "./client.ts";
import { quote, toMarkdown } from "./comment.ts";
import { publish, type PublishOptions } from "#cli/eval/hosts/publish-verdict.ts";
import { toAnnotations, toJUnit, toTable } from "./report.ts";
import { runToEnd } from "./run-to-end.ts";
import { findWorsePlaces } from "./worse-places.ts";

export type GateOptions = PublishOptions & {
  readonly dataset?: string;
  readonly branch?: string;
  readonly baseline: string | false;
  readonly margin: string;
  readonly markdown?: string;
  readonly url?: string;
  readonly primary?: string;
  readonly allowUncalibrated?: boolean;
  readonly strict?: boolean;
  readonly junit?: string;
};

const EXIT: Readonly<Record<Gate["outcome"], number>> = { passed: 0, worse: 1, inconclusive: 0, broken: 3 };
const STRICT_EXIT = 4;
const BROKEN_EXIT = 3;

export type What = "run" | "compare" | "gate";

/**
 * `sightline eval run`, `compare` and `gate`. What can't be asked is broken, and ends as that: a gate that could not look is not green.
 * @param given the command of `run`; otherwise at most an experiment's id.
 */
export async function evaluate(what: What, given: readonly string[], options: GateOptions): Promise<void> {
  const margin = Number(options.margin);
  if (!Number.isFinite(margin) || margin <= 0) {
    throw new UsageError("--margin takes a number above 0, such as 0.05.");
  }
  try {
    const client = await createEvaluationClient(options.url);
    const id = await chooseExperiment(client, what, given, options);
    const query = new URLSearchParams({ margin: String(margin), ...(options.baseline === false ? {} : { baseline: options.baseline }) });
    if (what === "compare") {
      const comparison = experimentComparisonSchema.parse(await client.get(`/experiments/${id}/comparison?${query.toString()}`));
      const more = await findDivergence(client, id, options);
      await show([toTable(comparison), ...more].join("\n\n"), [toTable(comparison, quote), ...more.map(quote)].join("\n\n"), options);
      return;
    }
    if (options.primary !== undefined) {
      query.set("primary", options.primary);
    }
    if (options.allowUncalibrated === true) {
      query.set("allow_uncalibrated", "true");
    }
    await report(client, gateSchema.parse(await client.post(`/experiments/${id}/gate?${query.toString()}`)), options);
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    const reason = error instanceof z.ZodError ? "The answer is none of Sightline's; is the address right?" : errorMessage(error);
    console.error(reason);
    process.exitCode = BROKEN_EXIT;
    // What the push before was told must not stand for this one.
    const text = `### ${TITLES.broken}\n\n- ${quote(reason)}`;
    await publish({ dataset: options.dataset, state: "broken", title: TITLES.broken, text, link: undefined }, options);
  }
}

/** A sentence on where failing items begin to go another way, when that is known. */
async function findDivergence(client: EvaluationClient, id: string, { baseline }: GateOptions): Promise<readonly string[]> {
  if (baseline === false) {
    return [];
  }
  const answer = await client.get(`/experiments/${id}/nodes?${new URLSearchParams({ baseline }).toString()}`);
  const { first_divergence: first } = nodesSchema.parse(answer);
  return first === null ? [] : [`First divergence: ${describeFirst(first)}.`];
}

function untold(error: unknown): readonly string[] {
  return [`Where it begins could not be asked: ${errorMessage(error)}`];
}

async function chooseExperiment(client: EvaluationClient, what: What, given: readonly string[], options: GateOptions): Promise<string> {
  const [id] = given;
  if (what !== "run" && id !== undefined) {
    return z.uuid().safeParse(id).data ?? missing(`${id} is no experiment's id.`);
  }
  const dataset =
    options.dataset ??
    missing(what === "run" ? "Name the dataset with --dataset." : "Name an experiment by its id, or its dataset with --dataset.");
  const branch =
    options.branch ??
    (await findBranch(process.cwd())) ??
    readBranchOfCi() ??
    missing("No branch is checked out here: name it with --branch.");
  const wanted = { dataset, branch };
  const before = what === "run" ? await findNewest(client, wanted) : undefined;
  if (what === "run") {
    await runToEnd(given, options.url === undefined ? {} : { OBS_API_URL: options.url });
  }
  const newest = await findNewest(client, wanted);
  const commit = (await findCheckout(process.cwd()))?.commit;
  if (newest === undefined || (newest.id === before?.id && newest.ended_at === before.ended_at)) {
    const made = what === "run" ? "The command made no experiment" : "There is no experiment";
    throw new Error(`${made} of the branch ${branch} over ${dataset}.${what === "run" ? "" : " Run one first."}`);
  }
  if (commit !== undefined && newest.commit !== null && newest.commit !== commit) {
    throw new Error(
      `The newest experiment of ${branch} over ${dataset} is of the commit ${newest.commit}, not of ${commit}. Run one of this commit, or name an experiment by its id.`,
    );
  }
  return newest.id;
}

/** CI checks out a commit, and says in its environment of which branch; the SDK reads the same. */
function readBranchOfCi(): string | undefined {
  const names = ["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BUILDKITE_BRANCH", "BRANCH_NAME"];
  return names.map((name) => process.env[name]).find((branch) => (branch ?? "") !== "");
}

function missing(what: string): never {
  throw new UsageError(what);
}

async function report(client: EvaluationClient, gate: Gate, options: GateOptions): Promise<void> {
  const title = TITLES[gate.outcome];
  const lines = [title, ...gate.reasons.map((reason) => `- ${reason}`)];
  const worse = options.baseline === false ? [] : await findWorsePlaces(client, gate, options.baseline);
  const { id, dataset } = gate.comparison.candidate;
  const link = toLink(id, options);
  // The verdict stands also where nobody can say where it begins.
  const divergence = gate.outcome === "worse" ? await findDivergence(client, id, options).catch(untold) : [];
  const text = toMarkdown({ title, gate, worse, divergence, link });
  await show([lines.join("\n"), ...divergence, toTable(gate.comparison)].join("\n\n"), text, options);
  if (process.env["GITHUB_ACTIONS"] === "true") {
    for (const annotation of toAnnotations(gate, worse)) {
      console.log(annotation);
    }
  }
  if (options.junit !== undefined) {
    await writeFile(options.junit, toJUnit(gate));
  }
  const exit = gate.outcome === "inconclusive" && options.strict === true ? STRICT_EXIT : EXIT[gate.outcome];
  process.exitCode = exit;
  const state = exit === 0 ? "passed" : exit === BROKEN_EXIT ? "broken" : "failed";
  await publish({ dataset, state, title, text, link }, options);
}

/** The comparison's page, where it is known which console shows it. */
function toLink(id: string, { console: given, baseline }: GateOptions): string | undefined {
  const base = given ?? process.env["OBS_CONSOLE_URL"] ?? "";
  const url = URL.parse(`${base.replace(/\/+$/, "")}/projects/${process.env["OBS_PROJECT_ID"]}/experiments/${id}`);
  if (url !== null && baseline !== false) {
    url.searchParams.set("baseline", baseline);
  }
  // Parentheses would end a link of Markdown.
  return url?.href.replaceAll("(", "%28").replaceAll(")", "%29");
}

const TITLES: Readonly<Record<Gate["outcome"], string>> = {
  passed: "PASSED: nothing that was judged got worse.",
  worse: "WORSE: this change makes the agent worse.",
  inconclusive: "INCONCLUSIVE: so few items can't tell.",
  broken: "BROKEN: something was not measured.",
};

async function show(text: string, markdown: string, options: GateOptions): Promise<void> {
  console.log(text);
  if (options.markdown !== undefined) {
    await appendFile(options.markdown, `${markdown}\n`);
  }
}
