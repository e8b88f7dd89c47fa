import type { Logger } from "@sightline/foundation/log";
import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { ensureDays } from "./days.store.ts";
import { readDefaultPrices } from "./default-prices.ts";
import { countMarkedHours } from "./hourly.store.ts";
import { seedDefaultPrices } from "./prices.store.ts";
import { createRepeatedDuty } from "./repeated-duty.ts";
import { sweepRetention } from "./sweep-retention.ts";

type HousekeepingOptions = {
  readonly query: Kysely<ObservabilitySchema>;
  readonly log: Logger;
};

const RARELY_MS = 600_000;
const HOURS_EVERY_MS = 3_000;

/** Makes days ahead, lets old ones go, and counts hours. Every process that has the database may do it; none has to. */
export function createHousekeeping({ query, log }: HousekeepingOptions) {
  const stopping = new AbortController();
  const duties = [
    duty(RARELY_MS, "the default prices could not be written", async () => seedDefaultPrices(query, await readDefaultPrices())),
    duty(RARELY_MS, "days could not be made ahead", () => ensureDays(query)),
    duty(RARELY_MS, "what projects keep no longer could not be deleted", sweep),
    duty(HOURS_EVERY_MS, "hours could not be counted", countHours),
  ];

  function duty(everyMs: number, failure: string, run: () => Promise<void>) {
    return createRepeatedDuty({ everyMs, failure, log, run });
  }

  async function sweep(): Promise<void> {
    const swept = await sweepRetention(query, stopping.signal);
    if (swept.traces > 0 || swept.days > 0) {
      log.info(swept, "deleted what projects keep no longer");
    }
  }

  async function countHours(): Promise<void> {
    while ((await countMarkedHours(query)) && !stopping.signal.aborted) {
      // The hours that are left.
    }
  }

  return {
    start: (): void => duties.forEach((each) => each.start()),
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(duties.map((each) => each.stop()));
    },
  };
}
