import { systemClock } from "@sightline/foundation/clock";
import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAlertTasks } from "#alerts/project/alert-tasks.ts";
import { toChannelAccess } from "#alerts/project/tell-channel.ts";
import { settleGaps } from "#ingest/gaps.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import { createGoneProducers, SILENT_MS } from "#query/ingestion/gone-producers.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { deleteProject } from "#store/delete-project.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { ALERT_CONFIG } from "#testing/api-rig.ts";
import { createIssueFinding } from "#issues/find-issues.ts";
import { clearTables } from "#testing/consumer-rig.ts";
import { failingRun } from "#testing/failing-run.ts";
import { makeOld } from "#testing/make-old.ts";
import { packHours, sweepDeletedProjects, sweepRetention } from "#testing/in-the-background.ts";
import { writeEvents } from "#testing/write-events.ts";
import { createCounting } from "./counting.ts";

let database: TestDatabase<ObservabilitySchema>;
/** Ids in the order in which the database gives them: whoever fails is before the other, and after another. */
let failing: string;
let others: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  await database.pool.query("drop function if exists public.refuse() cascade");
  await clearTables(database);
  const [first = "", middle = "", last = ""] = [uuidv7(), uuidv7(), uuidv7()].toSorted();
  [failing, others] = [middle, [first, last]];
  for (const id of [first, middle, last]) {
    await insertProject(database.query, { id, tenantId: "tenant-1", name: "support" });
    await writeEvents(database, agentRun(createProducer(id)));
  }
});
afterAll(() => database.drop());

const signal = new AbortController().signal;
const counting = () => createCounting({ query: database.query, log: silentLog });

test("whose traces can't be counted has others counted", async () => {
  await refuse("insert", "trace_entries");
  await counting().countTraces(signal);
  expect(await projectsIn("trace_entries")).toEqual(others);
});

test("whose issues can't be found has others' found", async () => {
  for (const id of [failing, ...others]) {
    await writeEvents(database, failingRun(createProducer(id), { at: new Date(), error: "ValueError: no" }));
  }
  await counting().countTraces(signal);
  await refuse("insert", "issues");
  await createIssueFinding({ query: database.query, log: silentLog })(signal);
  expect(await projectsIn("issues")).toEqual(others);
});

test("whose hours can't be packed has others packed, and does not stand before them again", async () => {
  await counting().countTraces(signal);
  await database.pool.query("update observability.trace_hours set changed_at = '2026-01-01', hour = '2025-01-01'");
  await database.pool.query(
    `insert into observability.trace_hours (project_id, hour, changed_at)
     select $1, '2025-01-01'::timestamptz + number * interval '1 hour', '2025-12-01' from generate_series(1, 100) as number`,
    [failing],
  );
  await refuse("delete", "trace_hours");
  await packHours(database.query);
  await packHours(database.query);
  expect(await projectsIn("trace_hours")).toEqual([failing]);
});

test("whose traces can't be deleted has the expired ones of others deleted, with all that they said", async () => {
  await makeOld(database);
  await refuse("delete", "traces");
  await sweepRetention(database.query);
  for (const table of ["traces", "observations", "payloads"]) {
    expect(await projectsIn(table), table).toEqual([failing]);
  }
});

test("whose records can't be deleted has those of others deleted", async () => {
  await database.pool.query("update observability.projects set retention_days = 7");
  await database.pool.query("update observability.producers set heard_at = now() - interval '20 days'");
  await refuse("delete", "producers");
  await sweepRetention(database.query);
  expect(await projectsIn("producers")).toEqual([failing]);
});

test("that is deleted and can't be swept has others swept", async () => {
  for (const id of [failing, ...others]) {
    await deleteProject(database.query, { id, reader: { kind: "operator" } });
  }
  await refuse("delete", "traces");
  await sweepDeletedProjects(database.query);
  expect(await projectsIn("traces")).toEqual([failing]);
});

test("whose gaps can't be found has others' found", async () => {
  for (const id of [failing, ...others]) {
    const producer = createProducer(id);
    await writeEvents(database, agentRun(producer).slice(1));
  }
  await refuse("insert", "ingest_gaps");
  const each = eachOwnerUnderTest();
  for (const pass of [1, 2]) {
    await settleGaps(database.query, { each, windowMs: 0, now: new Date(systemClock.now().getTime() + pass * 1_000) });
  }
  expect(await projectsIn("ingest_gaps")).toEqual(others);
});

test("whose producers can't be marked as gone has others' marked", async () => {
  await database.pool.query("update observability.producers set heard_at = now() - interval '2 hours'");
  await refuse("update", "producers");
  let now = 0;
  const { look } = createGoneProducers({
    query: database.query,
    readLag: async () => 0,
    clock: { now: () => new Date(now) },
    log: silentLog,
  });
  await look();
  now += SILENT_MS;
  await look();
  expect(await projectsIn("producers", "gone_at is not null")).toEqual(others);
});

test("whose rule can't be settled has others' evaluated", async () => {
  for (const id of [failing, ...others]) {
    await database.pool.query(
      `insert into observability.alert_rules (id, project_id, name, metric, threshold, window_minutes, filter, channel_ids, is_enabled, changed_by)
       values (gen_random_uuid(), $1, 'rule', 'errors', 1, 5, '{}', '{}', true, 'user-1')`,
      [id],
    );
  }
  await database.pool.query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refused before update on observability.alert_rules for each row
      when (new.evaluated_at is distinct from old.evaluated_at and new.project_id = '${failing}') execute function public.refuse()`);
  const { evaluateDue } = createAlertTasks({ query: database.query, log: silentLog, access: toChannelAccess(ALERT_CONFIG) });
  await evaluateDue();
  expect(await projectsIn("alert_rules", "evaluated_at is not null")).toEqual(others);
});

/** From now on the database refuses what is done to rows of the failing project. */
async function refuse(what: "insert" | "update" | "delete", table: string): Promise<void> {
  const row = what === "delete" ? "old" : "new";
  await database.pool.query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refused before ${what} on observability.${table} for each row when (${row}.project_id = '${failing}') execute function public.refuse()`);
}

async function projectsIn(table: string, condition = "true"): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select distinct project_id as id from observability.${table} where ${condition} order by project_id`,
  );
  return rows.map(({ id }) => id);
}
