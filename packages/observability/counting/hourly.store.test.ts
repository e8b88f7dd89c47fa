import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { alertListSchema, detailedHealthSchema, metricsSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { clearTables } from "#testing/consumer-rig.ts";
import { countMarkedHours } from "#testing/in-the-background.ts";
import { writeEvents } from "#testing/write-events.ts";
import { insertProject } from "#store/projects.store.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let noisy: string;
let quiet: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  await clearTables(database);
  [noisy, quiet] = [uuidv7(), uuidv7()];
  for (const [id, tenantId] of [
    [noisy, "tenant-1"],
    [quiet, "tenant-2"],
  ] as const) {
    await insertProject(database.query, { id, tenantId, name: "support" });
  }
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const HOUR = "2026-11-21T10:00:00Z";
const DAY = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";

describe("an hour in which every step has another name", () => {
  test("is counted in time that grows with its rows: the names beyond 200 as one", needsRealPostgres, async () => {
    await nameEverythingDifferently(15_000);
    await writeEvents(database, agentRun(createProducer(quiet)));
    // A join of the names with themselves took minutes for as many.
    const impatient = createDatabase<ObservabilitySchema>({
      url: database.url,
      poolSize: 1,
      applicationName: "test",
      log: silentLog,
      statementTimeoutMs: 20_000,
    });
    await countMarkedHours(impatient.query);
    await impatient.close();
    expect(await figuresOf(quiet, "tenant-2")).toMatchObject({
      pending_hours: 0,
      total: { traces: { count: 1 }, observations: { count: 3 } },
    });
    expect(await figuresOf(noisy, "tenant-1")).toMatchObject({
      pending_hours: 0,
      total: { traces: { count: 15_000 }, observations: { count: 15_000 } },
    });
    const { rows } = await database.pool.query<{ kind: string; names: number; others: number }>(
      `select kind, count(*) filter (where name <> '(other)') as names, sum(observations) filter (where name = '(other)')::bigint as others
       from observability.hourly where project_id = $1 group by kind order by kind`,
      [noisy],
    );
    expect(rows).toEqual([
      { kind: "span", names: 200, others: 14_800 },
      { kind: "trace", names: 200, others: 14_800 },
    ]);
  });
});

describe("a project whose hour can't be counted", () => {
  const failing = () =>
    database.pool.query(`
      create function public.refuse() returns trigger language plpgsql as $$ begin
        raise exception 'secret of a user' using errcode = '22003';
      end $$;
      create trigger refused before insert on observability.hourly for each row when (new.project_id = '${noisy}') execute function public.refuse()`);
  const mended = () => database.pool.query("drop function if exists public.refuse() cascade");
  let now: number;
  const count = () => countMarkedHours(database.query, () => new Date(now));

  beforeEach(async () => {
    await mended();
    now = systemClock.now().getTime();
  });

  test("has it set aside alone, is told of, and has it counted once that works", async () => {
    await writeEvents(database, [...agentRun(createProducer(noisy)), ...agentRun(createProducer(quiet))]);
    await failing();
    await count();
    expect(await figuresOf(quiet, "tenant-2")).toMatchObject({ pending_hours: 0, uncounted_since: null, total: { traces: { count: 1 } } });
    const since = new Date(now).toISOString();
    expect(await figuresOf(noisy, "tenant-1")).toMatchObject({
      pending_hours: 1,
      uncounted_hours: 1,
      uncounted_since: since,
      total: { traces: { count: 0 } },
    });
    expect(await warnings()).toEqual([expect.stringMatching(new RegExp(`^1 hour of 1 project can't be counted since ${since}: `))]);
    expect(await alertOf("tenant-1:admin")).toMatchObject({ state: "firing", value: 1 });
    expect(await alertOf(API_KEY)).toMatchObject({ state: "firing", value: 1 });
    expect(await alertOf("tenant-2:admin")).toMatchObject({ state: "ok", value: 0 });
    const { rows } = await database.pool.query("select failures, error_code from observability.uncounted_hours");
    expect(rows).toEqual([{ failures: 1, error_code: "22003" }]);

    await mended();
    now += 59_000;
    await count();
    expect(await figuresOf(noisy, "tenant-1")).toMatchObject({ uncounted_hours: 1 });
    now += 2_000;
    await count();
    expect(await figuresOf(noisy, "tenant-1")).toMatchObject({
      pending_hours: 0,
      uncounted_hours: 0,
      uncounted_since: null,
      total: { traces: { count: 1 } },
    });
    expect(await warnings()).toEqual([]);
    expect(await alertOf(API_KEY)).toMatchObject({ state: "ok", value: 0 });
  });

  test("has it tried less and less often, whatever is written meanwhile, and what is written does not pile up", async () => {
    await failing();
    const triedAt: number[] = [];
    const begun = now;
    for (const end = now + 24 * 3_600_000; now < end; now += 20 * 60_000) {
      await writeEvents(database, agentRun(createProducer(noisy)));
      const before = await failures();
      await count();
      if ((await failures()) > before) {
        triedAt.push(now - begun);
      }
    }
    const pauses = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0));
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    expect(pauses.at(-1)).toBe(6 * 3_600_000);
    await count();
    const { rows } = await database.pool.query("select from observability.hourly_marks");
    expect(rows).toHaveLength(0);
  });

  test("is no reason to leave its other hours out", async () => {
    await writeEvents(database, agentRun(createProducer(noisy)));
    await failing();
    await count();
    await mended();
    const later = { trace_id: uuidv7(), name: "later", started_at: "2026-11-21T12:00:00Z" };
    await writeEvents(database, [createProducer(noisy).event("trace.start", later)]);
    await database.pool.query(
      "insert into observability.hourly_marks (project_id, day, hour) select project_id, day, hour from observability.observations",
    );
    await count();
    expect(await figuresOf(noisy, "tenant-1")).toMatchObject({ pending_hours: 1, uncounted_hours: 1, total: { traces: { count: 1 } } });
  });

  async function failures(): Promise<number> {
    const { rows } = await database.pool.query<{ failures: number }>("select failures from observability.uncounted_hours");
    return rows[0]?.failures ?? 0;
  }

  async function warnings(): Promise<readonly string[]> {
    const { components } = detailedHealthSchema.parse((await api.get("/health/detailed", "")).body);
    return components.consumer.warnings ?? [];
  }

  async function alertOf(token: string) {
    return alertListSchema.parse((await api.get("/api/v1/alerts", token)).body).items.find(({ name }) => name === "HoursUncounted");
  }
});

