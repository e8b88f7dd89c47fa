import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { ensureDays } from "./days.store.ts";
import { readDefaultPrices } from "./default-prices.ts";
import { countMarkedHours } from "./hourly.store.ts";
import { seedDefaultPrices } from "./prices.store.ts";
import { sweepRetention } from "./sweep-retention.ts";

type HousekeepingOptions = {
  readonly query: Kysely<ObservabilitySchema>;
  readonly log: Logger;
};

const DAYS_EVERY_MS = 600_000;
const HOURS_EVERY_MS = 3_000;
/** No duty takes more than this part of the time. */
const SHARE = 1 / 20;

/** Makes days ahead, lets old ones go, and counts hours. Every process that has the database may do it; none has to. */
export function createHousekeeping({ query, log }: HousekeepingOptions) {
  const stopping = new AbortController();
  const duties = [
    repeating(DAYS_EVERY_MS, "the default prices could not be written", async () => seedDefaultPrices(query, await readDefaultPrices())),
    repeating(DAYS_EVERY_MS, "days could not be made ahead", () => ensureDays(query)),
    repeating(DAYS_EVERY_MS, "what projects keep no longer could not be deleted", sweep),
    repeating(HOURS_EVERY_MS, "hours could not be counted", countHours),
  ];

  async function sweep(): Promise<void> {
    const swept = await sweepRetention(query, stopping.signal);
    if (swept.traces > 0 || swept.days > 0) {
      log.info(swept, "deleted what projects keep no longer");
    }
  }

  async function countHours(): Promise<void> {
    for (let counted = 1; counted > 0 && !stopping.signal.aborted;) {
      counted = await countMarkedHours(query);
    }
  }

  function repeating(everyMs: number, failure: string, duty: () => Promise<void>) {
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> = Promise.resolve();
    const run = async (): Promise<void> => {
      const startedAt = performance.now();
      try {
        await duty();
      } catch (error) {
        log.warn({ reason: messageOf(error) }, `${failure}; trying again later`);
      }
      if (!stopping.signal.aborted) {
        const pauseMs = Math.max(everyMs, (performance.now() - startedAt) / SHARE);
        timer = setTimeout(() => (running = run()), pauseMs).unref();
      }
    };
    return {
      start: (): void => {
        running = run();
      },
      stop: async (): Promise<void> => {
        clearTimeout(timer);
        await running;
      },
    };
  }

  return {
    start: (): void => duties.forEach((duty) => duty.start()),
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(duties.map((duty) => duty.stop()));
    },
  };
}
