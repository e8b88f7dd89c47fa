import { isDeepStrictEqual } from "node:util";
import { type Api, isUuid } from "./api.ts";
import { EvaluationError } from "./evaluation-error.ts";
import type { NamedEvaluator } from "./evaluators.ts";
import { readCheckout } from "./git.ts";
import { toJson } from "./json-value.ts";
import type { EvaluationPlan } from "./plan.ts";
import type { Progress } from "./progress.ts";
import type { Experiment } from "./result.ts";
import type { Item, Run, Turn } from "./run-item.ts";

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
    evaluators: evaluators.map(({ name, version, higherIsBetter }) => ({ name, version, higher_is_better: higherIsBetter })),
    dataset_version: dataset.version,
    split: plan.split ?? null,
    name: plan.name ?? nameOf(plan.task),
    branch,
    is_dirty: isDirty,
    config: toJson(plan.config ?? {}),
    repetitions: plan.repetitions ?? 1,
  };
  const begun = plan.resume === undefined ? undefined : await api.get<Experiment>(`/experiments/${encodeURIComponent(plan.resume)}`);
  for (const name of ["dataset_id", "commit", "evaluators", "config"] as const) {
    if (begun !== undefined && !isDeepStrictEqual(begun[name], wanted[name])) {
      const differs = `${name} ${JSON.stringify(begun[name])}, not ${JSON.stringify(wanted[name])}`;
      throw new EvaluationError(`The experiment ${begun.id} is of ${differs}; begin one without resume.`);
    }
  }
  const { dataset_version: version, split, repetitions } = begun ?? wanted;
  const listed = await api.list<Item>(`/datasets/${dataset.id}/items`, { version, split });
  // Of what was a deleted user's nothing is left to run.
  const items = listed.filter((item) => item.redacted !== true);
  if (items.length === 0) {
    throw new EvaluationError(`The dataset ${dataset.name} has no items${split === null ? "" : ` in its split ${split}`}.`);
  }
  const code = `${branch ?? "no branch"} @ ${(commit ?? "no commit").slice(0, 7)}${isDirty ? " with changes" : ""}`;
  const cap = plan.maxRuns === undefined ? "" : `, at most ${plan.maxRuns} now (maxRuns)`;
  const shape = `${items.length} items × ${repetitions} = ${items.length * repetitions} runs`;
  progress.say(`${shape} of ${dataset.name}, version ${version} (${code})${cap}`);
  return { experiment: begun ?? (await api.post<Experiment>("/experiments", wanted)), items };
}

/** All that is still to be run: not what was reported before, unless it was missing. */
export async function listTurns(api: Api, experiment: Experiment, items: readonly Item[]): Promise<readonly Turn[]> {
  const last = new Map<string, Run>();
  for await (const run of api.pages<Run>(`/experiments/${experiment.id}/runs`)) {
    last.set(`${run.item_id} ${run.repetition}`, run);
  }
  return Array.from({ length: experiment.repetitions }, (_, repetition) =>
    items.flatMap((item) => {
      const run = last.get(`${item.id} ${repetition}`);
      return run === undefined || run.state === "missing" ? [{ item, repetition, attempt: (run?.attempt ?? 0) + 1 }] : [];
    }),
  ).flat();
}

export function nameOf(task: { readonly name: string }): string {
  return (task.name || "task").slice(0, 200);
}

async function findDataset(api: Api, name: string): Promise<Dataset> {
  if (isUuid(name)) {
    return await api.get<Dataset>(`/datasets/${name}`);
  }
  for await (const dataset of api.pages<Dataset>("/datasets", { name })) {
    return dataset;
  }
  throw new EvaluationError(`The project has no dataset ${name}; give the name of one of its datasets, or an id.`);
}
