import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { createOutput, type LogFormat } from "./log-lines.ts";

function render(format: LogFormat, line: string): string {
  let written = "";
  createOutput({ format, write: (text) => (written += text), color: false }).childLine("indexer", line);
  return written;
}

const record = { level: "info", time: "2026-11-21T10:00:00.000Z", pid: 7, name: "indexer", msg: "indexed", files: 3 };

test("a JSON line becomes a short one for people", () => {
  expect(render("pretty", JSON.stringify(record))).toMatch(/^\d\d:\d\d:\d\d indexer {6} ?indexed {2}files=3\n$/);
});

test("an error keeps of its stack what is ours, a warning what happened", () => {
  const stack = "Error: no room\n    at write (disk.ts:1:1)\n    at emit (node:events:1:1)\ncaused by: Error: full";
  const err = { type: "Error", message: "no room", stack };
  const text = render("pretty", JSON.stringify({ ...record, level: "error", msg: "a job failed", err }));
  expect(text).toContain("error a job failed");
  expect(text).toContain("at write (disk.ts:1:1)");
  expect(text).not.toContain("node:events");
  const warning = render("pretty", JSON.stringify({ ...record, level: "warn", err }));
  expect(warning).toContain("Error: no room");
  expect(warning).toContain("caused by: Error: full");
  expect(warning).not.toContain(" at ");
});

test("what is not JSON is shown as it is", () => {
  expect(render("pretty", "Segmentation fault")).toContain("indexer       Segmentation fault");
});

test("for machines every line is one JSON object", () => {
  expect(JSON.parse(render("json", JSON.stringify(record)))).toEqual(record);
  expect(JSON.parse(render("json", "Segmentation fault"))).toMatchObject({ name: "indexer", msg: "Segmentation fault" });
});

test.each([
  ["\n", true],
  ["Yes\n", true],
  ["n\n", false],
  ["what?\n", false],
  ["", false],
])("a person who answers %j has said %s", async (typed, answer) => {
  let written = "";
  const output = createOutput({ format: "pretty", write: (text) => (written += text), color: false, answers: Readable.from([typed]) });
  expect(await output.ask?.("Install it?")).toBe(answer);
  expect(written).toBe("Install it? [Y/n] ");
});

test("where nobody sits at a terminal, nobody is asked", () => {
  const write = () => undefined;
  expect(createOutput({ format: "pretty", write, color: false }).ask).toBeUndefined();
  expect(createOutput({ format: "json", write, color: false, answers: Readable.from([]) }).ask).toBeUndefined();
});

test("once quiet, a person is shown warnings, errors and what a program itself prints", () => {
  let quiet = false;
  let written = "";
  const { childLine } = createOutput({ format: "pretty", write: (text) => (written += text), color: false, isQuiet: () => quiet });
  const tell = (level: string) => childLine("consumer", JSON.stringify({ ...record, level, msg: `of ${level}` }));
  tell("info");
  quiet = true;
  ["debug", "info", "warn", "error"].forEach(tell);
  childLine("demo", "Indexing sightline");
  expect(written.split("\n").map((line) => /of \w+|Indexing/.exec(line)?.[0])).toEqual([
    "of info",
    "of warn",
    "of error",
    "Indexing",
    undefined,
  ]);
});
