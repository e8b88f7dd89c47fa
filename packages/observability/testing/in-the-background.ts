import { systemClock } from "@sightline/foundation/clock";
import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import * as retention from "#housekeeping/sweep-retention.ts";
import * as records from "#housekeeping/expired-records.store.ts";
import type { Query } from "#schema.ts";
import * as deletions from "#store/delete-project.store.ts";
import * as hourly from "#counting/hourly.store.ts";
import * as packing from "#counting/pack-hours.store.ts";

/** One round of what housekeeping does again and again. */

export function countMarkedHours(query: Query, now: () => Date = systemClock.now): Promise<boolean> {
  return hourly.countMarkedHours(query, { clock: { now }, eachProject: eachOwnerUnderTest(), onSetAside: () => undefined });
}

export function packHours(query: Query, restMinutes?: number): Promise<boolean> {
  return packing.packHours(query, { each: eachOwnerUnderTest(), ...(restMinutes === undefined ? {} : { restMinutes }) });
}

export function sweepRetention(query: Query): Promise<{ readonly traces: number; readonly days: number }> {
  return retention.sweepRetention(query, { each: eachOwnerUnderTest() });
}

export function deleteExpiredRecords(query: Query): Promise<void> {
  return records.deleteExpiredRecords(query, { each: eachOwnerUnderTest() });
}

export function sweepDeletedProjects(query: Query): Promise<{ readonly traces: number; readonly rows: number }> {
  return deletions.sweepDeletedProjects(query, { each: eachOwnerUnderTest() });
}
