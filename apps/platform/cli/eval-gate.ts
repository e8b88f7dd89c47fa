import { appendFile, writeFile } from "node:fs/promises";
import { errorMessage } from "@sightline/foundation/errors";
import { experimentComparisonSchema, gateSchema, type Gate } from "@sightline/observability/contract";
import { z } from "zod";
import { findBranch, findCheckout } from "#demo/checkout.ts";
import { UsageError } from "#settings/failure.ts";
import { createEvaluationClient, findExperimentId, type EvaluationClient } from "./eval-client.ts";
import { toAnnotations, toJUnit, toTable } from "./eval-report.ts";

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

/** `sightline eval compare` and `sightline eval gate`. What can't be asked is broken, and ends as that: a gate that could not look is not green. */
export async function runGate(
  experiment: string | undefined,
  options: GateOptions,
  { isGate }: { readonly isGate: boolean },
): Promise<void> {
  const margin = Number(options.margin);
  if (!Number.isFinite(margin) || margin <= 0) {
    throw new UsageError("--margin takes a number above 0, such as 0.05.");
  }
  const client = createEvaluationClient(options.url);
  try {
    const id = await chooseExperiment(client, experiment, options);
    const query = new URLSearchParams({ margin: String(margin), ...(options.baseline === false ? {} : { baseline: options.baseline }) });
    if (!isGate) {
      const comparison = experimentComparisonSchema.parse(await client.get(`/experiments/${id}/comparison?${query.toString()}`));
      await show(toTable(comparison), options);
      return;
    }
    if (options.primary !== undefined) {
      query.set("primary", options.primary);
    }
    await report(gateSchema.parse(await client.get(`/experiments/${id}/gate?${query.toString()}`)), options);
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    console.error(error instanceof z.ZodError ? "The answer is none of Sightline's; is the address right?" : errorMessage(error));
    process.exitCode = BROKEN_EXIT;
  }
}

async function chooseExperiment(client: EvaluationClient, given: string | undefined, options: GateOptions): Promise<string> {
  if (given !== undefined) {
    return z.uuid().safeParse(given).data ?? missing(`${given} is no experiment's id.`);
  }
  const dataset = options.dataset ?? missing("Name an experiment by its id, or its dataset with --dataset.");
  const branch =
    options.branch ??
    readBranchOfCi() ??
    (await findBranch(process.cwd())) ??
    missing("No branch is checked out here: name it with --branch.");
  return findExperimentId(client, { dataset, branch, commit: (await findCheckout(process.cwd()))?.commit });
}

/** CI checks out a commit, and says in its environment of which branch: GitHub (of a pull request and else), GitLab. */
function readBranchOfCi(): string | undefined {
  return [process.env["GITHUB_HEAD_REF"], process.env["GITHUB_REF_NAME"], process.env["CI_COMMIT_REF_NAME"]].find(
    (name) => (name ?? "") !== "",
  );
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
