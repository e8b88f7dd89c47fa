import { systemClock, type Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { inRounds } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { countMarkedHours, type HourCounting } from "#counting/hourly.store.ts";
import { packHours } from "#counting/pack-hours.store.ts";
import { countMarkedTraces, findUncountedProjects, repriceTraces } from "#counting/count-traces.store.ts";

/** Steps of each project in one run. */
const MAX_ROUNDS = 20;

type Options = {
  readonly query: Query;
  readonly log: Logger;
  readonly clock?: Clock;
};

/** Each tells false when there was nothing to do, and ends soon when the signal is aborted. */
export type Counting = Readonly<Record<"countHours" | "packHours" | "countTraces", (signal: AbortSignal) => Promise<false | undefined>>>;

/** Counts what was written since: hours' figures and the list's entries, and packs those of hours. */
export function createCounting({ query, log, clock = systemClock }: Options): Counting {
  const each = (name: string) => createEachOwner({ log, name, clock });
  const eachCounted = each("counting the traces of a project");
  const eachPacked = each("packing an hour of a project's traces");
  const hours: HourCounting = {
    clock,
    eachProject: each("counting the hours of a project"),
    onSetAside: ({ projectId, day, hour }, { failures, next_try_at: nextTryAt, error_code: sqlState }) =>
      log.warn(
        { project: projectId, day, hour, failures, nextTryAt, sqlState },
        "an hour of a project can't be counted: it is missing in its figures until a later try",
      ),
  };

  /** All projects take turns, a step each, so that one whose steps take long holds up the others by no more than one. */
  async function countTraces(signal: AbortSignal): Promise<false | undefined> {
    const projects = await findUncountedProjects(query);
    let waiting = projects;
    for (let round = 0; round < MAX_ROUNDS && waiting.length > 0; round += 1) {
      const unfinished: string[] = [];
      await eachCounted(waiting, {
        idOf: (projectId) => projectId,
        work: async (projectId) => {
          const areMarked = await countMarkedTraces(query, projectId);
          if ((await repriceTraces(query, projectId)) || areMarked) {
            unfinished.push(projectId);
          }
        },
        signal,
      });
      waiting = unfinished;
    }
    return projects.length === 0 ? false : undefined;
  }

  return {
    countHours: (signal) => inRounds(() => countMarkedHours(query, hours, signal), signal),
    packHours: (signal) => inRounds(() => packHours(query, { each: eachPacked, signal }), signal),
    countTraces,
  };
}
