import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AlertFilter } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { endTraces } from "#testing/end-traces.ts";
import { readAlertValue, type MeasuredMetric } from "./alert-values.store.ts";
import { insertProject } from "#store/projects.store.ts";

let database: TestDatabase<ObservabilitySchema>;
const projectId = uuidv7();

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "mine" });
  await seed();
});
afterAll(() => database.drop());

const QUESTIONS: readonly (readonly [MeasuredMetric, AlertFilter, number | null])[] = [
  ["errors", {}, 1],
  ["error_rate", {}, 0.25],
  ["latency_p95", {}, 3850],
  ["no_traces", {}, 4],
  ["gaps", {}, 3],
  ["tokens", {}, 440],
  ["cost", {}, 0.0008],
  ["cost_per_user", {}, 0.0006],
  ["errors", { model: "m-1" }, 1],
  ["errors", { trace: "checkout-2" }, 0],
  ["error_rate", { node: "plan" }, 0],
  ["error_rate", { node: "nowhere" }, null],
  ["latency_p95", { model: "m-1", trace: "checkout-1" }, 5],
  ["tokens", { model: "m-1", trace: "checkout-1" }, 110],
  ["cost", { model: "m-2" }, null],
  ["no_traces", { trace: "checkout-2" }, 1],
  ["matching", { query: "status:failure" }, 1],
  ["matching", { query: "duration:>1500ms -status:failure" }, 3],
];

test.each(QUESTIONS)("%s of %j are those of the window", async (metric, filter, value) => {
  const found = await readAlertValue(database.query, { projectId, metric, filter, windowMinutes: 60 });
  expect(found === null ? null : Number(found.toFixed(6))).toBe(value);
});

test.each(QUESTIONS)("%s of %j in another project are none", async (metric, filter) => {
  const found = await readAlertValue(database.query, { projectId: uuidv7(), metric, filter, windowMinutes: 60 });
  expect([0, null]).toContain(found);
});

/** Four traces of 1 to 4 s; in each a node and a model call of 100 tokens in and 10 out, that of the first failed; two users, one with three. */
async function seed(): Promise<void> {
  await endTraces(database, projectId, 4, "success");
  await database.pool.query("update observability.trace_entries set status = 'failure' where name = 'checkout-1'");
  await database.pool.query(
    `insert into observability.traces (project_id, id, seen_at, name, started_at, own_user_id)
    select project_id, trace_id, sort_at, name, sort_at, case name when 'checkout-1' then 'ann' else 'bob' end from observability.trace_entries
    where project_id = $1`,
    [projectId],
  );
  await database.pool.query(
    `insert into observability.observations (project_id, trace_id, id, seen_at, kind, name, started_at, ended_at, duration_ms, end_status,
      start_model, input_tokens, output_tokens, day)
    select trace.project_id, trace.id, gen_random_uuid(), trace.seen_at, step.kind, step.name, trace.seen_at, trace.seen_at, 5,
      case when trace.name = 'checkout-1' and step.kind = 'llm' then 'failure' else 'success' end, step.model, step.input, step.output, trace.day
    from observability.traces as trace,
      (values ('llm', 'call', 'm-1', 100, 10), ('node', 'plan', null, null, null)) as step (kind, name, model, input, output)
    where trace.project_id = $1`,
    [projectId],
  );
  await database.pool.query(
    "insert into observability.prices (project_id, model, valid_from, input, output) values ($1, 'm-1', '2020-01-01T00:00:00Z', 1, 10)",
    [projectId],
  );
  await database.pool.query("insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq) values ($1, $1, 4, 6)", [
    projectId,
  ]);
}
