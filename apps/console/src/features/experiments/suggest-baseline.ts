import type { Experiment } from "@sightline/observability/contract";

const TRUNKS: readonly string[] = ["main", "master", "trunk"];

/** Those that an experiment can be compared with: of the same dataset, and finished before it began. */
export function findEarlier(of: Experiment, all: readonly Experiment[]): readonly Experiment[] {
  return all.filter(
    ({ id, dataset_id: dataset, state, created_at: at }) =>
      id !== of.id && dataset === of.dataset_id && state === "finished" && at < of.created_at,
  );
}

/** What an experiment is most likely to be compared with: the main branch, else its own, else the experiment before it. */
export function suggestBaseline(of: Experiment, all: readonly Experiment[]): string | undefined {
  const earlier = findEarlier(of, all);
  const branches = new Set(earlier.map(({ branch }) => branch));
  return [...TRUNKS, of.branch ?? ""].find((branch) => branches.has(branch)) ?? earlier[0]?.id;
}
