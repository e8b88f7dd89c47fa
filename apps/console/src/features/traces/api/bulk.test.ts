import { parseTraceQuery } from "@sightline/observability/contract";
import { expect, test } from "vitest";
import type { Call } from "#http/send.ts";
import { readBatches } from "./bulk.ts";

const PROJECT = "01a21601-7733-7586-a7e9-7156b7b67b01";

/** Answers as a list of so many traces does. */
function listOf(total: number) {
  const asked: Call<unknown>["query"][] = [];
  const request = async <Answer>({ query }: Call<Answer>): Promise<Answer> => {
    asked.push(query);
    const [from, limit] = [Number(query?.["cursor"] ?? 0), Number(query?.["limit"])];
    const to = Math.min(from + limit, total);
    const items = Array.from({ length: to - from }, (_, index) => ({ id: `trace ${from + index}` }));
    return { items, next_cursor: to < total ? String(to) : null } as Answer;
  };
  return { api: { request }, asked };
}

async function read(total: number, count: number) {
  const { api, asked } = listOf(total);
  const batches: (readonly string[])[] = [];
  for await (const ids of readBatches(api, PROJECT, { q: "tag:beta", count })) {
    batches.push(ids);
  }
  return { batches, asked };
}

test("all that match are taken 200 at a time, each once, and none that began since", async () => {
  const { batches, asked } = await read(450, 450);
  expect(batches.map(({ length }) => length)).toEqual([200, 200, 50]);
  expect(new Set(batches.flat()).size).toBe(450);
  const queries = new Set(asked.map((query) => String(query?.["q"])));
  expect(queries.size).toBe(1);
  expect(parseTraceQuery([...queries].join(" "))).toMatchObject({
    errors: [],
    terms: [{ field: "tag" }, { kind: "time", field: "started" }],
  });
});

test("no more are taken than were counted, and fewer where there are fewer", async () => {
  expect((await read(1_000, 250)).batches.map(({ length }) => length)).toEqual([200, 50]);
  expect((await read(0, 250)).batches).toEqual([]);
});

test("ticked ones are one batch, and nothing is asked", async () => {
  const { api, asked } = listOf(0);
  const ids = ["one", "two"];
  const batches = readBatches(api, PROJECT, { ids, count: 2 });
  expect((await batches.next()).value).toEqual(ids);
  expect((await batches.next()).done).toBe(true);
  expect(asked).toEqual([]);
});
