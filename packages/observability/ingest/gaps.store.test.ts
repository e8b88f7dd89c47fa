import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { createTestDatabase, type TestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { settleGaps } from "./gaps.store.ts";
import { countLostEvents } from "#query/steps/lost-events.store.ts";
import { writeBatch } from "#ingest/writing/write-batch.store.ts";

const HOUR = 3_600_000;
const at = "2026-11-21T10:00:00.000000Z";
const nothing = {
  traces: [],
  observations: [],
  payloads: [],
  blobs: [],
  blobReferences: [],
  releasedBlobs: [],
  graphs: [],
  scores: [],
  deadLetters: [],
  producers: [],
};

let database: TestDatabase<ObservabilitySchema>;
let projectId: string;
let producerId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  await database.pool.query("truncate observability.producers, observability.ingest_gaps");
  [projectId, producerId] = [uuidv7(), uuidv7()];
});
afterAll(() => database.drop());

test("numbers that are missing for the whole reorder window are gaps, in exact ranges", async () => {
  await arrive("{[3,5),[6,8),[10,11)}");
  expect(await settle()).toBe(0);
  expect(await settle()).toBe(5);
  expect(await gaps()).toEqual([
    [1, 2],
    [5, 5],
    [8, 9],
  ]);
});

test("a producer that leaves every other number out keeps nobody's gaps from being found", async () => {
  await arrive(`{${Array.from({ length: 20_000 }, (_, index) => `[${2 * index + 2},${2 * index + 3})`).join(",")}}`);
  await settle();
  expect(await settle()).toBe(20_000);
  await arrive("{[3,4),[40004,40005)}");
  await settle();
  expect(await settle()).toBe(3);
  expect((await gaps()).slice(0, 2)).toEqual([
    [1, 1],
    [5, 5],
  ]);
}, 30_000);

test("rounds of one moment check every producer once, however many there are", async () => {
  await database.pool.query(
    `insert into observability.producers (project_id, producer_id, first_event_at, last_event_at, seen)
    select $1, gen_random_uuid(), $2, $2, '{[2,3)}' from generate_series(1, 450)`,
    [projectId, at],
  );
  for (let isMore = true; isMore;) {
    ({ isMore } = await settleGaps(database.query, { each: eachOwnerUnderTest(), windowMs: 0, now: new Date(at) }));
  }
  const [now, rounds] = [new Date(), [] as number[]];
  for (let isMore = true; isMore;) {
    const settled = await settleGaps(database.query, { each: eachOwnerUnderTest(), windowMs: 0, now });
    rounds.push(settled.lost);
    ({ isMore } = settled);
  }
  expect(rounds).toEqual([200, 200, 50]);
});

test("nothing is a gap before the window has passed", async () => {
  await arrive("{[2,3)}");
  expect(await settle(HOUR)).toBe(0);
  expect(await settle(HOUR)).toBe(0);
  expect(await gaps()).toEqual([]);
});

test("a hole that is younger than the window is not counted because an older one is", async () => {
  await arrive("{[1,2),[3,4)}");
  await settle();
  await arrive("{[5,6)}");
  expect(await settle()).toBe(1);
  expect(await gaps()).toEqual([[2, 2]]);
  expect(await settle()).toBe(1);
  expect(await gaps()).toEqual([
    [2, 2],
    [4, 4],
  ]);
});

test("a hole that opens right after a check waits for its own window, not for that of an older one too", async () => {
  const after = (seconds: number) => settle(90_000, new Date(Date.parse(at) + seconds * 1000));
  await arrive("{[1,2),[3,4)}");
  expect(await after(0)).toBe(0);
  await arrive("{[5,6)}");
  expect([await after(5), await after(85)]).toEqual([0, 0]);
  expect([await after(90), await gaps()]).toEqual([1, [[2, 2]]]);
  expect([await after(94), await after(95)]).toEqual([0, 1]);
});

test("events that only came late take the gap away, the middle of one splits it", async () => {
  await arrive("{[1,2),[10,11)}");
  await settle();
  await settle();
  await arrive("{[4,6)}");
  expect(await settle()).toBe(0);
  expect(await gaps()).toEqual([
    [2, 3],
    [6, 9],
  ]);
  await arrive("{[2,10)}");
  await settle();
  expect(await gaps()).toEqual([]);
});

test("events that the producer says it has sent are missed although none came after them", async () => {
  await arrive("{[1,4)}", 9);
  await settle();
  expect(await settle()).toBe(6);
  await arrive("{[4,5)}", 12);
  await settle();
  await settle();
  expect(await gaps()).toEqual([[5, 12]]);
});

test("two replicas that look at once count every loss once", needsRealPostgres, async () => {
  await arrive("{[1,2),[11,12)}");
  await settle();
  const found = await Promise.all([settle(), settle(), settle()]);
  expect(found.reduce((sum, count) => sum + count, 0)).toBe(9);
});

test("a gap counts for the traces it lies in, and for those whose start or end is missing beside it; once for a trace of several runs", async () => {
  const [inside, before, after, unfinished, headless] = [uuidv7(), uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  await writeBatch(database.query, {
    ...nothing,
    traces: [
      trace(inside, 1, 20),
      trace(before, 2, 4),
      trace(after, 15, 16),
      trace(unfinished, 3, undefined),
      trace(headless, undefined, 17),
    ].toSorted((left, right) => (left.id < right.id ? -1 : 1)),
  });
  await arrive("{[1,5),[8,21)}");
  await settle();
  await settle();
  const alone = [inside, before, after, unfinished, headless].map((id) => ({ id, runs: [id] }));
  expect(await countLostEvents(database.query, projectId, alone)).toEqual(
    new Map([
      [inside, 3],
      [unfinished, 3],
      [headless, 3],
    ]),
  );
  const resumed = uuidv7();
  const traces = [
    { id: resumed, runs: [unfinished, headless] },
    { id: inside, runs: [before, inside] },
  ];
  expect(await countLostEvents(database.query, projectId, traces)).toEqual(
    new Map([
      [resumed, 3],
      [inside, 3],
    ]),
  );
});

async function settle(windowMs = 0, now = new Date()): Promise<number> {
  return (await settleGaps(database.query, { each: eachOwnerUnderTest(), windowMs, now })).lost;
}

async function arrive(seen: string, announced?: number): Promise<void> {
  const row = { project_id: projectId, producer_id: producerId, first_event_at: at, last_event_at: at, seen, announced_seq: announced };
  await writeBatch(database.query, { ...nothing, producers: [row] });
}

function trace(id: string, start: number | undefined, end: number | undefined) {
  return {
    project_id: projectId,
    id,
    seen_at: at,
    ...(start === undefined ? {} : { start_event: uuidv7(), start_producer: producerId, start_seq: start, name: "t", started_at: at }),
    ...(end === undefined ? {} : { end_event: uuidv7(), end_producer: producerId, end_seq: end, ended_at: at, end_status: "success" }),
  };
}

async function gaps(): Promise<readonly (readonly [number, number])[]> {
  const rows = await database.query
    .selectFrom("observability.ingest_gaps")
    .select(["first_seq", "last_seq"])
    .where("producer_id", "=", producerId)
    .orderBy("first_seq")
    .execute();
  return rows.map((row) => [row.first_seq, row.last_seq] as const);
}
