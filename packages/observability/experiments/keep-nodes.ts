import { AppError } from "@sightline/foundation/errors";
import type { Trace } from "#contract.ts";
import { nodeFactsOf } from "#divergence/node-facts.ts";
import { loadTrace } from "#query/trace/load-trace.ts";
import type { Query } from "#schema.ts";
import { findWithoutNodes, writeNodes } from "./nodes.store.ts";
import type { OfExperiment, RunKey } from "./runs.store.ts";

type Traced = RunKey & { readonly trace_id: string | null };

/** Keeps with runs what they did at each node, of those whose traces have arrived: retention drops traces, and experiments are compared later. */
export async function keepNodes(query: Query, of: OfExperiment & { readonly limit: number }): Promise<void> {
  for (const run of await findWithoutNodes(query, of)) {
    const trace = await findEndedTrace(query, of, run);
    if (trace !== null) {
      await keepNodesOf(query, of, run, trace);
    }
  }
}

export async function keepNodesOf(query: Query, of: OfExperiment, run: RunKey, trace: Trace): Promise<void> {
  await writeNodes(query, of, run, nodeFactsOf(trace, of.projectId));
}

/** Null as long as it has not arrived, or its end has not. */
export async function findEndedTrace(
  query: Query,
  { projectId, reader }: OfExperiment,
  { trace_id: traceId }: Pick<Traced, "trace_id">,
): Promise<Trace | null> {
  if (traceId === null) {
    return null;
  }
  try {
    const trace = await loadTrace(query, { projectId, reader, traceId });
    return trace.status === "running" ? null : trace;
  } catch (error) {
    if (error instanceof AppError && error.status === 404) {
      return null;
    }
    throw error;
  }
}
