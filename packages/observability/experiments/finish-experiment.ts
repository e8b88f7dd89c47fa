import { orRefuse } from "@sightline/foundation/errors";
import { tellOfExperiment } from "#alerts/project/experiment-alerts.store.ts";
import { evaluateChecks } from "#checks/evaluate-checks.ts";
import { countTraces } from "#counting/count-traces.store.ts";
import { findItems } from "#datasets/items.store.ts";
import type { Query } from "#schema.ts";
import { markUnplaced, measureRuns } from "#store/measure-runs.store.ts";
import { experimentNotFound } from "./experiments.errors.ts";
import { findExperiment, setState } from "./experiments.store.ts";
import { keepMeans } from "./keep-means.ts";
import { findEndedTrace, keepNodes, keepNodesOf } from "./keep-nodes.ts";
import { errorOf } from "./report-runs.ts";
import { findUnchecked, findUnmeasured, writeChecks, type OfExperiment } from "./runs.store.ts";

type Finishing = OfExperiment & { readonly state: "finished" | "cancelled"; readonly wait: boolean; readonly now: Date };

/** Runs whose checks one request evaluates; each reads a whole trace. */
const AT_ONCE = 100;
const MEASURED_AT_ONCE = 1_000;

/**
 * Ends an experiment: evaluates the checks of runs whose traces have arrived, some of them for each call. With `wait` those that have not are left for
 * the next call and the experiment goes on; without, they are marked as not evaluated, which is never passed. A cancelled one is not judged, so its
 * checks may wait.
 */
export async function finishExperiment(query: Query, { state, wait, now, ...of }: Finishing): Promise<void> {
  const experiment = orRefuse(await findExperiment(query, { ...of, id: of.experimentId }), experimentNotFound);
  const { dataset_id: datasetId, dataset_version: version, split } = experiment;
  const runs = await findUnchecked(query, { ...of, limit: AT_ONCE });
  const ids = [...new Set(runs.map(({ item_id: id }) => id))];
  const items = ids.length === 0 ? [] : await findItems(query, { ...of, datasetId, version, split, ids });
  const checksOf = new Map(items.map((item) => [item.item_id, item.checks]));
  for (const run of runs) {
    const trace = await findEndedTrace(query, of, run);
    if (trace !== null || (!wait && state === "finished")) {
      await writeChecks(
        query,
        of,
        run,
        evaluateChecks(checksOf.get(run.item_id) ?? [], { output: run.output, error: errorOf(run), trace }),
      );
    }
    if (trace !== null) {
      await keepNodesOf(query, of, run, trace);
    }
  }
  await keepNodes(query, { ...of, limit: AT_ONCE });
  await measureAll(query, of);
  const rest = await findUnchecked(query, { ...of, limit: 1 });
  if (rest.length === 0 || state === "cancelled") {
    await endAndTell(query, { ...of, state, now });
    await keepMeans(query, of);
  }
}

/** One that is finished stays so: whoever finishes it tells of it, and nobody else. */
async function endAndTell(query: Query, { state, now, ...of }: Omit<Finishing, "wait">): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    const isEnded = await setState(transaction, { ...of, id: of.experimentId, state, now });
    if (isEnded && state === "finished") {
      await tellOfExperiment(transaction, of.projectId, of.experimentId);
    }
  });
}

/** Traces that were counted before their run was reported; the others are measured as they are counted. */
async function measureAll(query: Query, of: OfExperiment): Promise<void> {
  const ids = await findUnmeasured(query, { ...of, limit: MEASURED_AT_ONCE });
  if (ids.length > 0) {
    await countTraces(query, of.projectId, ids);
    await measureRuns(query, of.projectId, ids);
  }
  await markUnplaced(query, of.projectId, of.experimentId);
}
