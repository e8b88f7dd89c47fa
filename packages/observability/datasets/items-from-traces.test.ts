import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { itemsFromTracesSchema, type ItemsFromTracesRequest, type Json } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { exploredRun } from "#testing/explored-run.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;

/** 30 traces of an agent, five of them failed, in two sessions by turns; the newest runs still. */
beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
  const producer = createProducer(rig.projectId);
  const runs = Array.from({ length: 31 }, (_, at) =>
    exploredRun(
      producer,
      {
        name: "agent",
        input: `question ${at}`,
        session: `session ${at % 2}`,
        ...(at < 30 ? { seconds: 1 } : {}),
        ...(at % 6 === 5 ? { error: "TimeoutError" } : {}),
      },
      at,
    ),
  );
  await writeEvents(database, runs.flat());
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

const questionOf = (input: Json) => z.object({ question: z.string() }).parse(input).question;

async function add(from: NonNullable<ItemsFromTracesRequest["from"]>, more: object = {}) {
  const id = await rig.makeDataset();
  const { status, body } = await rig.post(`/datasets/${id}/items/from-traces`, { from, ...more });
  const items = await rig.readItems(id);
  return { status, body, items, inputs: items.map(({ input }) => questionOf(input)) };
}

const questionsOf = (from: number, step: number) =>
  Array.from({ length: Math.ceil((30 - from) / step) }, (_, at) => `question ${from + at * step}`);

test("the traces of a session become items in their order, those that failed required", async () => {
  const { body, inputs, items } = await add({ session_id: "session 1" });
  expect(itemsFromTracesSchema.parse(body)).toMatchObject({ version: 1, matching: 15 });
  expect(inputs).toEqual(questionsOf(1, 2));
  expect(items.filter(({ required }) => required).map(({ input }) => questionOf(input))).toEqual(questionsOf(5, 6));
  expect(new Set(items.map(({ cluster }) => cluster))).toEqual(new Set(["session 1"]));
});

test("a sample of a query is drawn again by the same seed, and is another by another", async () => {
  const draw = (seed: number) => add({ q: "name:agent", sample: { size: 10, seed } });
  const [first, again, other] = [await draw(1), await draw(1), await draw(2)];
  expect(first.body).toMatchObject({ matching: 30 });
  expect(first.inputs).toHaveLength(10);
  expect(again.inputs).toEqual(first.inputs);
  expect(other.inputs).not.toEqual(first.inputs);
  // In the order in which they began.
  expect(first.inputs).toEqual(questionsOf(0, 1).filter((question) => first.inputs.includes(question)));
});

test("a sample by status has as many of each, as long as there are any", async () => {
  const failed = (drawn: Awaited<ReturnType<typeof add>>) => drawn.items.filter(({ required }) => required).length;
  expect(failed(await add({ sample: { size: 8, by: "status" } }))).toBe(4);
  expect(failed(await add({ sample: { size: 20, by: "status" } }))).toBe(5);
  const bySession = await add({ sample: { size: 6, by: "session" } });
  expect(bySession.items.filter(({ cluster }) => cluster === "session 0")).toHaveLength(3);
});

test("a preview tells how many there are and writes nothing; a time bounds them", async () => {
  const time = { from: "2026-11-21T10:10:00Z", to: "2026-11-21T10:20:00Z" };
  const { body, items } = await add({ q: "status:failure", ...time, sample: { size: 1 } }, { preview: true });
  expect({ body, items }).toMatchObject({ body: { version: 0, items: [], matching: 2 }, items: [] });
  expect((await add({ ...time, sample: { size: 200 } })).inputs).toEqual(questionsOf(10, 1).slice(0, 10));
});

test.each([
  [{ session_id: "nobody's" }, 404, "session_not_found"],
  [{ q: "name:nobody", sample: { size: 1 } }, 404, "no_traces"],
  [{ q: "status:odd", sample: { size: 1 } }, 400, "invalid_query"],
  [{ q: "", sample: { size: 201 } }, 400, "invalid_request"],
  [{ session_id: "session 1", sample: { size: 1 } }, 400, "invalid_request"],
])("%j is refused", async (from, status, error) => {
  const { status: answered, body, items } = await add(from);
  expect({ answered, error: body["error"], items }).toEqual({ answered: status, error, items: [] });
});

test("either traces or where they are drawn from is given", async () => {
  const id = await rig.makeDataset();
  for (const body of [{}, { traces: [{ trace_id: uuidv7() }], from: { session_id: "session 1" } }]) {
    expect(await rig.post(`/datasets/${id}/items/from-traces`, body)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  }
});
