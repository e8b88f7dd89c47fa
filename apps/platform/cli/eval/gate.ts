import { appendFile, writeFile } from "node:fs/promises";
import { errorMessage } from "@sightline/foundation/errors";
import { describeFirst, experimentComparisonSchema, gateSchema, nodesSchema, type Gate } from "@sightline/observability/contract";
import { z } from "zod";
import { findBranch, findCheckout } from "#demo/checkout.ts";
import { UsageError } from "#settings/failure.ts";
import { createEvaluationClient, findNewest, type EvaluationClient } from "./client.ts";
import { toAnnotations, toJUnit, toTable } from "./report.ts";
import { runToEnd } from "./run-to-end.ts";

export type GateOptions = {
  readonly dataset?: string;
  readonly branch?: string;
  readonly baseline: string | false;
  readonly margin: string;
  readonly markdown?: string;
  readonly url?: string;
  readonly primary?: string;
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
  const client = createEvaluationClient(options.url);
  try {
    const id = await chooseExperiment(client, what, given, options);
    const query = new URLSearchParams({ margin: String(margin), ...(options.baseline === false ? {} : { baseline: options.baseline }) });
    if (what === "compare") {
      const comparison = experimentComparisonSchema.parse(await client.get(`/experiments/${id}/comparison?${query.toString()}`));
      await show([toTable(comparison), ...(await findDivergence(client, id, options))].join("\n\n"), options);
      return;
    }
    if (options.primary !== undefined) {
      query.set("primary", options.primary);
    }
    await report(gateSchema.parse(await client.post(`/experiments/${id}/gate?${query.toString()}`)), options);
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    console.error(error instanceof z.ZodError ? "The answer is none of Sightline's; is the address right?" : errorMessage(error));
    process.exitCode = BROKEN_EXIT;
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

async function report(gate: Gate, options: GateOptions): Promise<void> {
  const lines = [TITLES[gate.outcome], ...gate.reasons.map((reason) => `- ${reason}`)];
  await show(`${lines.join("\n")}\n\n${toTable(gate.comparison)}`, options);
  if (process.env["GITHUB_ACTIONS"] === "true") {
    for (const annotation of toAnnotations(gate)) {
      console.log(annotation);
    }
  }
  if (options.junit !== undefined) {
    await writeFile(options.junit, toJUnit(gate));
  }
  process.exitCode = gate.outcome === "inconclusive" && options.strict === true ? STRICT_EXIT : EXIT[gate.outcome];
}

const TITLES: Readonly<Record<Gate["outcome"], string>> = {
  passed: "PASSED: nothing that was judged got worse.",
  worse: "WORSE: this change makes the agent worse.",
  inconclusive: "INCONCLUSIVE: so few items can't tell.",
  broken: "BROKEN: something was not measured.",
};

async function show(text: string, { markdown }: GateOptions): Promise<void> {
  console.log(text);
  if (markdown !== undefined) {
    await appendFile(markdown, `${text}\n`);
  }
}
