import { randomOf } from "@sightline/foundation/seeded-random";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentSchema } from "#contract.ts";
import { decodeEntry } from "#events/stream-entry.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { createOtlpRig, type OtlpRig } from "#testing/otlp-rig.ts";
import { jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { writeEvents } from "#testing/write-events.ts";

/** Values sent as JSON come back as they were sent, whichever way it came and goes. */

let database: TestDatabase<ObservabilitySchema>;
let otlp: OtlpRig;
let rig: EvaluationRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  otlp = await createOtlpRig(database);
  rig = await createEvaluationRig(database);
});
afterAll(async () => {
  await rig.close();
  await otlp.close();
  await database.drop();
});

const ODD = [
  "1.10",
  "1.0",
  "1e400",
  "-0",
  "-0.0",
  "9007199254740993",
  "-12345678901234567890",
  "1e-05",
  "1E+2",
  "0.0000001",
  "1.100000000000000001",
];
const random = randomOf(7);
const oneOf = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;

/** JSON of some depth in which odd numbers, and what only looks like one, stand. */
function drawJson(depth = 0): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
    depth < 3 && random() < 0.4 ? drawJson(depth + 1) : drawPlain(),
  );
  return random() < 0.4
    ? `[${parts.join(", ")}]`
    : `{${parts.map((part, at) => `"${oneOf(["n", "text", "$k", "ß"])}${at}": ${part}`).join(",")}}`;
}

function drawPlain(): string {
  return random() < 0.7 ? oneOf(ODD) : oneOf(['"1.10"', '": 1e400, "', "null", "true", "1.5", "-12", '""', "{}", "[]", '"\\ud83d\\ude00"']);
}

/** Numbers by their text; the order of keys and the spaces may differ. */
function read(json: string): unknown {
  const byText = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? `number ${context?.source ?? ""}` : value;
  return JSON.parse(json, byText);
}

/** Reads with numbers by their text, at a place such as `items.0.input`. */
function readAt(json: string, place: string): unknown {
  return place.split(".").reduce<unknown>((value, key) => Reflect.get(Object(value), key), read(json));
}

const drawn = Array.from({ length: 40 }, () => drawJson());
const isObject = (json: string) => json.startsWith("{");
const objects = drawn.filter(isObject);
const AT = "2026-11-21T10:00:00.000Z";

/** An entry as any producer may write it: its body is text. */
function entry(projectId: string, type: string, body: string) {
  const head = { v: "1", id: uuidv7(), type, project_id: projectId, producer_id: uuidv7(), seq: "1", ts: AT };
  const decoded = decodeEntry([...Object.entries(head).flat(), "body", body]);
  if (!decoded.ok) {
    throw new Error(decoded.reason);
  }
  return decoded.event;
}

async function makeTrace(json: string, values: string) {
  const [trace, step] = [uuidv7(), uuidv7()];
  const ids = `"trace_id":"${trace}","observation_id":"${step}"`;
  await writeEvents(database, [
    entry(
      rig.projectId,
      "trace.start",
      `{"trace_id":"${trace}","name":"agent","started_at":"${AT}","input":${json},"attributes":${values}}`,
    ),
    entry(rig.projectId, "observation.start", `{${ids},"parent_id":null,"kind":"tool","name":"find","started_at":"${AT}"}`),
    entry(
      rig.projectId,
      "observation.end",
      `{${ids},"ended_at":"${AT}","duration_ms":12.0,"status":"success","attributes":${values},
        "usage":{"input_tokens":10.0,"raw":${values}},
        "tool_entry":{"tool_name":"find","parameters":${values},"result":${json},"timestamp":"${AT}","status":"success"}}`,
    ),
    entry(rig.projectId, "trace.end", `{"trace_id":"${trace}","ended_at":"${AT}","status":"success","output":${json}}`),
  ]);
  return { trace, step };
}

const as = { authorization: "Bearer tenant-1:admin" };
const text = async (url: string) => (await rig.api.server.inject({ url: rig.base + url, headers: as })).body;

test("from the stream, in answers, exports and items made of traces", async () => {
  for (const [at, json] of drawn.entries()) {
    const values = objects[at % objects.length] ?? "{}";
    const { trace, step } = await makeTrace(json, values);
    const whole = await text(`/traces/${trace}`);
    const one = await text(`/traces/${trace}/observations/${step}`);
    expect([readAt(whole, "input"), readAt(whole, "output"), readAt(whole, "attributes")]).toEqual([read(json), read(json), read(values)]);
    expect(readAt(whole, "observation_list.0.input")).toEqual(read(values));
    expect([readAt(one, "input"), readAt(one, "output"), readAt(one, "attributes")]).toEqual([
      read(values),
      read(json),
      expect.objectContaining(Object(read(values))),
    ]);
    // Figures that the program reads are numbers, however they were written.
    expect([readAt(one, "duration_ms"), readAt(one, "input_tokens")]).toEqual(["number 12", "number 10"]);
    const lines = (await text(`/export?include=values&trace_id=${trace}`)).split("\n");
    const [ofTrace = "", ofStep = ""] = ["trace", "observation"].map((type) => lines.find((line) => line.startsWith(`{"type":"${type}"`)));
    expect([readAt(ofTrace, "input"), readAt(ofStep, "input"), readAt(ofStep, "output")]).toEqual([read(json), read(values), read(json)]);
    const id = await rig.makeDataset();
    await rig.post(`/datasets/${id}/items/from-traces`, { traces: [{ trace_id: trace }] });
    const items = await text(`/datasets/${id}/items`);
    expect([readAt(items, "items.0.input"), readAt(items, "items.0.expected")]).toEqual([read(json), read(json)]);
  }
});

