import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importedItemsSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";

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

describe("a file of CSV", () => {
  test("has columns of an item and of its keys; cells are JSON, or text as it is", async () => {
    const id = await rig.makeDataset();
    const text = [
      "\uFEFFinput.question,input.limit,expected,metadata.by,split,required",
      '"say ""hi"", please",3,hello,ann,1,TRUE',
      '"two\r\nlines",,"{""a"": [1]}",,,',
      ",,,,,",
      "12345678901234567890,0123,null,true,,false",
    ].join("\r\n");
    expect(await imported(id, text, CSV)).toMatchObject({ version: 1, added: 3 });
    expect(await rig.readItems(id)).toMatchObject([
      { input: { question: 'say "hi", please', limit: 3 }, expected: "hello", metadata: { by: "ann" }, split: "1", required: true },
      { input: { question: "two\r\nlines" }, expected: { a: [1] }, metadata: {}, split: null, required: false },
      { input: { question: Number("12345678901234567890"), limit: "0123" }, expected: null, metadata: { by: true } },
    ]);
  });

  test("names lines with too few cells, open quotes and no input, and writes none", async () => {
    const id = await rig.makeDataset();
    const { body } = await rig.importFile(id, 'input,expected\n"a\nb",1\nonly\n,2\n"open,3\nx,4', CSV);
    expect(body).toMatchObject({
      error: "invalid_lines",
      details: [
        { path: "line 4", message: expect.stringContaining("is no CSV: Invalid Record Length") },
        { path: "line 5", message: "input: is missing: send null for nothing" },
        { path: expect.stringMatching(/^line [67]$/), message: expect.stringContaining("is no CSV") },
      ],
    });
    const cut = Buffer.concat([Buffer.from("input\na\n"), Buffer.from([0xff]), Buffer.from("\nb\n")]);
    expect(await rig.importFile(id, cut, CSV)).toMatchObject({
      status: 400,
      body: { details: [{ path: "line 3", message: "is not UTF-8" }] },
    });
    expect(await rig.readItems(id)).toEqual([]);
  });

  test.each([
    ["question,input", '"question" is none'],
    ["input;expected", '"input;expected" is none'],
    ["input,input.a", "input is given twice"],
    ["input,split.a", '"split.a" is none'],
  ])("with the columns %s is refused", async (header, message) => {
    const { body } = await rig.importFile(await rig.makeDataset(), `${header}\na,b\n`, CSV);
    expect(body).toMatchObject({ error: "invalid_columns", message: expect.stringContaining(message) });
  });
});

const ODD = [
  "=1+1",
  "+1",
  "-x",
  "@a",
  "'quoted",
  '"json"',
  "true",
  "12",
  " led",
  "\ttab",
  "",
  "a,b",
  'a"b',
  "two\r\nlines",
  "a\rb",
  "\0",
  "ä😀",
  "{",
  "1e400",
];

describe("an export", () => {
  test.each(["jsonl", "csv"] as const)("as %s is imported as the same items", async (format) => {
    const source = { trace_id: uuidv7(), path: "a.py", line: 3 };
    const whole = {
      checks: [{ type: "succeeds" }],
      metadata: { m: ["=1"] },
      split: "=1+1",
      subject: "12",
      cluster: '"c"',
      required: true,
      source,
    };
    const values = [...ODD, -1.5, 1e21, 2 ** 53, null, true, [], { a: { b: "=x" } }];
    const id = await rig.makeDataset(
      values.map((value, at) => ({ ...(at % 2 === 0 ? whole : {}), input: value, expected: [value, at][at % 3 === 0 ? 1 : 0] })),
    );
    const answer = await rig.exportFile(id, `?format=${format}`);
    expect(answer.headers["content-disposition"]).toContain(`${id}-1.${format}`);
    const copy = await rig.makeDataset();
    expect(await imported(copy, answer.body, format === "csv" ? CSV : JSONL)).toMatchObject({ added: values.length, duplicates: 0 });
    expect(await rig.readItems(copy)).toEqual(await rig.readItems(id));
    // And into itself, nothing changes.
    expect(await imported(id, answer.body, format === "csv" ? CSV : JSONL)).toMatchObject({ version: 1, unchanged: values.length });
  });

  test("as CSV has no cell that a spreadsheet runs", async () => {
    const id = await rig.makeDataset(ODD.map((text) => ({ input: text, split: text === "" || text.includes("\0") ? null : text })));
    const { body } = await rig.exportFile(id, "?format=csv");
    expect(body.split("\r\n").filter((line) => /(?:^|,)"?[=+\-@\t\r]/.test(line))).toEqual([]);
  });

  test("is of the version that is asked for, page by page, and of one that is there", async () => {
    const id = await rig.makeDataset(Array.from({ length: 250 }, (_, at) => ({ input: at })));
    await rig.post(`/datasets/${id}/items`, { items: [{ input: "later", split: "late" }] });
    const inputs = async (query: string) =>
      (await rig.exportFile(id, query)).body
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as { input: unknown }).input);
    expect(await inputs("?version=1")).toEqual(Array.from({ length: 250 }, (_, at) => at));
    expect(await inputs("?split=late")).toEqual(["later"]);
    expect(await inputs("?version=0")).toEqual([]);
    expect((await rig.exportFile(id, "?version=3")).json()).toMatchObject({ error: "version_not_found" });
  });
});
