import { createTestDatabase, type TestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { StreamEvent } from "#events/event.ts";
import type { ObservabilitySchema } from "#schema.ts";

import { agentRun, createProducer } from "#testing/agent-run.ts";
import { clearTables, tablesOf } from "#testing/consumer-rig.ts";
import { randomOf, shuffled } from "@sightline/foundation/testing/random";
import { writeEvents } from "#testing/write-events.ts";
import { toRows } from "./event-rows.ts";
import { toInstant } from "#ingest/writing/instant.ts";
import { toMultirange } from "./multirange.ts";

let database: TestDatabase<ObservabilitySchema>;
const projectId = uuidv7();

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(() => clearTables(database));
afterAll(() => database.drop());

describe("the rows that events write", () => {
  const events = manyEvents();

  test.each(Array.from({ length: 15 }, (_, seed) => seed))(
    "are the same however events are shuffled, repeated and cut into batches (%i)",
    async (seed) => {
      await writeInBatches([events]);
      const expected = await tablesOf(database);
      await clearTables(database);

      const random = randomOf(seed);
      const repeated = [...events, ...events.filter(() => random() < 0.3)];
      await writeInBatches(cut(shuffled(repeated, random), random));

      expect(await tablesOf(database)).toEqual(expected);
    },
  );

  test("are the same when two writers write the same events at once", needsRealPostgres, async () => {
    await writeInBatches([events]);
    const expected = await tablesOf(database);
    await clearTables(database);

    await Promise.all([0, 1, 2, 3].map((seed) => writeInBatches(cut(events, randomOf(seed)))));

    expect(await tablesOf(database)).toEqual(expected);
  });

  test("keep a trace without its start, and take the start in when it comes", async () => {
    const [start, ...others] = agentRun(createProducer(projectId));
    await writeInBatches([others]);
    const before = await database.query.selectFrom("observability.traces").selectAll().executeTakeFirstOrThrow();
    expect(before).toMatchObject({ name: null, started_at: null, status: "success" });
    expect(before.sort_at).toEqual(before.seen_at);

    await writeInBatches([start === undefined ? [] : [start]]);
    const after = await database.query.selectFrom("observability.traces").selectAll().executeTakeFirstOrThrow();
    expect(after).toMatchObject({ name: "support-agent", status: "success", sort_at: new Date("2026-11-21T10:00:00.000Z") });
  });

  test("of one project are never touched by another project's producer that uses the same ids", async () => {
    const traceId = uuidv7();
    await writeInBatches([agentRun(createProducer(projectId), traceId, "mine")]);
    await writeInBatches([agentRun(createProducer(uuidv7()), traceId, "theirs")]);
    const rows = await database.query.selectFrom("observability.traces").select(["project_id", "name"]).execute();
    expect(rows.find((row) => row.project_id === projectId)?.name).toBe("mine");
    expect(rows).toHaveLength(2);
  });

  test("treat ids in upper case as the ids they are", async () => {
    const [start, ...others] = agentRun(createProducer(projectId));
    const shouted =
      start?.type === "trace.start" ? { ...start, body: { ...start.body, trace_id: start.body.trace_id.toUpperCase() } } : undefined;
    await writeInBatches([shouted === undefined ? others : [...others, shouted]]);
    expect(await database.query.selectFrom("observability.traces").select("name").execute()).toEqual([{ name: "support-agent" }]);
  });

  test("keep the order of keys that the application sent", async () => {
    const producer = createProducer(projectId);
    const input = { zebra: 1, apple: { second: 1, first: 2 } };
    await writeInBatches([[producer.event("trace.start", { trace_id: uuidv7(), name: "t", started_at: "2026-11-21T10:00:00Z", input })]]);
    const { rows } = await database.pool.query<{ text: string }>("select value::text as text from observability.payloads");
    expect(rows).toEqual([{ text: JSON.stringify(input) }]);
  });
});

test("a timestamp is brought to microseconds, so that texts order as times do", () => {
  expect(["2026-11-21T10:00Z", "2026-11-21T10:00:03Z", "2026-11-21T10:00:03.5Z", "2026-11-21T10:00:03.123456789Z"].map(toInstant)).toEqual([
    "2026-11-21T10:00:00.000000Z",
    "2026-11-21T10:00:03.000000Z",
    "2026-11-21T10:00:03.500000Z",
    "2026-11-21T10:00:03.123456Z",
  ]);
});

test("numbers become ranges", () => {
  expect(toMultirange([4, 1, 2, 2, 9, 5])).toBe("{[1,3),[4,6),[9,10)}");
});

/** Runs that overlap, two starts and two ends for one observation, and every other kind of event. */
function manyEvents(): readonly StreamEvent[] {
  const producers = [createProducer(projectId), createProducer(projectId)] as const;
  const [first, second] = producers;
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  const contested = producers.flatMap((producer, index) => [
    producer.event("observation.start", { ...ids, parent_id: null, kind: "node", name: `n${index}`, started_at: "2026-11-21T10:00:01Z" }),
    producer.event("observation.end", {
      ...ids,
      ended_at: "2026-11-21T10:00:02Z",
      duration_ms: index,
      status: "success",
      error: `e${index}`,
    }),
    producer.event("observation.start", {
      ...ids,
      parent_id: null,
      kind: "span",
      name: `again${index}`,
      started_at: "2026-11-21T10:00:03Z",
    }),
  ]);
  return [
    first.event("producer.hello", { sdk: "test", runtime: "node", host: "h", pid: 1 }),
    first.event("graph", { graph_hash: "h1", name: "g", nodes: ["a"], edges: [] }),
    ...agentRun(first),
    ...agentRun(second),
    ...contested,
    second.event("blob", { sha256: "00", content: { text: "hello" } }),
    first.event("producer.heartbeat", { last_seq: 10, dropped: { buffer_full: 1 } }),
    first.event("producer.heartbeat", { last_seq: 12, dropped: { buffer_full: 2 } }),
    first.event("producer.bye", { last_seq: 15 }),
  ];
}

async function writeInBatches(batches: readonly (readonly StreamEvent[])[]): Promise<void> {
  for (const batch of batches) {
    await writeEvents(database, batch);
  }
}

function cut(events: readonly StreamEvent[], random: () => number): StreamEvent[][] {
  const batches: StreamEvent[][] = [[]];
  for (const event of events) {
    if (random() < 0.2) {
      batches.push([]);
    }
    batches.at(-1)?.push(event);
  }
  return batches;
}

test("a report of a number that a producer cannot have given counts nothing as lost", () => {
  const producer = createProducer(uuidv7());
  const report = (lastSeq: number) => toRows([producer.event("producer.heartbeat", { last_seq: lastSeq })]).producers[0]?.announced_seq;
  expect(report(Number.MAX_SAFE_INTEGER)).toBe(1);
  expect(report(500)).toBe(500);
});
