import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

test("with values it has the stacks of failures, the trace's own and its steps'", async () => {
  const producer = createProducer(rig.projectId);
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  const at = "2026-11-20T10:00:00.000Z";
  const end = { ended_at: at, status: "failure", error: "KeyError: x" } as const;
  const stacks = ["src/a.py", "src/b.py"].map((file) => ({ errors: [{ frames: [{ file, line: 3, function: "run", own: true }] }] }));
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: ids.trace_id, name: "failing", started_at: at }),
    producer.event("observation.start", { ...ids, parent_id: null, kind: "tool", name: "find", started_at: at }),
    producer.event("observation.end", { ...ids, ...end, duration_ms: 5, stack: stacks[0] }),
    producer.event("trace.end", { trace_id: ids.trace_id, ...end, stack: stacks[1] }),
  ]);
  const lines = await exported(`?include=values&trace_id=${ids.trace_id}`);
  expect(lines.find(({ type }) => type === "observation")).toMatchObject({ name: "find", stack: stacks[0] });
  expect(lines.find(({ type }) => type === "trace")).toMatchObject({ name: "failing", stack: stacks[1] });
  expect((await exported(`?trace_id=${ids.trace_id}`)).map((line) => "stack" in line)).not.toContain(true);
});

async function exported(query: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await rig.api.server.inject({ url: `${rig.base}/export${query}`, headers: { authorization: "Bearer tenant-1:admin" } });
  return body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
