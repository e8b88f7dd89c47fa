import { toCursor } from "@sightline/foundation/cursor";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { datasetDiffSchema, datasetPageSchema, datasetVersionPageSchema, itemPageSchema, writtenItemsSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
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

async function write(id: string, body: object) {
  return writtenItemsSchema.parse((await rig.post(`/datasets/${id}/items`, body)).body);
}

async function read(id: string, query = "") {
  return itemPageSchema.parse((await rig.get(`/datasets/${id}/items${query}`)).body);
}

describe("versions of a dataset", () => {
  test("stay as they were, whatever is added, changed and deleted later", async () => {
    const id = await rig.makeDataset();
    const first = await write(id, { items: [{ input: { q: 1 }, expected: "a" }, { input: { q: 2 } }], reason: "the first" });
    const [one, two] = first.items.map((item) => item.id);
    expect(first).toMatchObject({ version: 1, items: [{ state: "added" }, { state: "added" }] });
    const second = await write(id, { items: [{ id: one, input: { q: 1 }, expected: "b" }], delete: [two, uuidv7()] });
    expect(second).toMatchObject({ version: 2, items: [{ state: "changed" }, { state: "deleted" }, { state: "unknown" }] });
    expect((await read(id, "?version=1")).items).toMatchObject([
      { id: one, expected: "a", version: 1 },
      { id: two, expected: null },
    ]);
    expect((await read(id)).items).toMatchObject([{ id: one, expected: "b", version: 2 }]);
    const { items } = datasetVersionPageSchema.parse((await rig.get(`/datasets/${id}/versions`)).body);
    expect(items).toMatchObject([
      { version: 2, added: 0, changed: 1, deleted: 1 },
      { version: 1, added: 2, reason: "the first", author: expect.stringMatching(/^key:/) },
    ]);
  });

  test("are not made of nothing: an equal item stays, an equal input is told as a duplicate", async () => {
    const id = await rig.makeDataset([{ input: { a: 1, b: 2 }, expected: 1 }]);
    const [item] = (await read(id)).items;
    const again = await write(id, { items: [{ ...item }, { input: { b: 2, a: 1 }, expected: 1 }] });
    expect(again).toEqual({
      version: 1,
      items: [
        { id: item?.id, state: "unchanged" },
        { id: item?.id, state: "duplicate", of: item?.id },
      ],
    });
  });

  test("are told apart item by item, in either direction, and what changed back is no change", async () => {
    const id = await rig.makeDataset([{ input: 1 }, { input: { a: 1, b: 2 }, split: "test" }, { input: 3 }, { input: 4 }]);
    const [one = "", two = "", three = "", four = ""] = (await read(id)).items.map((item) => item.id);
    await write(id, {
      items: [{ id: two, input: { b: 2, a: 1 }, expected: "so" }, { input: 5 }, { id: four, input: 4, required: true }],
      delete: [one],
    });
    await write(id, { items: [{ id: four, input: 4 }], delete: [three] });
    const diff = async (query: string) => datasetDiffSchema.parse((await rig.get(`/datasets/${id}/diff${query}`)).body);
    const all = await diff("?from=1");
    expect(all).toMatchObject({ from: 1, to: 3, next_cursor: null });
    expect(all.items).toMatchObject([
      { id: one, state: "removed", before: { input: 1 }, after: null },
      { id: two, state: "changed", fields: ["expected", "split"], before: { expected: null }, after: { expected: "so" } },
      { id: three, state: "removed" },
      { state: "added", fields: [], before: null, after: { input: 5 } },
    ]);
    const back = await diff("?from=3&to=1");
    expect(back.items.map(({ state }) => state)).toEqual(["added", "changed", "added", "removed"]);
    const first = await diff("?from=1&to=2&limit=1");
    const second = await diff(`?from=1&to=2&limit=3&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items]).toMatchObject([
      { id: one },
      { id: two },
      { id: four, fields: ["required"] },
      { state: "added" },
    ]);
    expect((await diff("?from=0&to=1")).items).toHaveLength(4);
    expect((await diff("?from=2&to=2")).items).toEqual([]);
    expect(await rig.get(`/datasets/${id}/diff?from=1&to=4`)).toMatchObject({ status: 404, body: { error: "version_not_found" } });
  });

  test("know an item by its id in capitals, too", async () => {
    const id = await rig.makeDataset([{ input: 1 }]);
    const [item] = (await read(id)).items;
    expect(await write(id, { items: [{ id: item?.id.toUpperCase(), input: 2 }] })).toMatchObject({
      items: [{ id: item?.id, state: "changed" }],
    });
    expect((await read(id)).items).toMatchObject([{ input: 2 }]);
  });

  test("are one for each request, when many write at once", async () => {
    const id = await rig.makeDataset();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => write(id, { items: [{ input: at }] })));
    expect(answers.map(({ version }) => version).toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: 12 }, (_, at) => at + 1),
    );
    expect((await read(id)).items).toHaveLength(12);
  });
});

describe("a dataset", () => {
  test("refuses items that don't fit its schemas, names the one and writes none", async () => {
    const id = await rig.makeDataset([], { input_schema: { type: "object", required: ["q"] } });
    const refused = await rig.post(`/datasets/${id}/items`, { items: [{ input: { q: 1 } }, { input: {} }] });
    expect(refused).toMatchObject({ status: 400, body: { error: "schema_mismatch" } });
    expect(refused.body["message"]).toContain("number 2 does not fit the dataset's schema: it must have required property 'q'");
    expect((await read(id)).items).toEqual([]);
  });

  test.each([
    [{ type: "nothing" }, "invalid_schema"],
    [{ uniqueItems: true }, "invalid_schema"],
    [{ pattern: "(?=a)" }, "invalid_schema"],
    [{ $ref: "#/nowhere" }, "invalid_schema"],
  ])("takes no schema like %j", async (schema, error) => {
    expect(await rig.post("/datasets", { name: "odd", input_schema: schema })).toMatchObject({ status: 400, body: { error } });
  });

  test("ends a schema that refers to itself without end, or takes for ever", async () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`a${at}`, { allOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] }]),
    );
    for (const schema of [{ $ref: "#" }, { $defs: { ...doubling, a40: { type: "string" } }, $ref: "#/$defs/a0" }]) {
      const id = await rig.makeDataset([], { input_schema: schema });
      const refused = await rig.post(`/datasets/${id}/items`, { items: [{ input: "x" }] });
      expect(refused).toMatchObject({ status: 400, body: { error: "schema_mismatch" } });
      expect(refused.body["message"]).toContain("could not be followed to its end");
    }
  });

  test("takes no check that can't be evaluated, and no item that is too long", async () => {
    const id = await rig.makeDataset();
    const send = (item: object) => rig.post(`/datasets/${id}/items`, { items: [item] });
    expect(await send({ input: 1, checks: [{ type: "matches", pattern: "(" }] })).toMatchObject({
      status: 400,
      body: { error: "invalid_check" },
    });
    expect(await send({ input: 1, checks: [{ type: "magic" }] })).toMatchObject({ status: 400 });
    expect(await send({ input: "x".repeat(1024 * 1024) })).toMatchObject({ status: 400, body: { error: "item_too_long" } });
    expect(await send({ id: "one", input: 1 })).toMatchObject({ status: 400 });
    expect(await send({ expected: 1 })).toMatchObject({
      status: 400,
      body: { details: [{ message: "is missing: send null for nothing" }] },
    });
    const deep = `${"[".repeat(300)}1${"]".repeat(300)}`;
    expect(await send({ input: JSON.parse(deep) })).toMatchObject({
      status: 400,
      body: { details: [{ message: "is nested more than 200 deep" }] },
    });
  });

  test("is found by its name, which no other of the project has", async () => {
    const id = await rig.makeDataset([], { name: "refunds" });
    expect(await rig.post("/datasets", { name: "refunds" })).toMatchObject({ status: 409, body: { error: "dataset_name_taken" } });
    const found = datasetPageSchema.parse((await rig.get("/datasets?name=refunds")).body);
    expect(found.items).toMatchObject([{ id, version: 0, items: 0 }]);
  });

  test("refuses a cursor that no page gave", async () => {
    const id = await rig.makeDataset([{ input: 1 }]);
    expect(await rig.get(`/datasets/${id}/versions?cursor=${toCursor([2 ** 40])}`)).toMatchObject({
      status: 400,
      body: { error: "invalid_cursor" },
    });
  });

  test("is gone with all that is in it", async () => {
    const id = await rig.makeDataset([{ input: 1 }]);
    const answer = await rig.api.server.inject({
      method: "DELETE",
      url: `${rig.base}/datasets/${id}`,
      headers: { authorization: `Bearer ${rig.key}` },
    });
    expect(answer.statusCode).toBe(204);
    expect(await rig.get(`/datasets/${id}/items`)).toMatchObject({ status: 404, body: { error: "dataset_not_found" } });
  });
});

test("an item of a trace has its input and where it ran; of a failing step what that took in, and it is required", async () => {
  const traceId = uuidv7();
  const events = agentRun(createProducer(rig.projectId), traceId);
  await writeEvents(database, events);
  const tool = events.find((event) => event.type === "observation.start" && event.body.kind === "tool");
  const stepId = tool?.type === "observation.start" ? tool.body.observation_id : "";
  const id = await rig.makeDataset();
  const sent = await rig.post(`/datasets/${id}/items/from-traces`, {
    traces: [{ trace_id: traceId }, { trace_id: traceId, observation_id: stepId }],
    issue_id: projectIssue,
  });
  expect(sent).toMatchObject({ status: 200, body: { version: 1 } });
  const { items } = await read(id);
  expect(items).toMatchObject([
    { input: { question: "where?" }, source: { trace_id: traceId, path: "src/tools.ts", line: 12, issue_id: projectIssue } },
    { input: { order: 42 }, expected: null, required: true, cluster: projectIssue, source: { observation_id: stepId } },
  ]);
  expect(await rig.post(`/datasets/${id}/items/from-traces`, { traces: [{ trace_id: uuidv7() }] })).toMatchObject({ status: 404 });
});

const projectIssue = uuidv7();
