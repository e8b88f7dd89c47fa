import { traceGroupPageSchema } from "@sightline/observability/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";

export type GroupKind = "sessions" | "users";
export const GROUP_SORTS = ["last", "traces", "failures", "tokens", "cost"] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];
export type AskedGroups = { readonly kind: GroupKind; readonly sort: GroupSort; readonly prefix: string };

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;

/** A project's sessions or users, and what their traces are together; refreshed as long as only the first page is shown. */
export function traceGroupsQuery(projectId: string, { kind, sort, prefix }: AskedGroups) {
  const query = { sort, prefix, limit: PAGE_SIZE };
  const call = observability.get(encoded`/api/v1/projects/${projectId}/${kind}`, { query, answer: traceGroupPageSchema });
  return infiniteQueryOptions({
    ...pageByPage(["trace groups", projectId, kind, sort, prefix], call),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? REFRESH_MS : false),
  });
}
