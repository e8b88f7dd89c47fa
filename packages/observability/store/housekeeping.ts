import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { ensureDays } from "./days.store.ts";
import { readDefaultPrices } from "./default-prices.ts";
import { seedDefaultPrices } from "./prices.store.ts";
import { sweepRetention } from "./sweep-retention.ts";

type HousekeepingOptions = {
  readonly query: Kysely<ObservabilitySchema>;
  readonly log: Logger;
};

const DAYS_EVERY_MS = 600_000;

/** Makes days ahead and lets old ones go. Every process that has the database may do it; none has to. */
export function createHousekeeping({ query, log }: HousekeepingOptions) {
  const stopping = new AbortController();
  const duties = [
    repeating(DAYS_EVERY_MS, "the default prices could not be written", async () => seedDefaultPrices(query, await readDefaultPrices())),
    repeating(DAYS_EVERY_MS, "days could not be made ahead", () => ensureDays(query)),
    repeating(DAYS_EVERY_MS, "what projects keep no longer could not be deleted", sweep),
  ];

  async function sweep(): Promise<void> {
    const swept = await sweepRetention(query, stopping.signal);
    if (swept.traces > 0 || swept.days > 0) {
      log.info(swept, "deleted what projects keep no longer");
    }
  }

  function repeating(everyMs: number, failure: string, duty: () => Promise<void>) {
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> = Promise.resolve();
    const run = async (): Promise<void> => {
      try {
        await duty();
      } catch (error) {
        log.warn({ reason: messageOf(error) }, `${failure}; trying again later`);
      }
      if (!stopping.signal.aborted) {
        timer = setTimeout(() => (running = run()), everyMs).unref();
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
