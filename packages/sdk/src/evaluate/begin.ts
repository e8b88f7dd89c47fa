import { isDeepStrictEqual } from "node:util";
import { type Api, isUuid } from "./api.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { describeEvaluator, type NamedEvaluator } from "./evaluators.ts";
import { readCheckout } from "./git.ts";
import { toJson } from "./json-value.ts";
import { type EvaluationPlan, taskName } from "./plan.ts";
import type { Progress } from "./progress.ts";
import type { EndedRun, Experiment } from "./result.ts";
import type { Item, Turn } from "./run-item.ts";

/** What an experiment that is gone on with has to have alike. */
const KEPT = ["dataset_id", "commit", "evaluators", "config"] as const;
const ESTIMATED_BY = 10;
const LOOKED_THROUGH = 500;

type Dataset = { readonly id: string; readonly name: string; readonly version: number };

/** The experiment, new or begun before, and the items that it runs. */
export async function beginExperiment(
  api: Api,
  plan: EvaluationPlan<never>,
  evaluators: readonly NamedEvaluator[],
  progress: Progress,
): Promise<{ readonly experiment: Experiment; readonly items: readonly Item[] }> {
  const dataset = await findDataset(api, plan.dataset);
  const { branch, commit, isDirty } = readCheckout();
  const wanted = {
    dataset_id: dataset.id,
    commit,
    evaluators: evaluators.map(describeEvaluator),
    dataset_version: dataset.version,
    split: plan.split ?? null,
    name: plan.name ?? taskName(plan),
    branch,
    is_dirty: isDirty,
    config: toJson(plan.config ?? {}).json,
    repetitions: plan.repetitions ?? 1,
  };
  const begun = plan.resume === undefined ? undefined : await findBegun(api, plan.resume, wanted);
  const { dataset_version: version, split, repetitions } = begun ?? wanted;
  const items = await listItems(api, { id: dataset.id, name: dataset.name, version, split });
  const unknown = Object.keys(plan.outputs ?? {}).filter((id) => items.every((item) => item.id !== id));
  if (unknown.length > 0) {
    throw new EvaluationError(
      `The dataset ${dataset.name} has no item ${unknown.slice(0, 3).join(", ")}; outputs are given by items' ids.`,
    );
  }
  const code = `${branch ?? "no branch"} @ ${(commit ?? "no commit").slice(0, 7)}${isDirty ? " with changes" : ""}`;
  const cap = plan.maxRuns === undefined ? "" : `, at most ${plan.maxRuns} now (maxRuns)`;
  const total = items.length * repetitions;
  const about = estimate(await api.list<Experiment>("/experiments", { dataset_id: dataset.id }, ESTIMATED_BY), total);
  progress.say(`${items.length} items × ${repetitions} = ${total} runs${about} of ${dataset.name}, version ${version} (${code})${cap}`);
  return { experiment: begun ?? (await api.post<Experiment>("/experiments", wanted)), items };
}

type Reported = Pick<EndedRun, "item_id" | "repetition" | "attempt" | "state">;

/** All that is still to be run: not what was reported before, unless it was missing. */
export function listTurns(repetitions: number, items: readonly Item[], runs: readonly Reported[]): readonly Turn[] {
  const last = new Map(runs.map((run) => [`${run.item_id} ${run.repetition}`, run]));
  return Array.from({ length: repetitions }, (_, repetition) =>
    items.flatMap((item) => {
      const run = last.get(`${item.id} ${repetition}`);
      return run === undefined || run.state === "missing" ? [{ item, repetition, attempt: (run?.attempt ?? 0) + 1 }] : [];
    }),
  ).flat();
}

export async function listItems(
  api: Api,
  { id, name, version, split }: Dataset & { readonly split: string | null },
): Promise<readonly Item[]> {
  const listed = await api.list<Item>(`/datasets/${id}/items`, { version, split });
  // Of what was a deleted user's nothing is left to run.
  const items = listed.filter((item) => item.redacted !== true);
  if (items.length === 0) {
    throw new EvaluationError(`The dataset ${name} has no items${split === null ? "" : ` in its split ${split}`}.`);
  }
  return items;
}

/** By what a run of the dataset's last experiments cost. */
export function estimate(experiments: readonly Pick<Experiment, "cost" | "runs">[], runs: number): string {
  const known = experiments.find((each) => typeof each.cost === "number" && each.runs.succeeded + each.runs.failed > 0);
  return known === undefined ? "" : `, about $${(((known.cost ?? 0) / (known.runs.succeeded + known.runs.failed)) * runs).toFixed(2)},`;
}

type Wanted = Pick<Experiment, (typeof KEPT)[number]>;

async function findBegun(api: Api, resume: string | true, wanted: Wanted): Promise<Experiment> {
  const begun = resume === true ? await findNewest(api, wanted) : await api.get<Experiment>(`/experiments/${encodeURIComponent(resume)}`);
  for (const name of KEPT) {
    if (!isDeepStrictEqual(begun[name], wanted[name])) {
      const differs = `${name} ${JSON.stringify(begun[name])}, not ${JSON.stringify(wanted[name])}`;
      throw new EvaluationError(`The experiment ${begun.id} is of ${differs}; begin one without resume.`);
    }
  }
  return begun;
}

async function findNewest(api: Api, { dataset_id, commit }: Wanted): Promise<Experiment> {
  const candidates = await api.list<Experiment>("/experiments", { dataset_id }, LOOKED_THROUGH);
  const found = candidates.find((each) => each.state !== "finished" && each.commit === commit);
  if (found === undefined) {
    throw new EvaluationError("No experiment of the dataset at this commit is left to go on with; begin one without resume.");
  }
  return found;
}

export async function findDataset(api: Api, name: string): Promise<Dataset> {
  const [found] = isUuid(name) ? [await api.get<Dataset>(`/datasets/${name}`)] : await api.list<Dataset>("/datasets", { name }, 1);
  if (found === undefined) {
    throw new EvaluationError(`The project has no dataset ${name}; give the name of one of its datasets, or an id.`);
  }
  return found;
}
