import type { Logger } from "@sightline/foundation/log";
import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { ensureDays } from "#store/days.store.ts";
import { readDefaultPrices } from "#prices/default-prices.ts";
import { sweepDeletedProjects } from "#store/delete-project.store.ts";
import { countMarkedHours } from "#store/hourly.store.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { createRepeatedDuty } from "./repeated-duty.ts";
import { analyzeGrownTables } from "#store/statistics.store.ts";
import { sweepRetention } from "./sweep-retention.ts";
import { countMarkedTraces, findUncountedProjects, walkTraces } from "#store/trace-entries.store.ts";

type HousekeepingOptions = {
  readonly query: Kysely<ObservabilitySchema>;
  readonly log: Logger;
};

const RARELY_MS = 600_000;
const DELETED_EVERY_MS = 10_000;
const HOURS_EVERY_MS = 3_000;
const TRACES_EVERY_MS = 1_000;
/** Of the time: what it leaves undone, those wait for who read the list. */
const TRACES_SHARE = 1 / 4;
/** Steps of one project before it is another's turn. */
const STEPS_AT_ONCE = 20;
const STATISTICS_EVERY_MS = 15_000;

/** Makes days ahead, lets old ones go, counts hours and traces, and has grown tables looked at. Every process that has the database may do it; none has to. */
export function createHousekeeping({ query, log }: HousekeepingOptions) {
  const stopping = new AbortController();
  const duties = [
    duty(RARELY_MS, "the default prices could not be written", async () => seedDefaultPrices(query, await readDefaultPrices())),
    duty(RARELY_MS, "days could not be made ahead", () => ensureDays(query)),
    duty(RARELY_MS, "what projects keep no longer could not be deleted", sweep),
    duty(DELETED_EVERY_MS, "what is left of deleted projects could not be deleted", sweepDeleted),
    duty(STATISTICS_EVERY_MS, "tables that have grown could not be looked at", async () => void (await analyzeGrownTables(query))),
    duty(HOURS_EVERY_MS, "hours could not be counted", countHours),
    duty(TRACES_EVERY_MS, "traces could not be counted", countTraces, TRACES_SHARE),
  ];

  function duty(everyMs: number, failure: string, run: () => Promise<void>, share?: number) {
    return createRepeatedDuty({ everyMs, failure, log, run, ...(share === undefined ? {} : { share }) });
  }

  async function sweep(): Promise<void> {
    const swept = await sweepRetention(query, stopping.signal);
    if (swept.traces > 0 || swept.days > 0) {
      log.info(swept, "deleted what projects keep no longer");
    }
  }

  async function sweepDeleted(): Promise<void> {
    const swept = await sweepDeletedProjects(query, stopping.signal);
    if (swept.traces > 0 || swept.rows > 0) {
      log.info(swept, "deleted what was left of deleted projects");
    }
  }

  async function countHours(): Promise<void> {
    while ((await countMarkedHours(query)) && !stopping.signal.aborted) {
      // The hours that are left.
    }
  }

  async function countTraces(): Promise<void> {
    for (const projectId of await findUncountedProjects(query)) {
      await repeat(() => countMarkedTraces(query, projectId));
      await repeat(() => walkTraces(query, projectId));
    }
  }

  async function repeat(step: () => Promise<boolean>): Promise<void> {
    for (let steps = 0; steps < STEPS_AT_ONCE && !stopping.signal.aborted; steps += 1) {
      if (!(await step())) {
        return;
      }
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
