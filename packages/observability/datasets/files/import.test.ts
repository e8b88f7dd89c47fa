import { once } from "node:events";
import { request } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { datasetSchema, datasetVersionPageSchema, importedItemsSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { putMasking } from "#store/masking.store.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { MAX_LINE_BYTES } from "./read-lines.ts";

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

const JSONL = "application/x-ndjson";
const CSV = "text/csv";

async function imported(...given: Parameters<EvaluationRig["importFile"]>) {
  return importedItemsSchema.parse((await rig.importFile(...given)).body);
}

const toLines = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");

describe("a file of lines of JSON", () => {
  test("is one version, however many batches it is, and tells what it changed", async () => {
    const id = await rig.makeDataset([{ input: "kept" }, { input: "changed" }]);
    const [kept, changed] = await rig.readItems(id);
    const twin = { input: { a: 1, b: 2 } };
    const lines = [
      { id: kept?.id, input: "kept" },
      { id: changed?.id, input: "changed", expected: "so" },
      twin,
      ...Array.from({ length: 1_200 }, (_, at) => ({ input: at, split: "test", required: true, metadata: { at } })),
      { input: { b: 2, a: 1 } },
      { input: 7 },
    ];
    const answer = await imported(id, toLines(lines));
    expect(answer).toMatchObject({ version: 2, added: 1_201, changed: 1, unchanged: 1, duplicates: 2 });
    expect(answer.first_duplicates).toMatchObject([{ line: 1_204 }, { line: 1_205 }]);
    const { items } = datasetVersionPageSchema.parse((await rig.get(`/datasets/${id}/versions`)).body);
    expect(items).toMatchObject([{ version: 2, added: 1_201, changed: 1, deleted: 0, reason: "from a file" }, { version: 1 }]);
    expect(datasetSchema.parse((await rig.get(`/datasets/${id}`)).body)).toMatchObject({ version: 2, items: 1_203 });
    const stored = await rig.readItems(id);
    expect(stored.slice(2, 4)).toMatchObject([twin, { input: 0, split: "test", required: true, metadata: { at: 0 } }]);
    // The same file again is nothing new.
    expect(await imported(id, toLines(lines))).toMatchObject({ version: 2, added: 0, changed: 0, unchanged: 2, duplicates: 1_203 });
  });

  test("may have a byte order mark, carriage returns, empty lines and no end, and be packed", async () => {
    const id = await rig.makeDataset();
    const text = '\uFEFF{"input": "ä"}\r\n\r\n  \n{"input": "\\u0000"}\r\n{"input": "last"}';
    expect(await imported(id, gzipSync(text), JSONL, { "content-encoding": "gzip" })).toMatchObject({ added: 3 });
    expect((await rig.readItems(id)).map(({ input }) => input)).toEqual(["ä", "\0", "last"]);
  });

  test("with lines that are no items is refused, names the first 20, and writes none", async () => {
    const id = await rig.makeDataset([], { input_schema: { type: "object" } });
    const lines = [
      '{"input": {}}',
      '{"input": ',
      '{"expected": 1}',
      '{"input": {}, "expected_output": 1}',
      '{"input": "text"}',
      '{"input": {}, "checks": [{"type": "matches", "pattern": "("}]}',
      '{"input": {}, "split": "a\\u0000b"}',
      `{"input": {"long": "${"x".repeat(1024 * 1024)}"}}`,
      "[]",
    ];
    const bad = Array.from({ length: 10_001 }, () => "no");
    const { status, body } = await rig.importFile(id, [...lines, ...bad].join("\n"));
    expect({ status, error: body["error"] }).toEqual({ status: 400, error: "invalid_lines" });
    expect(body["message"]).toContain("10009 of 10010 items can't be read; details has the first 20. Nothing was written");
    const details = body["details"] as { path: string; message: string }[];
    expect(details).toHaveLength(20);
    expect(details.map(({ path }) => path).slice(0, 3)).toEqual(["line 2", "line 3", "line 4"]);
    expect(details.map(({ message }) => message)).toEqual(
      [
        "is no JSON",
        "input: is missing: send null for nothing",
        '"expected_output"',
        "The input of the item in line 5 does not fit the dataset's schema",
        "is no regular expression",
        "split: a NUL character",
        "The item in line 8 is longer than",
        "expected object",
        ...Array.from({ length: 12 }, () => "is no JSON"),
      ].map((part) => expect.stringContaining(part) as string),
    );
    expect(await rig.readItems(id)).toEqual([]);
  });

  test("names a line that is no UTF-8, or is longer than an item can be", async () => {
    const id = await rig.makeDataset();
    const huge = Buffer.alloc(MAX_LINE_BYTES + 10, "x");
    const file = Buffer.concat([
      Buffer.from('{"input": 1}\n"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"\n'),
      huge,
      Buffer.from('\n{"input": 2}'),
    ]);
    const { body } = await rig.importFile(id, file);
    expect(body).toMatchObject({
      error: "invalid_lines",
      details: [
        { path: "line 2", message: "is not UTF-8" },
        { path: "line 3", message: `is longer than ${MAX_LINE_BYTES} bytes` },
      ],
    });
    expect(await rig.readItems(id)).toEqual([]);
  });

  test("leaves nothing of batches that were written before one that can't be", async () => {
    const id = await rig.makeDataset();
    const twice = uuidv7();
    const many = Array.from({ length: 600 }, (_, at) => ({ input: at }));
    const { body } = await rig.importFile(id, toLines([{ id: twice, input: "a" }, ...many, { id: twice, input: "b" }]));
    expect(body).toMatchObject({ error: "invalid_request", message: expect.stringContaining(`The item ${twice} is in the request twice`) });
    expect(await rig.readItems(id)).toEqual([]);
    expect(datasetSchema.parse((await rig.get(`/datasets/${id}`)).body)).toMatchObject({ version: 0, items: 0 });
  });

  test("is masked by the project's rules, and names what can't be", async () => {
    const id = await rig.makeDataset();
    const setRules = (keys: string[]) =>
      putMasking(database.query, {
        projectId: rig.projectId,
        reader: { kind: "operator" },
        rules: { keys, patterns: [] },
        by: "test",
        at: new Date(),
      });
    await setRules(["password", "at_most"]);
    expect(await imported(id, '{"input": {"password": "hunter2"}}')).toMatchObject({ added: 1 });
    expect(await rig.readItems(id)).toMatchObject([{ input: { password: "[masked]" } }]);
    const { body } = await rig.importFile(id, '{"input": 1, "checks": [{"type": "limit", "of": "steps", "at_most": 3, "name": "short"}]}');
    expect(body).toMatchObject({ error: "check_masked", message: expect.stringContaining("(short)") });
    await setRules([]);
  });
});

describe("a file", () => {
  test.each([
    ["of nothing", "", JSONL, {}, 400, "empty_file"],
    ["of a header alone", "input,expected\r\n", CSV, {}, 400, "empty_file"],
    ["of another kind", "{}", "application/json", {}, 415, "unsupported_media_type"],
    ["that is said to be packed", "{}", JSONL, { "content-encoding": "gzip" }, 400, "invalid_gzip"],
    ["packed otherwise", "{}", JSONL, { "content-encoding": "br" }, 415, "unsupported_encoding"],
  ])("%s is refused", async (_what, content, type, headers, status, error) => {
    expect(await rig.importFile(await rig.makeDataset(), content, type, headers)).toMatchObject({ status, body: { error } });
  });

  test("that unpacks to more than the limit is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(257 * 1024 * 1024, "x"));
    expect(await rig.importFile(await rig.makeDataset(), bomb, JSONL, { "content-encoding": "gzip" })).toMatchObject({
      status: 413,
      body: { error: "body_too_large" },
    });
  });

  test("whose connection is cut in the middle writes nothing, and holds no lock meanwhile", async () => {
    const id = await rig.makeDataset();
    const origin = await rig.api.server.listen({ host: "127.0.0.1", port: 0 });
    const headers = { authorization: `Bearer ${rig.key}`, "content-type": JSONL };
    const sending = request(`${origin}${rig.base}/datasets/${id}/items/import`, { method: "POST", headers });
    sending.on("error", () => undefined);
    const arrived = once(rig.api.server.server, "request");
    sending.write('{"input": "cut"}\n');
    await arrived;
    await rig.post(`/datasets/${id}/items`, { items: [{ input: "meanwhile" }] });
    sending.destroy();
    await expect
      .poll(async () => (await database.pool.query("select 1 from pg_stat_activity where state like 'idle in%'")).rowCount)
      .toBe(0);
    await nextTurn();
    expect((await rig.readItems(id)).map(({ input }) => input)).toEqual(["meanwhile"]);
  });

  test("of a dataset that is gone is refused before it is read", async () => {
    expect(await rig.importFile(uuidv7(), '{"input": 1}')).toMatchObject({ status: 404, body: { error: "dataset_not_found" } });
  });
});