test("one project's marks, however many, keep no other's hour waiting for the next round", async () => {
  await database.pool.query(
    `insert into observability.hourly_marks (project_id, day, hour)
     select $1, '2026-11-21', timestamptz '2020-01-01' + (number % 100) * interval '1 hour' from generate_series(1, 30000) as number`,
    [noisy],
  );
  await writeEvents(database, agentRun(createProducer(quiet)));
  expect(await countMarkedHours(database.query)).toBe(true);
  expect(await figuresOf(quiet, "tenant-2")).toMatchObject({ pending_hours: 0, total: { traces: { count: 1 } } });
  while (await countMarkedHours(database.query)) {
    // The hours that are left.
  }
  const { rows } = await database.pool.query("select from observability.hourly_marks");
  expect(rows).toHaveLength(0);
});

async function nameEverythingDifferently(names: number): Promise<void> {
  await database.pool.query(
    `insert into observability.traces (project_id, id, day, seen_at, name, started_at, ended_at, end_status)
     select $1, gen_random_uuid(), '2026-11-21', $2::timestamptz, 'job-' || number, $2::timestamptz, $2::timestamptz + number * interval '1 ms', 'success'
     from generate_series(1, $3::int) as number`,
    [noisy, HOUR, names],
  );
  await database.pool.query(
    `insert into observability.observations (project_id, trace_id, id, day, seen_at, kind, name, started_at, ended_at, duration_ms, end_status)
     select $1, gen_random_uuid(), gen_random_uuid(), (now() at time zone 'UTC')::date, $2::timestamptz, 'span', 'job-' || number, $2::timestamptz,
       $2::timestamptz, number, 'success'
     from generate_series(1, $3::int) as number`,
    [noisy, HOUR, names],
  );
  await database.pool.query(
    `insert into observability.hourly_marks (project_id, day, hour)
     select project_id, day, $1::timestamptz from observability.traces union select project_id, day, hour from observability.observations`,
    [HOUR],
  );
}

async function figuresOf(projectId: string, tenant: string) {
  return metricsSchema.parse((await api.get(`/api/v1/projects/${projectId}/metrics?${DAY}`, `${tenant}:admin`)).body);
}
