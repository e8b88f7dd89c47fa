import { createEachOwner, type EachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { repeat, type Alarm, type Repeated } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { carryOutDeletions } from "./carry-out-deletions.ts";
import { findTimeBefore, finishDeletions } from "./deletions.store.ts";
import { settledSeconds, sweepBlobs } from "./sweep-blobs.ts";

const EVERY_MS = 3_000;
const REST_MS = 15_000;
const SHARE = 1 / 4;

type DeletionTaskOptions = {
  readonly query: Query;
  readonly log: Logger;
  /** The age in seconds of the oldest event on the stream; NaN while Redis does not answer. */
  readonly readLag: () => Promise<number>;
  readonly tellProducers: (projectId: string, version: string) => Promise<void>;
  /** Wakes it, and is rung when there is something to count again. */
  readonly alarm: Alarm;
};

/** Deletes what people asked for, and contents that no trace needs. A process that has both the database and Redis may do it; any number can. */
export function createDeletionTasks(options: DeletionTaskOptions): Repeated {
  const each = createEachOwner({ log: options.log, name: "deleting what people asked for and nobody needs" });
  return repeat({
    log: options.log,
    tasks: [
      {
        name: "deleting what people asked for and nobody needs",
        everyMs: EVERY_MS,
        restMs: REST_MS,
        share: SHARE,
        wakenBy: options.alarm.wakenBy,
        run: async (signal) => ((await deleteDue({ ...options, each }, signal)) ? undefined : false),
      },
    ],
  });
}

/** @returns whether there is anything left to wait for. */
async function deleteDue(
  { query, each, log, readLag, tellProducers, alarm }: DeletionTaskOptions & { readonly each: EachOwner },
  signal: AbortSignal,
): Promise<boolean> {
  // The time is taken before: while rows are deleted, time passes and other entries come.
  const settledBefore = await findTimeBefore(query, settledSeconds(await readLag()));
  const traces = await carryOutDeletions({ query, each, settledBefore, signal });
  if (traces > 0) {
    alarm.ring();
  }
  const contents = await sweepBlobs({ query, each, settledBefore, tellProducers, signal });
  if (traces > 0 || contents > 0) {
    log.info({ traces, contents }, "deleted what people asked for, or nobody needed");
  }
  return (await finishDeletions(query)) > 0;
}