test("and is found as it was sent", async () => {
  const { trace } = await makeTrace("[1.10]", '{"metadata":{"price":1.10,"order":12345678901234567890}}');
  for (const query of ["metadata.price:1.10", "metadata.order:12345678901234567890"]) {
    expect(readAt(await text(`/traces?q=${query}`), "items.0.id")).toBe(trace);
  }
});

test("by OpenTelemetry, in texts of JSON and in attributes that are numbers", async () => {
  const request = JSON.stringify(
    jsonRequest([
      jsonSpan("aaaaaaaaaaaaaaaa", 0, {
        attributes: [
          { key: "input.value", value: { stringValue: `[${drawn.join(",")}]` } },
          { key: "output.value", value: { stringValue: objects[0] } },
          ...ODD.map((number, at) => ({ key: `double.${at}`, value: { doubleValue: `(${number})` } })),
          { key: "as text", value: { intValue: "9007199254740993" } },
          { key: "as number", value: { intValue: "(9007199254740993)" } },
        ],
      }),
    ]),
  ).replaceAll(/"\(([^)]*)\)"/g, "$1");
  expect(await otlp.send(request)).toMatchObject({ status: 200 });
  await otlp.store();
  const [trace] = await otlp.traces();
  const url = `/api/v1/projects/${otlp.rig.projectId}/traces/${trace?.id ?? ""}/observations/${trace?.observation_list[0]?.id ?? ""}`;
  const { body } = await otlp.api.server.inject({ url, headers: as });
  expect([readAt(body, "input"), readAt(body, "output")]).toEqual([read(`[${drawn.join(",")}]`), read(objects[0] ?? "")]);
  expect(readAt(body, "attributes")).toMatchObject({
    ...Object.fromEntries(ODD.map((number, at) => [`double.${at}`, `number ${number}`])),
    "as text": "number 9007199254740993",
    "as number": "number 9007199254740993",
  });
});

test("in items that are sent or imported, and in outputs of experiments", async () => {
  const id = await rig.makeDataset();
  const headers = { authorization: `Bearer ${rig.key}`, "content-type": "application/json" };
  const post = (path: string, payload: string) => rig.api.server.inject({ method: "POST", url: rig.base + path, headers, payload });
  const items = drawn.map(
    (json) =>
      `{"input":[${json},"sent"],"expected":${json},"metadata":${objects[0] ?? ""},"checks":[{"type":"equals","value":${json}},{"type":"limit","of":"cost","at_most":1.10}]}`,
  );
  expect((await post(`/datasets/${id}/items`, `{"items":[${items.join(",")}]}`)).statusCode).toBe(200);
  const listed = await text(`/datasets/${id}/items?limit=200`);
  expect(readAt(listed, "items")).toMatchObject(items.map((item) => read(item.replaceAll('"at_most":1.10', '"at_most":1.1'))));

  for (const [format, type] of [
    ["jsonl", "application/x-ndjson"],
    ["csv", "text/csv"],
  ] as const) {
    const copy = await rig.makeDataset();
    expect(await rig.importFile(copy, (await rig.exportFile(id, `?format=${format}`)).body, type)).toMatchObject({ status: 200 });
    expect(readAt(await text(`/datasets/${copy}/items?limit=200`), "items")).toMatchObject(
      items.map((item) => ({ input: readAt(item, "input"), expected: readAt(item, "expected") })),
    );
  }

  const config = objects[0] ?? "";
  const begun = await post("/experiments", `{"dataset_id":"${id}","name":"try","repetitions":1.0,"config":${config}}`);
  expect(readAt(begun.body, "config")).toEqual(read(config));
  const experiment = experimentSchema.parse(begun.json()).id;
  const ids = (await rig.readItems(id)).map((item) => item.id);
  const runs = drawn.map(
    (json, at) => `{"item_id":"${ids[at] ?? ""}","repetition":0,"state":"succeeded","output":${json},"scores":[{"name":"s","value":1.0}]}`,
  );
  expect((await post(`/experiments/${experiment}/runs`, `{"runs":[${runs.join(",")}]}`)).body).toBe('{"written":40,"known":0}');
  const reported = readAt(await text(`/experiments/${experiment}/runs?limit=200`), "items");
  expect(reported).toMatchObject(
    drawn.map((json) => ({
      output: read(json),
      scores: expect.arrayContaining([expect.objectContaining({ name: "s", value: "number 1" })]),
    })),
  );
});
