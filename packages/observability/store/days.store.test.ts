import { createTestDatabase, type TestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { clearTables, countOf } from "#testing/consumer-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { deleteExpiredTraces, dropDay, ensureDays, listPastDays } from "./days.store.ts";
import { createHousekeeping } from "#housekeeping/housekeeping.ts";
import { insertProject } from "./projects.store.ts";
import { sweepRetention } from "#testing/in-the-background.ts";

let database: TestDatabase<ObservabilitySchema>;
let [mine, theirs] = ["", ""];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  await dropPartitions();
  await clearTables(database);
  await ensureDays(database.query);
  [mine, theirs] = [uuidv7(), uuidv7()];
  await insertProject(database.query, { id: mine, tenantId: "tenant-1", name: "mine" });
  await insertProject(database.query, { id: theirs, tenantId: "tenant-2", name: "theirs" });
});
afterAll(() => database.drop());

describe("the rows of a trace", () => {
  test("stay in the day on which its first event arrived, however late the others come", async () => {
    const [start, ...others] = agentRun(createProducer(mine));
    await writeEvents(database, others);
    await age(mine, 5);
    await writeEvents(database, start === undefined ? [] : [start, ...others]);
    expect(await countOf(database, "traces")).toBe(1);
    expect(await countOf(database, "observations")).toBe(3);
    expect(await daysOf("observations")).toEqual([5]);
    expect(await daysOf("payloads")).toEqual([5]);
  });

  test("are written though nobody has made the day's partitions", async () => {
    await dropPartitions();
    await writeEvents(database, agentRun(createProducer(mine)));
    expect(await countOf(database, "observations")).toBe(3);
  });

  test("are written by several writers at once: one that is held up does not hold up the others", needsRealPostgres, async () => {
    const events = agentRun(createProducer(mine));
    await writeEvents(database, events);
    const client = await database.pool.connect();
    try {
      await client.query("begin");
      await client.query("select from observability.producers where project_id = $1 for update", [mine]);
      const heldUp = writeEvents(
        database,
        events.filter(({ type }) => type.startsWith("observation.")),
      );
      const waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(async () => (await database.pool.query<{ count: number }>(waits)).rows[0]?.count).toBe(1);
      const other = createProducer(mine);
      const ends = events.flatMap((event) => (event.type === "trace.end" ? [{ ...other.event("trace.end", event.body), seq: 1_000 }] : []));
      await writeEvents(database, ends);
      expect((await database.pool.query("select end_seq from observability.traces")).rows).toEqual([{ end_seq: 1_000 }]);
      expect((await database.pool.query<{ count: number }>(waits)).rows[0]?.count).toBe(1);
      await client.query("commit");
      await heldUp;
    } finally {
      client.release();
    }
  });

  test("are never written without their trace", async () => {
    const statement = "insert into observability.observations (project_id, trace_id, id, seen_at) values ($1, $1, $1, now())";
    await expect(database.pool.query(statement, [mine])).rejects.toThrow(/no partition|null value/);
  });
});

describe("partitions", () => {
  test("are there from today on for three days, and made once by many processes at once", needsRealPostgres, async () => {
    await dropPartitions();
    await Promise.all(Array.from({ length: 8 }, () => ensureDays(database.query)));
    expect(await partitions("observations")).toEqual([0, -1, -2, -3]);
    expect(await partitions("payloads")).toEqual([0, -1, -2, -3]);
  });

  test("are dropped when every project has let their day go, and only the rows of those that have before", async () => {
    await writeEvents(database, [...agentRun(createProducer(mine)), ...agentRun(createProducer(theirs))]);
    await age(mine, 10);
    await age(theirs, 10);
    await keep(mine, 7);
    await sweepRetention(database.query);
    expect(await projectsIn("observations")).toEqual([theirs]);
    expect(await projectsIn("payloads")).toEqual([theirs]);
    expect(await projectsIn("traces")).toEqual([theirs]);
    expect(await projectsIn("scores")).toEqual([theirs]);
    expect(await partitions("observations")).toContain(10);
    await keep(theirs, 9);
    expect(await sweepRetention(database.query)).toEqual({ traces: 1, days: 1 });
    expect(await partitions("observations")).toEqual([0, -1, -2, -3]);
    expect(await partitions("payloads")).toEqual([0, -1, -2, -3]);
  });

  test("are kept for projects that keep their traces without end, and to the last day of the others", async () => {
    await writeEvents(database, [...agentRun(createProducer(mine)), ...agentRun(createProducer(theirs))]);
    await age(mine, 30);
    await age(theirs, 400);
    await keep(mine, 30);
    expect(await sweepRetention(database.query)).toEqual({ traces: 0, days: 0 });
    expect(await countOf(database, "observations")).toBe(6);
  });

  test("of a trace that is over make no way for a late event: it begins a new trace of today", async () => {
    const events = agentRun(createProducer(mine));
    await writeEvents(database, events);
    await age(mine, 10);
    await keep(mine, 7);
    const [day = ""] = await listPastDays(database.query);
    expect(await deleteExpiredTraces(database.query, { projectId: mine, day, isDayOver: true, atOnce: 100 })).toBe(1);
    await writeEvents(database, events.slice(-3));
    expect(await dropDay(database.query, day)).toBe(true);
    expect(await daysOf("traces")).toEqual([0]);
    expect(await daysOf("observations")).toEqual([0]);
  });

  test("are dropped once by replicas that sweep while events arrive, and no event goes missing", needsRealPostgres, async () => {
    await writeEvents(database, agentRun(createProducer(mine)));
    await age(mine, 10);
    await keep(mine, 7);
    const late = Array.from({ length: 20 }, () => agentRun(createProducer(mine)));
    const [swept] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => sweepRetention(database.query))),
      ...late.map((events) => writeEvents(database, events)),
    ]);
    expect(swept.reduce((sum, { days }) => sum + days, 0)).toBe(1);
    expect(swept.reduce((sum, { traces }) => sum + traces, 0)).toBe(1);
    expect(await countOf(database, "observations")).toBe(60);
  });

  test("wait for a reader that keeps them open no longer than a moment, and are dropped at the next sweep", needsRealPostgres, async () => {
    await writeEvents(database, agentRun(createProducer(mine)));
    await age(mine, 10);
    await keep(mine, 7);
    const reader = await database.pool.connect();
    try {
      await reader.query("begin");
      await reader.query("select count(*) from observability.observations");
      expect(await sweepRetention(database.query)).toEqual({ traces: 1, days: 0 });
    } finally {
      await reader.query("rollback");
      reader.release();
    }
    expect(await sweepRetention(database.query)).toMatchObject({ days: 1 });
  });
});

