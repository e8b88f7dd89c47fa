import { liveTracesSchema } from "@sightline/observability/contract";
import { readEvents } from "#http/event-stream.ts";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;

/**
 * Listens to the stream of what changed until it is stopped. After every end of it, whatever the reason, it comes back: later
 * each time that the stream did not even begin.
 */
export async function listen({
  connect,
  signal,
  wait,
  onLive,
  onChange,
  onHeard,
  onLost,
}: {
  readonly connect: () => Promise<ReadableStream<Uint8Array>>;
  readonly signal: AbortSignal;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** What changed before this may have been missed. */
  readonly onLive: () => void;
  /** Ids of the traces that changed; none when it is not known which. */
  readonly onChange: (traceIds: readonly string[]) => void;
  /** The other side is still there. */
  readonly onHeard: () => void;
  readonly onLost: () => void;
}): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      onHeard();
      for await (const { event, data } of readEvents(await connect())) {
        onHeard();
        if (event === "ready") {
          waitMs = FIRST_WAIT_MS;
          onLive();
        } else if (event === "traces") {
          onChange(idsOf(data));
        }
      }
    } catch {
      // However it was lost, the same follows: it is asked for, and connected again.
    }
    if (!signal.aborted) {
      onLost();
      await wait(waitMs);
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
  }
}

function idsOf(data: string): readonly string[] {
  const parsed = liveTracesSchema.safeParse(JSON.parse(data));
  return parsed.success && !parsed.data.truncated ? parsed.data.trace_ids : [];
}
