import { orRefuse } from "@sightline/foundation/errors";
import type { Step } from "#contract.ts";
import type { Run } from "#query/steps/find-run.store.ts";
import { createStepList } from "#query/steps/list-steps.ts";
import { countLostEventsOfTrace } from "#query/steps/lost-events.store.ts";
import { findTrace, type TraceSummaryRow } from "#query/steps/traces.store.ts";
import { listVisibleProjects } from "./visible-projects.store.ts";
import { traceUnknown } from "./tools.errors.ts";
import type { Reading } from "./trace-tool.ts";

export type LoadedTrace = {
  readonly row: TraceSummaryRow;
  readonly project: string;
  /** Parents before their children, siblings by their start. */
  readonly steps: readonly Step[];
  /** Steps that were not read, because there are so many. */
  readonly unread: number;
  readonly lostEvents: number;
};

const PAGE = 5_000;
/** Steps read of one trace. */
const STEPS = 20_000;

/** @throws {AppError} `trace_not_found` also for a trace that the reader may not see. */
export async function loadTrace({ query, reader, now }: Reading, traceId: string): Promise<LoadedTrace> {
  const row = orRefuse(await findTrace(query, { reader, traceId }), traceUnknown);
  const { steps, total } = await readSteps({ query, now }, row.run);
  const lostEvents = await countLostEventsOfTrace(query, row.run);
  const projects = await listVisibleProjects(query, reader);
  return {
    row,
    project: projects.find(({ id }) => id === row.project_id)?.name ?? row.project_id,
    steps,
    unread: Math.max(total - steps.length, 0),
    lostEvents,
  };
}

/** The first {@link STEPS} steps of a trace, and how many there are. */
export async function readSteps({ query, now }: Pick<Reading, "query" | "now">, run: Run) {
  const listSteps = createStepList({ query, clock: { now: () => now } });
  const steps: Step[] = [];
  let [cursor, total]: [string | undefined, number] = [undefined, 0];
  do {
    const page = await listSteps(run, { cursor, limit: PAGE, afterRevision: undefined });
    steps.push(...page.items);
    [cursor, total] = [page.next_cursor ?? undefined, page.total];
  } while (cursor !== undefined && steps.length < STEPS);
  return { steps, total };
}
