import { type Step, stepPageSchema } from "@sightline/observability/contract";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

/** Enough to fill any screen, and there at once. */
const FIRST_PAGE = 300;
const PAGE = 5_000;

export type Steps = {
  readonly items: readonly Step[];
  /** Of the whole trace. */
  readonly total: number;
  /** Whether these are all that the API lists. */
  readonly complete: boolean;
  /** The trace has more steps than the API lists. */
  readonly truncated: boolean;
  /** What to ask from next time. */
  readonly revision: string;
};

/** A trace's steps, page by page: the first ones show as soon as they are there. Asked again, it asks only for what changed. */
export function stepsQuery(api: Api, projectId: string, traceId: string) {
  const queryKey = ["trace steps", projectId, traceId] as const;
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) => loadSteps({ api, client, projectId, traceId, queryKey, signal }),
    // Comparing twenty thousand steps to find out which are the same costs more than it saves.
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });
}

async function loadSteps({
  api,
  client,
  projectId,
  traceId,
  queryKey,
  signal,
}: {
  readonly api: Api;
  readonly client: QueryClient;
  readonly projectId: string;
  readonly traceId: string;
  readonly queryKey: readonly string[];
  readonly signal: AbortSignal;
}): Promise<Steps> {
  const load = (query: { readonly cursor?: string | undefined; readonly limit: number; readonly after_revision?: string }) =>
    api.request({
      part: "observability",
      path: `/api/v1/projects/${encodeURIComponent(projectId)}/traces/${encodeURIComponent(traceId)}/steps`,
      query,
      answer: stepPageSchema,
      signal,
    });
  const known = client.getQueryData<Steps>(queryKey);
  const since = known?.complete === true ? known.revision : undefined;
  let page = await load(since === undefined ? { limit: FIRST_PAGE } : { limit: PAGE, after_revision: since });
  const { revision } = page;
  const items = [...page.items];
  while (page.next_cursor !== null) {
    if (known === undefined) {
      client.setQueryData<Steps>(queryKey, { items: [...items], total: page.total, complete: false, truncated: page.truncated, revision });
    }
    page = await load({ cursor: page.next_cursor, limit: PAGE, ...(since === undefined ? {} : { after_revision: since }) });
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
