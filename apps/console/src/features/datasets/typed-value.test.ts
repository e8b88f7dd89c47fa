import { describe, expect, it } from "vitest";
import { readChecks, readTyped, toTyped } from "./typed-value.ts";

describe("a value that is typed", () => {
  it("keeps how its numbers are written", () => {
    const typed = readTyped('{"price": 1.10, "id": 12345678901234567890}');
    const value = "value" in typed ? typed.value : null;
    expect(JSON.stringify(value)).toBe('{"price":1.10,"id":12345678901234567890}');
    expect(toTyped(value)).toContain('"price": 1.10');
    expect(JSON.stringify(readChecks('[{"type":"equals","value":1.10},{"type":"limit","of":"cost","at_most":1.10}]'))).toContain(
      '"value":1.10},{"type":"limit","of":"cost","at_most":1.1}',
    );
  });

  it.each([
    ['{"a": 1}', { a: 1 }],
    ["Where is my parcel?", "Where is my parcel?"],
    ["", null],
    ["42", 42],
    ['"42"', "42"],
  ])("reads %s", (text, value) => {
    expect(readTyped(text)).toEqual({ value });
  });

  it("does not take an object with a slip for a text", () => {
    expect(readTyped('{"a": 1')).toHaveProperty("problem");
  });

  it.each([null, "a text", "42", "", "  ", "true", "[not a list", '{"a"', { a: [1, "x"] }, 3, false])(
    "is read again as it was: %j",
    (value) => {
      expect(readTyped(toTyped(value))).toEqual({ value });
    },
  );
});

describe("checks that are typed", () => {
  it("are read with what was left out", () => {
    expect(readChecks('[{"type":"tool","tool":"refund"}]')).toEqual({ value: [{ type: "tool", tool: "refund", at_least: 1 }] });
  });

  it("are refused with the place of what is wrong", () => {
    expect(readChecks('[{"type":"tool"}]')).toEqual({ problem: expect.stringContaining("0.tool") });
    expect(readChecks("always")).toHaveProperty("problem");
  });
});
