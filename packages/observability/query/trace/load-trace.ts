import { orRefuse } from "@sightline/foundation/errors";
import type { Trace } from "#contract.ts";
import type { Query } from "#schema.ts";
import type { Reader } from "#store/reader.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { findDeclaredGraphs, findGraphEntries } from "#query/graph/graphs.store.ts";
import { presentGraph } from "#query/graph/present-graph.ts";
import { countLostEventsOfTrace } from "#query/steps/lost-events.store.ts";
import { presentTrace } from "#query/steps/present-trace.ts";
import { findTraceContent } from "#query/steps/trace-content.store.ts";
import { withSpoken } from "#query/steps/spoken.store.ts";
import { findTrace, type TraceSummaryRow } from "#query/steps/traces.store.ts";

type Wanted = { readonly reader: Reader; readonly traceId: string; readonly projectId?: string };

/** One trace with its steps and its graph. @throws {AppError} 404 `trace_not_found`. */
export async function loadTrace(query: Query, wanted: Wanted): Promise<Trace> {
  return loadTraceOf(query, orRefuse(await findTrace(query, wanted), traceNotFound));
}

/** The same of one that was found already. */
export async function loadTraceOf(query: Query, trace: TraceSummaryRow): Promise<Trace> {
  const content = await findTraceContent(query, trace.run);
  const lost = await countLostEventsOfTrace(query, trace.run);
  const graph = presentGraph(trace, content.steps, await findGraphEntries(query, trace.run));
  const declared = await findDeclaredGraphs(query, trace.project_id, graph.hashes);
  const whole = presentTrace(trace, content, { lostEvents: lost, graph: graph.withDeclared(declared) });
  const runs = whole.segments.map(({ id }) => id);
  return withSpoken(query, { ...trace.run, id: trace.id, runs }, whole);
}
