import { inRounds } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { countMarkedHours } from "#store/hourly.store.ts";
import type { DirectNodes } from "#store/nodes/direct-nodes.ts";
import { createWorkEverywhere } from "#store/nodes/work-everywhere.ts";
import { packHours } from "#store/pack-hours.store.ts";
import { countMarkedTraces, findUncountedProjects, walkTraces } from "#store/trace-entries.store.ts";

/** Steps of one project before it is another's turn. */
const STEPS_AT_ONCE = 20;

type Options = {
  readonly query: Query;
  /** Without them everything goes through the coordinator, where there is one. */
  readonly directNodes: DirectNodes | undefined;
};

/** Each tells false when there was nothing to do, and ends soon when the signal is aborted. */
export type Counting = Readonly<Record<"countHours" | "packHours" | "countTraces", (signal: AbortSignal) => Promise<false | undefined>>>;

/** Counts what was written since: hours' figures and the list's entries, and packs those of hours. On a cluster a shard at a time, on its node. */
export function createCounting(options: Options): Counting {
  const everywhere = createWorkEverywhere(options);
  return {
    countHours: (signal) => everywhere((query) => inRounds(() => countMarkedHours(query), signal)),
    packHours: (signal) => everywhere((query) => inRounds(() => packHours(query), signal)),
    countTraces: (signal) => everywhere((query) => countTraces(query, signal)),
  };
}

async function countTraces(query: Query, signal: AbortSignal): Promise<false | undefined> {
  const projects = await findUncountedProjects(query);
  for (const projectId of projects) {
    await takeSteps(() => countMarkedTraces(query, projectId), signal);
    await takeSteps(() => walkTraces(query, projectId), signal);
  }
  return projects.length === 0 ? false : undefined;
}

async function takeSteps(step: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_AT_ONCE && !signal.aborted; steps += 1) {
    if (!(await step())) {
      return;
    }
  }
}
