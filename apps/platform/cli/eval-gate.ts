import { appendFile, writeFile } from "node:fs/promises";
import { errorMessage } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import {
  datasetPageSchema,
  experimentComparisonSchema,
  experimentPageSchema,
  gateSchema,
  type Gate,
} from "@sightline/observability/contract";
import { z } from "zod";
import { findBranch, findCheckout } from "#demo/checkout.ts";
import { UsageError } from "#settings/failure.ts";
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

type EvaluationClient = { readonly get: (path: string) => Promise<unknown> };

const TIMEOUT_MS = 60_000;
const refusalSchema = z.object({ error: z.string(), message: z.string() });

/** Asks the project of OBS_PROJECT_ID with OBS_API_KEY. @throws {UsageError} where one of them is missing or of no such form. */
function createEvaluationClient(given: string | undefined): EvaluationClient {
  const url = URL.parse(given ?? process.env["OBS_API_URL"] ?? "");
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new UsageError(
      "The address of observability (--url or OBS_API_URL) starts with https:// or http:// and holds no name and no password.",
    );
  }
  const key = process.env["OBS_API_KEY"] ?? "";
  if (!/^studio_[0-9a-f]{64}$/i.test(key)) {
    throw new UsageError("OBS_API_KEY is no API key: make one with “Evaluate” in the project's settings, and copy all of it.");
  }
  const project = z.uuid().safeParse(process.env["OBS_PROJECT_ID"]);
  if (!project.success) {
    throw new UsageError("OBS_PROJECT_ID is no project's id: the project's settings show it.");
  }
  const base = `${url.origin}${url.pathname.replace(/\/*$/, "")}/api/v1/projects/${project.data}`;
  return {
    get: async (path) => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(base + path, { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
        (error: unknown) => {
          throw new Error(`${url.origin} does not answer: ${errorMessage(error)}`, { cause: error });
        },
      );
      const body = parseJson(await response.text());
      if (!response.ok) {
        const refused = refusalSchema.safeParse(body).data;
        throw new Error(
          refused === undefined
            ? `${url.origin} answers ${response.status}; is the address right?`
            : `${refused.message} (${refused.error})`,
        );
      }
      return body;
    },
  };
}

type Wanted = { readonly dataset: string; readonly branch: string; readonly commit: string | undefined };

/** The newest experiment of a branch over a dataset. @throws {Error} where there is none, or it is of another commit than the one that is checked out. */
async function findExperimentId(client: EvaluationClient, { dataset, branch, commit }: Wanted): Promise<string> {
  const [found] = datasetPageSchema.parse(await client.get(`/datasets?name=${encodeURIComponent(dataset)}`)).items;
  if (found === undefined) {
    throw new Error(`The project has no dataset ${dataset}.`);
  }
  const query = new URLSearchParams({ dataset_id: found.id, branch, limit: "1" });
  const [newest] = experimentPageSchema.parse(await client.get(`/experiments?${query.toString()}`)).items;
  if (newest === undefined) {
    throw new Error(`There is no experiment of the branch ${branch} over ${dataset}. Run one first.`);
  }
  if (commit !== undefined && newest.commit !== null && newest.commit !== commit) {
    throw new Error(
      `The newest experiment of ${branch} over ${dataset} is of the commit ${newest.commit}, not of ${commit}. Run one of this commit, or name an experiment by its id.`,
    );
  }
  return newest.id;
}
