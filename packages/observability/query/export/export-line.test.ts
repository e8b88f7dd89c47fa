import { expect, test } from "vitest";
import { MAX_LINE, toLine } from "./export-line.ts";

test("a line is the JSON of what it holds", () => {
  expect(toLine({ type: "observation", input: { a: "\n" }, output: null })).toBe(
    '{"type":"observation","input":{"a":"\\n"},"output":null}\n',
  );
});

test("of a line that would be too long the longest values are cut, and only as many as need be", () => {
  const long = "\u{1F600}".repeat(MAX_LINE / 2);
  const line = toLine({ type: "observation", input: "short", output: [long], attributes: { kept: "k".repeat(20_000) } });
  expect(line.length).toBeLessThan(MAX_LINE);
  const read = JSON.parse(line) as Record<string, Record<string, unknown>>;
  expect(read["input"]).toBe("short");
  expect(read["attributes"]).toEqual({ kept: "k".repeat(20_000) });
  expect(read["output"]).toMatchObject({ truncated: true, characters: MAX_LINE + 4 });
  expect(String(read["output"]?.["preview"]).isWellFormed()).toBe(true);
  const both = toLine({ type: "trace", input: long, output: long, reasoning: long, attributes: { long } });
  expect(both.length).toBeLessThan(MAX_LINE);
});
