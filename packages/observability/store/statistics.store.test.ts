import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { selectBeginning, selectSegments } from "./segments.ts";
import { analyzeGrownTables } from "./statistics.store.ts";
import { countMarkedTraces } from "#counting/count-traces.store.ts";

let database: TestDatabase<ObservabilitySchema>;
const projectId = uuidv7();

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  await database.pool.query("alter table observability.traces set (autovacuum_enabled = off)");
});
afterAll(() => database.drop());

test("a table is looked at when it has become twice as large, and not before", async () => {
  expect(await analyzeGrownTables(database.query)).not.toContain("traces");
  await addTraces(3_000, "first");
  expect(await analyzeGrownTables(database.query)).toContain("traces");
  expect(await analyzeGrownTables(database.query)).not.toContain("traces");
  await addTraces(1_000, "second");
  expect(await analyzeGrownTables(database.query)).not.toContain("traces");
  await addTraces(4_000, "third");
  expect(await analyzeGrownTables(database.query)).toContain("traces");
});

test("each part of a resumed trace is looked up by itself, also in a table that was never looked at", needsRealPostgres, async () => {
  await addTraces(2_000, "chain");
  // What the planner knows of a table that has just been filled.
  await database.pool.query("delete from pg_statistic where starelid = 'observability.traces'::regclass");
  await database.pool.query("update pg_class set reltuples = -1, relpages = 0 where oid = 'observability.traces'::regclass");
  const client = await database.pool.connect();
  try {
    await client.query("begin");
    const project = sql`${projectId}::uuid`;
    const last = sql`(select id from observability.traces where project_id = ${project} and thread_id = 'chain' and paused_at = 'c2000')`;
    const { sql: text, parameters } = sql`
      select (select count(*) from ${selectSegments(project, sql`chain.id`)} as part) as parts, ${selectBeginning(project, last)} = chain.id as is_beginning
      from observability.traces as chain where project_id = ${project} and thread_id = 'chain' and resumed_from is null`.compile(
      database.query,
    );
    const { rows } = await client.query<{ parts: number; is_beginning: boolean }>(text, [...parameters]);
    expect(rows).toEqual([{ parts: 1_000, is_beginning: true }]);
    const read = await client.query<{ rows: number }>(
      "select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relid = 'observability.traces'::regclass",
    );
    // Each part looked for among all of them would be eight million.
    expect(read.rows[0]?.rows).toBeLessThan(100_000);
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("who counts the first traces of a day has the database look at them before", async () => {
  const ofProject = uuidv7();
  await writeEvents(database, Array.from({ length: 150 }, () => agentRun(createProducer(ofProject))).flat());
  // What is known of a table that was never looked at.
  const { rows: tables } = await database.pool.query<{ oid: number }>(`
    update pg_class set reltuples = -1, relpages = 0
    where oid = 'observability.traces'::regclass or oid in (select tableoid from observability.observations) returning oid`);
  await countMarkedTraces(database.query, ofProject);
  const { rows } = await database.pool.query("select from pg_class where oid = any($1) and reltuples > 0", [tables.map(({ oid }) => oid)]);
  expect([tables.length, rows.length]).toEqual([2, 2]);
});

/** A chain of runs, each resuming the one before. */
async function addTraces(count: number, thread: string): Promise<void> {
  await database.pool.query(
    `insert into observability.traces (project_id, id, seen_at, started_at, thread_id, paused_at, resumed_from)
     select $1, gen_random_uuid(), now(), now() + place * interval '1 second', $3, 'c' || place, case when place > 1 then 'c' || (place - 1) end
     from generate_series(1, $2::int) as place`,
    [projectId, count, thread],
  );
}
