import { expect, test } from "vitest";
import { fromEditable, toEditable, typeOf } from "./entry-text.ts";

const fields = { v: "1", type: "trace.start", seq: "7", body: '{"name":"run","input":[1]}' };
const entry = JSON.stringify(Object.entries(fields).flat());

test("an entry is read with its body as JSON, and written back as the stream carries it", () => {
  const text = toEditable(entry) ?? "";
  expect(JSON.parse(text)).toEqual({ ...fields, body: { name: "run", input: [1] } });
  expect(fromEditable(text)).toEqual({ fields });
});

test("a body that is no JSON stays the text it was", () => {
  const broken = JSON.stringify(["v", "1", "body", '{"name":']);
  expect(fromEditable(toEditable(broken) ?? "")).toEqual({ fields: { v: "1", body: '{"name":' } });
});

test("an entry that was cut can't be mended", () => {
  expect(toEditable(entry.slice(0, 30))).toBeUndefined();
});

test("what is no object of fields says so", () => {
  expect(fromEditable("[1]")).toEqual({ problem: "Write the fields as an object: { … }" });
  expect(fromEditable("{")).toEqual({ problem: expect.stringContaining("This is no JSON") });
});

test("a name that is data stays data", () => {
  expect(toEditable('["__proto__","x"]')).toContain('"__proto__": "x"');
});

test("the type is told of an entry that was cut, too", () => {
  expect(typeOf(entry.slice(0, 40))).toBe("trace.start");
  expect(typeOf('["hello","world"]')).toBeUndefined();
});
