import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { packHours } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { countMarkedTraces } from "./count-traces.store.ts";

let database: TestDatabase<ObservabilitySchema>;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(() => database.drop());

test("an hour is packed once it is over and nothing has changed for a while", async () => {
  const now = Date.now();
  await write(new Date(now), new Date(now - 5 * 3_600_000));
  await packHours(database.query);
  expect(await hours()).toEqual(["changed", "changed"]);
  await rest(11);
  await packHours(database.query);
  expect(await hours()).toEqual(["1 trace", "changed"]);
});

test("a change has the hour packed again, and what is not packed changes nothing", async () => {
  const [first, second] = await write(new Date("2026-11-21T10:10:00Z"), new Date("2026-11-21T10:20:00Z"));
  await packHours(database.query, 0);
  expect(await hours()).toEqual(["2 traces"]);
  await mark(
    first,
    "insert into observability.scores (project_id, trace_id, event_id, name, value, scored_at) values ($1, $2, gen_random_uuid(), 's', 1, now())",
  );
  expect(await hours()).toEqual(["2 traces"]);
  await mark(first, "update observability.traces set tags = '{beta}' where project_id = $1 and id = $2");
  expect(await hours()).toEqual(["changed"]);
  await packHours(database.query, 0);
  expect(await hours()).toEqual(["2 traces"]);
  expect(await valuesOf("tag")).toEqual([["beta"]]);
  await mark(first, "delete from observability.traces where project_id = $1 and id = $2");
  await packHours(database.query, 0);
  expect([await hours(), await valuesOf("tag")]).toEqual([["1 trace"], []]);
  await mark(second, "delete from observability.traces where project_id = $1 and id = $2");
  await packHours(database.query, 0);
  expect([await hours(), await valuesOf("name")]).toEqual([[], []]);
});

test("a trace whose start turns out to be another leaves one hour and comes to the other", async () => {
  const [id] = await write(new Date("2026-11-21T10:10:00Z"));
  await packHours(database.query, 0);
  await mark(id, "update observability.traces set started_at = '2026-11-21T12:00:00Z' where project_id = $1 and id = $2");
  expect(await hours()).toEqual(["changed", "changed"]);
  await packHours(database.query, 0);
  expect(await hours()).toEqual(["1 trace"]);
});

test("replicas pack the same hours at once, while traces are counted", needsRealPostgres, async () => {
  const ids = await write(...Array.from({ length: 12 }, (_, place) => new Date(Date.UTC(2026, 10, 21, place))));
  await Promise.all([
    ...[1, 2, 3].map(() => packHours(database.query, 0)),
    ...ids.map((id) => mark(id, "update observability.traces set tags = '{late}' where project_id = $1 and id = $2")),
  ]);
  await packHours(database.query, 0);
  expect([await hours(), await valuesOf("tag")]).toEqual([ids.map(() => "1 trace"), ids.map(() => ["late"])]);
});

async function write(...starts: readonly Date[]): Promise<readonly string[]> {
  const producer = createProducer(projectId);
  const ids = starts.map(() => uuidv7());
  await writeEvents(
    database,
    starts.map((start, place) =>
      producer.event("trace.start", { trace_id: ids[place] ?? "", name: "run", started_at: start.toISOString() }),
    ),
  );
  await count();
  return ids;
}

/** Changes a trace as writers do, and counts it. */
async function mark(id: string | undefined, statement: string): Promise<void> {
  await database.pool.query(statement, [projectId, id]);
  await database.pool.query("insert into observability.trace_marks (project_id, trace_id) values ($1, $2)", [projectId, id]);
  await count();
}

async function count(): Promise<void> {
  while (await countMarkedTraces(database.query, projectId)) {
    // The traces that are left.
  }
}

/** As if all hours had changed so many minutes ago. */
async function rest(minutes: number): Promise<void> {
  await database.pool.query("update observability.trace_hours set changed_at = $1 where changed_at is not null", [
    new Date(Date.now() - minutes * 60_000),
  ]);
}

async function hours(): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ traces: number; is_packed: boolean }>(
    "select traces, changed_at is null as is_packed from observability.trace_hours where project_id = $1 order by hour",
    [projectId],
  );
  return rows.map(({ traces, is_packed: isPacked }) => (isPacked ? `${traces} ${traces === 1 ? "trace" : "traces"}` : "changed"));
}

async function valuesOf(field: string): Promise<readonly (readonly string[])[]> {
  const { rows } = await database.pool.query<{ said: readonly string[] }>(
    "select said from observability.trace_hour_fields where project_id = $1 and field = $2 order by hour",
    [projectId, field],
  );
  return rows.map(({ said }) => said);
}
