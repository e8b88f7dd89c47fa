import { type Step, stepPageSchema } from "@sightline/observability/contract";
import { type QueryFunctionContext, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { observability } from "#http/calls.ts";
import { ask } from "#http/queries.ts";
import type { Call } from "#http/send.ts";
import { traceUrl } from "./trace.ts";

/** Enough to fill any screen, and there at once. */
const FIRST_PAGE = 300;
const PAGE = 5_000;

export type Steps = {
  readonly items: readonly Step[];
  /** All steps of the trace, also those that are not here. */
  readonly total: number;
  /** Whether these are all that the API lists. */
  readonly complete: boolean;
  /** The trace has more steps than the API lists. */
  readonly truncated: boolean;
  /** What to ask from next time. */
  readonly revision: string;
};

/** A trace's steps, page by page: the first ones show as soon as they are there. Asked again, it asks only for what changed. */
export function stepsQuery(projectId: string, traceId: string) {
  const call = observability.get(`${traceUrl(projectId, traceId)}/steps`, { answer: stepPageSchema });
  return queryOptions({
    queryKey: ["trace steps", projectId, traceId],
    queryFn: (context) => loadSteps(context, call),
    // Comparing twenty thousand steps to find out which are the same costs more than it saves.
    structuralSharing: false,
    staleTime: Infinity,
    gcTime: 30_000,
  });
}

async function loadSteps(context: QueryFunctionContext, call: Call<z.infer<typeof stepPageSchema>>): Promise<Steps> {
  const { client, queryKey } = context;
  const load = (query: NonNullable<typeof call.query>) => ask(context, { ...call, query });
  const known = client.getQueryData<Steps>(queryKey);
  const since = known?.complete === true ? known.revision : undefined;
  let page = await load({ limit: since === undefined ? FIRST_PAGE : PAGE, after_revision: since });
  const { revision } = page;
  const items = [...page.items];
  while (page.next_cursor !== null) {
    if (known === undefined) {
      client.setQueryData<Steps>(queryKey, { items: [...items], total: page.total, complete: false, truncated: page.truncated, revision });
    }
    page = await load({ cursor: page.next_cursor, limit: PAGE, after_revision: since });
    items.push(...page.items);
  }
  const merged = since === undefined || known === undefined ? items : mergeSteps(known.items, items);
  return { items: merged, total: page.total, complete: true, truncated: page.truncated, revision };
}

/** Steps with those in their places that changed, and new ones among their siblings by their start. */
export function mergeSteps(known: readonly Step[], changed: readonly Step[]): readonly Step[] {
  if (changed.length === 0) {
    return known;
  }
  const byId = new Map(changed.map((step) => [step.id, step]));
  const kept = known.map((step) => {
    const newer = byId.get(step.id);
    byId.delete(step.id);
    return newer ?? step;
  });
  const added = [...byId.values()];
  const latest = kept.at(-1)?.started_at ?? "";
  const merged = [...kept, ...added];
  // Mostly new steps are the latest ones; one that arrived late goes where it belongs.
  return added.every(({ started_at: at }) => at >= latest)
    ? merged
    : merged.toSorted((left, right) => compare(left.started_at, right.started_at));
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
