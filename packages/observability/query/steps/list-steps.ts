import type { Clock } from "@sightline/foundation/clock";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { Step, StepPage } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import type { Run } from "./find-run.store.ts";
import { findListedSteps, findSkeleton } from "./steps.store.ts";
import { takeWhileLight } from "./answer-size.ts";
import { staleCursor } from "#query/access/not-found.errors.ts";
import { orderSteps, type PlacedStep } from "./order-steps.ts";
import { presentStep } from "./present-step.ts";
import { isSince, parseRevision, readSeen, widenVersion, writeRevision, type Revision } from "./revision.ts";
import { createUsualDurations } from "./usual-durations.ts";

type StepsQuery = { readonly cursor: string | undefined; readonly limit: number; readonly afterRevision: string | undefined };

const placeSchema = z.tuple([z.uuid(), z.uuid()]);
/** Bytes of a page's steps. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** What takes no longer is never stalled. */
const STALLED_MIN_MS = 1_000;

/** Pages of a trace's steps. The order is made of all of them each time, so that whichever replica is asked, and whatever came meanwhile, it holds. */
export function createStepList({ query, clock }: { readonly query: Kysely<ObservabilitySchema>; readonly clock: Clock }) {
  const findUsualDurations = createUsualDurations({ query, clock });

  async function present(run: Run, placed: readonly PlacedStep[]): Promise<readonly Step[]> {
    const now = clock.now().getTime();
    const ids = placed.map(({ row }) => row.id);
    const rows = new Map((await findListedSteps(query, run, ids)).map((row) => [keyOf(row), row]));
    const shown = placed.flatMap((place) => {
      const row = rows.get(keyOf(place.row));
      return row === undefined ? [] : [{ place, row, step: presentStep(row) }];
    });
    const runsFor = ({ step }: (typeof shown)[number]) => (step.status === "running" ? now - Date.parse(step.started_at) : 0);
    const long = shown.filter((each) => runsFor(each) > STALLED_MIN_MS);
    const usual = await findUsualDurations(
      run.projectId,
      long.map(({ step }) => step),
    );
    return shown.map((each) => ({
      ...each.step,
      graph_node: each.place.graphNode,
      graph_step: each.place.graphNode === null ? null : each.place.row.step,
      run_id: each.row.trace_id,
      is_stalled: runsFor(each) > Math.max(STALLED_MIN_MS, usual(each.step) ?? Infinity),
      clock_skew_ms: each.place.clockSkewMs,
    }));
  }

  return async (run: Run, { cursor, limit, afterRevision }: StepsQuery): Promise<StepPage> => {
    const place = cursor === undefined ? undefined : fromCursor(cursor, placeSchema);
    const skeleton = await findSkeleton(query, run);
    const { snapshot, revision } = readSeen(skeleton);
    const ordered = orderSteps(run, skeleton.rows);
    const from = place === undefined ? 0 : ordered.findIndex(({ row }) => row.trace_id === place[0] && row.id === place[1]) + 1;
    if (place !== undefined && from === 0) {
      throw staleCursor();
    }
    const after = afterRevision === undefined ? undefined : parseRevision(afterRevision, snapshot);
    const rest = after === undefined ? ordered.slice(from) : ordered.slice(from).filter((step) => mayDiffer(step, after, snapshot));
    const asked = rest.slice(0, limit);
    const steps = await present(run, asked);
    const items = takeWhileLight(steps, PAGE_BYTES);
    const last = items.at(-1);
    const isLast = items.length === steps.length && asked.length === rest.length;
    return {
      items: [...items],
      total: skeleton.total,
      next_cursor: isLast || last === undefined ? null : toCursor([last.run_id, last.id]),
      revision: writeRevision(revision),
      truncated: skeleton.total > skeleton.rows.length,
    };
  };
}

/** What runs may have been abandoned or become stalled without being written; how far a step is off depends on its parent too. */
function mayDiffer({ row, parent }: PlacedStep, since: Revision, snapshot: Revision): boolean {
  const isWritten = ({ version }: { readonly version: number }) => isSince(since, widenVersion(version, snapshot));
  return row.end_status === null || isWritten(row) || (parent !== undefined && isWritten(parent));
}

function keyOf({ trace_id: traceId, id }: { readonly trace_id: string; readonly id: string }): string {
  return `${traceId} ${id}`;
}
