import { type QueryFunctionContext, type QueryKey, infiniteQueryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { Api } from "./api.ts";
import type { Call } from "./send.ts";

declare module "@tanstack/react-query" {
  interface Register {
    /** `createQueryClient` gives it to every query, so that pages and routes say what they ask and not by whom. */
    queryMeta: { readonly api?: Pick<Api, "request"> };
  }
}

type Context = Pick<QueryFunctionContext, "meta" | "signal">;

/** Sends a call from within a query. */
export async function ask<Answer>({ meta, signal }: Context, call: Call<Answer>): Promise<Answer> {
  if (meta?.api === undefined) {
    throw new Error("A query was asked by a client that createQueryClient did not make");
  }
  return meta.api.request({ ...call, signal });
}

/** The `queryFn` of a query that is one call. */
export function answerTo<Answer>(call: Call<Answer>) {
  return (context: Context) => ask(context, call);
}

type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

/** The most that the APIs give at once. */
const PAGE_SIZE = 200;
const MAX_PAGES = 50;

/** The items of every page of a list that is short by nature. */
export async function askForAll<Item>(context: Context, call: Call<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let page = 0, cursor: string | null | undefined; page < MAX_PAGES && cursor !== null; page += 1) {
    const answer: Page<Item> = await ask(context, { ...call, query: { ...call.query, cursor, limit: PAGE_SIZE } });
    items.push(...answer.items);
    cursor = answer.next_cursor;
  }
  return items;
}

/** A `queryFn` that reads all pages. */
export function readAllPages<Item>(call: Call<Page<Item>>) {
  return (context: Context) => askForAll(context, call);
}

/** A list that comes page by page, as far as somebody reads. */
export function pageByPage<Answer extends { readonly next_cursor: string | null }, Key extends QueryKey>(
  queryKey: Key,
  call: Call<Answer>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, ...context }) => ask(context, { ...call, query: { ...call.query, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** A list's answer, of which only the items are read. */
export function onlyItems<Item>(schema: z.ZodType<{ readonly items: readonly Item[] }>) {
  return schema.transform(({ items }) => items);
}
