import { systemClock, type Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { createAlarm, repeat, type Repeated, type WakenBy } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { ensureDays } from "#store/days.store.ts";
import { readDefaultPrices } from "#prices/default-prices.ts";
import { sweepDeletedProjects } from "#store/delete-project.store.ts";
import { createIssueFinding } from "#issues/find-issues.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { analyzeGrownTables } from "#store/statistics.store.ts";
import { createTextIndexing } from "#text/index-texts.ts";
import { createCounting } from "./counting.ts";
import { sweepRetention } from "./sweep-retention.ts";

export type HousekeepingOptions = {
  readonly query: Query;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  /** Wakes when this process has written something. What another one wrote and could not count any more waits for a rest. */
  readonly wakenBy?: WakenBy | undefined;
};

/** The part of the time that one task may take, unless it says otherwise. */
const SHARE = 1 / 20;
const RARELY_MS = 600_000;
const DELETED_EVERY_MS = 10_000;
const DELETED_REST_MS = 300_000;
const HOURS_EVERY_MS = 3_000;
const HOURS_REST_MS = 60_000;
const TRACES_EVERY_MS = 1_000;
const TRACES_REST_MS = 60_000;
/** Counting traces takes at most this share of the time: readers of the list wait for what it leaves undone. */
const TRACES_SHARE = 1 / 4;
const ISSUES_EVERY_MS = 1_000;
const ISSUES_REST_MS = 15_000;
/** Finding issues takes at most this share of the time. */
const ISSUES_SHARE = 1 / 10;
const PACKING_EVERY_MS = 10_000;
const PACKING_REST_MS = 120_000;
const TEXTS_EVERY_MS = 250;
const TEXTS_REST_MS = 15_000;
const STATISTICS_EVERY_MS = 15_000;
const STATISTICS_REST_MS = 300_000;

/** Makes days ahead, lets old ones go, counts hours and traces, packs hours, finds issues, and has grown tables looked at. Every process that has the database may do it; none has to. */
export function createHousekeeping({ query, log, clock = systemClock, wakenBy = () => undefined }: HousekeepingOptions): Repeated {
  const { countHours, packHours, countTraces } = createCounting({ query, log, clock });
  const findIssues = createIssueFinding({ query, log, clock });
  const texts = createTextIndexing({ query, log, clock });
  const counted = createAlarm();
  const eachSwept = createEachOwner({ log, clock, name: "deleting what a project keeps no longer" });
  const eachDeleted = createEachOwner({ log, clock, name: "deleting what is left of a deleted project" });

  async function sweep(signal: AbortSignal): Promise<void> {
    const swept = await sweepRetention(query, { each: eachSwept, signal });
    if (swept.traces > 0 || swept.days > 0) {
      log.info(swept, "deleted what projects keep no longer");
    }
  }

  async function sweepDeleted(signal: AbortSignal): Promise<boolean> {
    const swept = await sweepDeletedProjects(query, { each: eachDeleted, signal });
    const hasSwept = swept.traces > 0 || swept.rows > 0;
    if (hasSwept) {
      log.info(swept, "deleted what was left of deleted projects");
    }
    return hasSwept;
  }

  return repeat({
    log,
    tasks: [
      {
        name: "writing default prices",
        everyMs: RARELY_MS,
        share: SHARE,
        run: async () => seedDefaultPrices(query, await readDefaultPrices()),
      },
      { name: "making days ahead", everyMs: RARELY_MS, share: SHARE, run: () => ensureDays(query) },
      { name: "deleting what projects keep no longer", everyMs: RARELY_MS, share: SHARE, run: sweep },
      {
        name: "deleting what is left of deleted projects",
        everyMs: DELETED_EVERY_MS,
        restMs: DELETED_REST_MS,
        wakenBy,
        share: SHARE,
        run: sweepDeleted,
      },
      {
        name: "analyzing tables that have grown",
        everyMs: STATISTICS_EVERY_MS,
        restMs: STATISTICS_REST_MS,
        wakenBy,
        share: SHARE,
        run: async () => (await analyzeGrownTables(query)).length > 0,
      },
      {
        name: "counting hours",
        everyMs: HOURS_EVERY_MS,
        restMs: HOURS_REST_MS,
        wakenBy,
        share: SHARE,
        run: countHours,
      },
      {
        name: "packing hours of traces",
        everyMs: PACKING_EVERY_MS,
        restMs: PACKING_REST_MS,
        share: SHARE,
        run: packHours,
      },
      {
        name: "counting traces",
        everyMs: TRACES_EVERY_MS,
        restMs: TRACES_REST_MS,
        wakenBy,
        share: TRACES_SHARE,
        run: async (signal) => {
          const hasCounted = await countTraces(signal);
          counted.ring();
          return hasCounted;
        },
      },
      {
        name: "finding issues",
        everyMs: ISSUES_EVERY_MS,
        restMs: ISSUES_REST_MS,
        wakenBy: counted.wakenBy,
        share: ISSUES_SHARE,
        run: findIssues,
      },
      { name: "reading texts", everyMs: TEXTS_EVERY_MS, restMs: TEXTS_REST_MS, wakenBy, share: texts.share, run: texts.run },
    ],
  });
}
