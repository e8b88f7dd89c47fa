import { z } from "zod";

/**
 * The channel of Redis' pub/sub, beside the stream, on which consumers announce what they have committed. A listener
 * that misses a message can read the database.
 */
export function toCommittedChannel(streamName: string): string {
  return `${streamName}:committed`;
}

const committedSchema = z.object({
  projects: z.array(
    z.object({
      id: z.uuid(),
      /** Traces, or parts of them; null when they are too many to be named. */
      traces: z.array(z.uuid()).nullable(),
      /** Whether some of them resume another segment. */
      resumed: z.boolean(),
    }),
  ),
});
export type Committed = z.infer<typeof committedSchema>;

type TraceOf = { readonly projectId: string; readonly traceId: string; readonly isResumed: boolean };

/** The most traces that one message names. */
const MAX_TRACES = 500;
const MAX_PROJECTS = 500;

/** @returns undefined when there is nothing to tell. */
export function encodeCommitted(traces: readonly TraceOf[]): string | undefined {
  if (traces.length === 0) {
    return undefined;
  }
  const isTold = traces.length <= MAX_TRACES;
  const projects = [...Map.groupBy(traces, ({ projectId }) => projectId)].slice(0, MAX_PROJECTS).map(([id, ofProject]) => ({
    id,
    traces: isTold ? [...new Set(ofProject.map(({ traceId }) => traceId))] : null,
    resumed: ofProject.some(({ isResumed }) => isResumed),
  }));
  return JSON.stringify({ projects } satisfies Committed);
}

/** @returns undefined for what is no such message. */
export function decodeCommitted(message: string): Committed | undefined {
  try {
    return committedSchema.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}