test("what belongs to no trace goes by the time it was last of use, a day after the traces of its time", async () => {
  const records = async () => [await countOf(database, "producers"), await countOf(database, "dead_letters")];
  for (const projectId of [mine, theirs]) {
    await writeEvents(database, agentRun(createProducer(projectId)));
    await database.pool.query(
      "insert into observability.dead_letters (id, stream, entry_id, project_id, reason, entry) values (gen_random_uuid(), 's', gen_random_uuid()::text, $1, 'r', '[]')",
      [projectId],
    );
  }
  await keep(mine, 7);
  await sweepRetention(database.query);
  expect(await records()).toEqual([2, 2]);
  await database.pool.query("update observability.producers set heard_at = now() - interval '9 days'");
  await database.pool.query("update observability.dead_letters set created_at = now() - interval '9 days'");
  await sweepRetention(database.query);
  expect(await records()).toEqual([1, 1]);
});

test("contents are released by the traces that go, and kept by those that stay", async () => {
  const sha256 = "a".repeat(64);
  for (const projectId of [mine, theirs]) {
    const producer = createProducer(projectId);
    const start = { trace_id: uuidv7(), name: "chat", started_at: new Date().toISOString(), input: { $blob: sha256 } };
    await writeEvents(database, [producer.event("blob", { sha256, content: "x" }), producer.event("trace.start", start)]);
  }
  await age(mine, 10);
  await age(theirs, 10);
  await keep(mine, 7);
  await sweepRetention(database.query);
  expect(await projectsIn("blob_references")).toEqual([theirs]);
  expect(await projectsIn("released_blobs")).toEqual([mine]);
  await keep(theirs, 9);
  expect(await sweepRetention(database.query)).toEqual({ traces: 1, days: 1 });
  expect((await projectsIn("released_blobs")).toSorted()).toEqual([mine, theirs].toSorted());
});

test("housekeeping makes days ahead and lets old ones go, in every process that has a database", async () => {
  await dropPartitions();
  await writeEvents(database, agentRun(createProducer(mine)));
  await age(mine, 10);
  await keep(mine, 7);
  const housekeeping = createHousekeeping({ query: database.query, log: silentLog });
  housekeeping.start();
  await vi.waitFor(async () => expect(await partitions("observations")).toEqual([0, -1, -2, -3]));
  await housekeeping.stop();
});

/** As if the project's traces had arrived so many days ago. */
async function age(projectId: string, days: number): Promise<void> {
  const { rows } = await database.pool.query<{ day: string; suffix: string }>(
    "select to_char(day, 'YYYY-MM-DD') as day, to_char(day, 'YYYYMMDD') as suffix from (select (now() at time zone 'UTC')::date - $1::int as day) as past",
    [days],
  );
  const { day, suffix } = rows[0] ?? { day: "", suffix: "" };
  for (const table of ["observations", "payloads"]) {
    await database.pool.query(
      `create table if not exists observability.${table}_${suffix} partition of observability.${table} for values in ('${day}')`,
    );
    await database.pool.query(`update observability.${table} set day = $2 where project_id = $1`, [projectId, day]);
  }
  await database.pool.query("update observability.traces set day = $2 where project_id = $1", [projectId, day]);
}

async function keep(projectId: string, days: number): Promise<void> {
  await database.pool.query("update observability.projects set retention_days = $2 where id = $1", [projectId, days]);
}

async function dropPartitions(): Promise<void> {
  const { rows } = await database.pool.query<{ tables: string }>(
    "select string_agg(inhrelid::regclass::text, ', ') as tables from pg_inherits where inhparent in ('observability.observations'::regclass, 'observability.payloads'::regclass)",
  );
  await database.pool.query(`drop table if exists ${rows[0]?.tables ?? "nothing"}`);
}

async function projectsIn(table: string): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ project_id: string }>(`select distinct project_id from observability.${table}`);
  return rows.map((row) => row.project_id);
}

/** How many days ago. */
async function daysOf(table: string): Promise<readonly number[]> {
  const { rows } = await database.pool.query<{ ago: number }>(
    `select distinct (now() at time zone 'UTC')::date - day as ago from observability.${table} order by ago desc`,
  );
  return rows.map(({ ago }) => ago);
}

async function partitions(table: string): Promise<readonly number[]> {
  const { rows } = await database.pool.query<{ ago: number }>(
    `select (now() at time zone 'UTC')::date - to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD') as ago
    from pg_inherits join pg_class on oid = inhrelid where inhparent = 'observability.${table}'::regclass and relkind = 'r' order by ago desc`,
  );
  return rows.map(({ ago }) => ago);
}
