import { type roleSchema, accountSchema, accountsSchema } from "@sightline/identity/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { Api } from "#http/api.ts";

export type Role = z.infer<typeof roleSchema>;

export type AccountFilter = { readonly search: string | undefined; readonly role: Role | undefined };

const PAGE_SIZE = 50;

/** The beginning of the key of every list of accounts. */
export const ACCOUNTS_KEY = ["accounts"] as const;

export function accountsQuery(api: Api, { search, role }: AccountFilter) {
  return infiniteQueryOptions({
    queryKey: [...ACCOUNTS_KEY, search, role],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "identity",
        path: "/admin/users",
        query: { search, role, cursor: pageParam, limit: PAGE_SIZE },
        answer: accountsSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function accountQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...ACCOUNTS_KEY, "one", id],
    queryFn: ({ signal }) =>
      api.request({ part: "identity", path: `/admin/users/${encodeURIComponent(id)}`, answer: accountSchema, signal }),
  });
}
