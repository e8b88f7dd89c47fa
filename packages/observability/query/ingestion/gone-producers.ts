import type { Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { repeat, type WakenBy } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { areAnyLiving, markEndedProducers, markSilentProducers } from "./gone-producers.store.ts";

type GoneProducersOptions = {
  readonly query: Query;
  /** Reads how many seconds the oldest event has waited on the stream; NaN when it is unknown. */
  readonly readLag: () => Promise<number>;
  /** What consumers announce as written. While it is heard, nothing is looked at that nobody writes. */
  readonly committed?: { readonly wakenBy: WakenBy; readonly isHeard: () => boolean };
  readonly clock: Clock;
  readonly log: Logger;
};

const EVERY_MS = 10_000;
/** While no producer lives. */
const REST_MS = 60_000;
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
export function createGoneProducers({ query, readLag, committed, clock, log }: GoneProducersOptions) {
  const each = createEachOwner({ log, clock, name: "looking for producers of a project that are gone" });
  let caughtUpSince: number | undefined;

  /** @returns false when no producer lives. */
  async function look(): Promise<false | undefined> {
    if (!(await areAnyLiving(query))) {
      caughtUpSince = undefined;
      return false;
    }
    const lag = await readLag();
    const now = clock.now().getTime();
    if (!(lag < MAX_LAG_SECONDS)) {
      caughtUpSince = undefined;
      return undefined;
    }
    caughtUpSince ??= now;
    await markEndedProducers(query, { each });
    if (now - caughtUpSince >= SILENT_MS) {
      const gone = await markSilentProducers(query, { each, silentMs: SILENT_MS, withoutHeartbeatMs: SILENT_WITHOUT_HEARTBEAT_MS });
      if (gone > 0) {
        log.info({ producers: gone }, "nothing comes from some producers any more; what they left running shows as abandoned");
      }
    }
    return undefined;
  }

  return {
    look,
    ...repeat({
      log,
      tasks: [
        {
          name: "looking for producers that are gone",
          everyMs: EVERY_MS,
          restMs: () => (committed?.isHeard() === true ? REST_MS : EVERY_MS),
          ...(committed === undefined ? {} : { wakenBy: committed.wakenBy }),
          share: SHARE,
          run: look,
        },
      ],
    }),
  };
}
