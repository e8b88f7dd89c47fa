import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { z } from "zod";
import type { Api } from "./api.ts";
import { codeIndex, encoded } from "./calls.ts";
import { readAllPages, pageByPage } from "./queries.ts";
import { createQueryClient } from "./query-client.ts";
import type { Call } from "./send.ts";

const answer = z.object({ items: z.array(z.string()), next_cursor: z.string().nullable() });
const call = codeIndex.get("/list", { query: { status: "queued" }, answer });

function twoPages() {
  const asked: Call<unknown>["query"][] = [];
  const api: Pick<Api, "request"> = {
    async request({ query, answer: schema }) {
      asked.push(query);
      return schema.parse(query?.["cursor"] === undefined ? { items: ["a"], next_cursor: "2" } : { items: ["b"], next_cursor: null });
    },
  };
  return { queries: createQueryClient(api), asked };
}

it("a short list is asked for whole, with its query on every page", async () => {
  const { queries, asked } = twoPages();
  expect(await queries.fetchQuery({ queryKey: ["list"], queryFn: readAllPages(call) })).toEqual(["a", "b"]);
  expect(asked).toEqual([
    { status: "queued", cursor: undefined, limit: 200 },
    { status: "queued", cursor: "2", limit: 200 },
  ]);
});

it("a long list is asked for page by page", async () => {
  const { queries, asked } = twoPages();
  const { pages } = await queries.fetchInfiniteQuery({ ...pageByPage(["list"], call), pages: 2 });
  expect(pages.map(({ items }) => items)).toEqual([["a"], ["b"]]);
  expect(asked).toHaveLength(2);
});

it("a client that knows no API can't be asked", async () => {
  await expect(new QueryClient().fetchQuery({ queryKey: ["list"], queryFn: readAllPages(call), retry: false })).rejects.toThrow(
    "createQueryClient",
  );
});

it("what stands in a path is encoded", () => {
  expect(encoded`/repos/${"a/b"}/refs/${"é?"}`).toBe("/repos/a%2Fb/refs/%C3%A9%3F");
});
