import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Redis } from "@sightline/foundation/redis";
import { toCommittedChannel, encodeCommitted } from "#events/committed.ts";
import type { BatchRows } from "#ingest/writing/batch-rows.ts";

type AnnounceOptions = { readonly redis: Redis; readonly streamName: string; readonly log: Logger };

export type Announce = (written: Pick<BatchRows, "traces" | "scores">) => void;

/** The most messages in flight; a Redis that accepts none gets no more of them. */
const MAX_WAITING_MESSAGES = 16;

/** Announces which traces a commit has changed. Nothing waits for it or depends on it: watchers also read the database now and then. */
export function createAnnouncer({ redis, streamName, log }: AnnounceOptions): Announce {
  const channel = toCommittedChannel(streamName);
  let waiting = 0;
  let lastReason = "";

  async function publish(message: string): Promise<void> {
    waiting += 1;
    try {
      await redis.publish(channel, message);
      lastReason = "";
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== lastReason) {
        lastReason = reason;
        log.warn({ reason, channel }, "what was committed could not be announced; live views are some seconds late");
      }
    }
    waiting -= 1;
  }

  return ({ traces, scores }) => {
    const message = encodeCommitted([
      ...traces.map((row) => ({ projectId: row.project_id, traceId: row.id, isResumed: row.resumed_from !== undefined })),
      ...scores.map((row) => ({ projectId: row.project_id, traceId: row.trace_id, isResumed: false })),
    ]);
    if (message !== undefined && waiting < MAX_WAITING_MESSAGES) {
      void publish(message);
    }
  };
}
