import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { repeat } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { markEndedProducers, markSilentProducers } from "./gone-producers.store.ts";

type GoneProducersOptions = {
  readonly query: Query;
  /** Reads how many seconds the oldest event has waited on the stream; NaN when it is unknown. */
  readonly readLag: () => Promise<number>;
  readonly clock: Clock;
  readonly log: Logger;
};

const EVERY_MS = 10_000;
/** The part of the time that looking for gone producers may take. */
const SHARE = 1 / 20;
const MAX_LAG_SECONDS = 15;

/** An SDK sends a heartbeat every ten seconds. */
export const SILENT_MS = 90_000;
/** Producers without heartbeats may have nothing to send for long. */
export const SILENT_WITHOUT_HEARTBEAT_MS = 3_600_000;

/**
 * Notices producers that are gone: by their goodbye, or because nothing came from them for so long. Silence counts only
 * while events get through: not before the stream has been read to its end all that time, so that neither a consumer nor
 * a Redis that was away makes the living look dead.
 */
export function createGoneProducers({ query, readLag, clock, log }: GoneProducersOptions) {
  let caughtUpSince: number | undefined;

  async function look(): Promise<void> {
    const lag = await readLag();
    const now = clock.now().getTime();
    if (!(lag < MAX_LAG_SECONDS)) {
      caughtUpSince = undefined;
      return;
    }
    caughtUpSince ??= now;
    await markEndedProducers(query);
    if (now - caughtUpSince >= SILENT_MS) {
      const gone = await markSilentProducers(query, { silentMs: SILENT_MS, withoutHeartbeatMs: SILENT_WITHOUT_HEARTBEAT_MS });
      if (gone > 0) {
        log.info({ producers: gone }, "nothing comes from some producers any more; what they left running shows as abandoned");
      }
    }
  }

  return { look, ...repeat({ log, tasks: [{ name: "looking for producers that are gone", everyMs: EVERY_MS, share: SHARE, run: look }] }) };
}
