import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countMarkedHours } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { readGroups } from "./metrics.store.ts";

let database: TestDatabase<ObservabilitySchema>;
const projectId = uuidv7();
const producer = createProducer(projectId);
const filter = {
  reader: { kind: "operator" },
  from: new Date("2026-11-21T00:00:00Z"),
  to: new Date("2026-11-22T00:00:00Z"),
  kind: undefined,
  name: undefined,
  model: undefined,
} as const;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(() => database.drop());

test("percentiles are within 1 % of the exact ones, whatever the times are and over how many hours they are merged", async () => {
  const [low, high] = [0.0005, 5e7];
  const distributions: Readonly<Record<string, (index: number) => number>> = {
    even: (index) => 3_000 + index,
    "over ten powers of ten": (index) => low * (high / low) ** (index / 400),
    "of two peaks": (index) => (index % 10 === 0 ? 30_000 + index : 20 + index / 400),
    "few and far apart": (index) => [0.4, 12, 3_340, 90_000][index % 4] ?? 0,
    "all the same": () => 3_340,
  };
  for (const [name, timeOf] of Object.entries(distributions)) {
    await writeEvents(database, Array.from({ length: 400 }, (_, index) => step(name, timeOf(index), index % 7)).flat());
  }
  await countMarkedHours(database.query);
  const groups = await readGroups(database.query, { ...filter, projectId }, "model");
  const { rows } = await database.pool.query<{ model: string; exact: readonly number[] }>(
    "select model, percentile_cont(array[0.5, 0.95, 0.99]) within group (order by duration_ms) as exact from observability.observations group by model",
  );
  expect(rows).toHaveLength(Object.keys(distributions).length);
  for (const { model, exact } of rows) {
    const told = groups.find(({ key }) => key === model);
    expect([model, told?.p50_ms, told?.p95_ms, told?.p99_ms]).toEqual([model, ...exact.map(near)]);
  }
});

function step(model: string, duration: number, hour: number): readonly StreamEvent[] {
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  const at = new Date(Date.UTC(2026, 10, 21, hour)).toISOString();
  return [
    producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "answer", started_at: at, model }),
    producer.event("observation.end", { ...ids, ended_at: at, duration_ms: duration, status: "success" }),
  ];
}

function near(milliseconds: number): number {
  return expect.toSatisfy((value: unknown) => Math.abs(Number(value) - milliseconds) <= Math.max(0.01 * milliseconds, 0.001)) as number;
}
