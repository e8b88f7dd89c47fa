import { orRefuse } from "@sightline/foundation/errors";
import type { NodesComparison } from "#contract.ts";
import { compareNodes } from "#divergence/compare-nodes.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { resolveBaseline } from "./compare-experiments.ts";
import { experimentNotFound } from "./experiments.errors.ts";
import { findExperiment } from "./experiments.store.ts";
import { keepNodes } from "./keep-nodes.ts";
import { listRunFacts } from "./nodes.store.ts";

type Wanted = InProject & { readonly experimentId: string; readonly baseline: string };

/** Traces that one question reads, where they had not arrived when the experiment ended. */
const READ_AT_ONCE = 300;

/** Where runs of an experiment go another way than those of a baseline. @throws {AppError} 404, or 400 when the two are of different datasets. */
export async function compareExperimentNodes(
  query: Query,
  { experimentId, baseline: named, ...project }: Wanted,
): Promise<NodesComparison> {
  const candidate = orRefuse(await findExperiment(query, { ...project, id: experimentId }), experimentNotFound);
  const baseline = await resolveBaseline(query, { ...project, candidate, named });
  for (const { id } of [candidate, ...baseline]) {
    await keepNodes(query, { ...project, experimentId: id, limit: READ_AT_ONCE });
  }
  const higher = candidate.evaluators.filter(({ higher_is_better: isHigher }) => isHigher).map(({ name }) => name);
  const [own, others] = await Promise.all([
    listRunFacts(query, { ...project, higher, experimentIds: [experimentId] }),
    listRunFacts(query, { ...project, higher, experimentIds: baseline.map(({ id }) => id) }),
  ]);
  return {
    ...compareNodes(own.runs, others.runs),
    runs: { candidate: own.runs.length, baseline: others.runs.length },
    unknown: { candidate: own.unknown, baseline: others.unknown },
  };
}
