import { expect, test } from "vitest";
import { formatEntry, typeOfEntry } from "./entry-text.ts";

const fields = { v: "1", type: "trace.start", seq: "7", body: '{"name":"run","input":[1]}' };
const entry = JSON.stringify(Object.entries(fields).flat());

test("an entry is shown with its body as JSON", () => {
  expect(JSON.parse(formatEntry(entry) ?? "")).toEqual({ ...fields, body: { name: "run", input: [1] } });
});

test("a body that is no JSON stays the text it was", () => {
  expect(JSON.parse(formatEntry(JSON.stringify(["v", "1", "body", '{"name":'])) ?? "")).toEqual({ v: "1", body: '{"name":' });
});

test("an entry that was cut has no fields to show", () => {
  expect(formatEntry(entry.slice(0, 30))).toBeUndefined();
});

test("a name that is data stays data", () => {
  expect(formatEntry('["__proto__","x"]')).toContain('"__proto__": "x"');
});

test("the type is told of an entry that was cut, too", () => {
  expect(typeOfEntry(entry.slice(0, 40))).toBe("trace.start");
  expect(typeOfEntry('["hello","world"]')).toBeUndefined();
});
