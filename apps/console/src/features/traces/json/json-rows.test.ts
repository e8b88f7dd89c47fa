import { describe, expect, it } from "vitest";
import { findInJson, toRowId, isFoldable, jsonRows, openDepth, pathText, MAX_ROWS, valueAt, withValueAt } from "./json-rows.ts";

const value = { messages: [{ role: "user", content: "Where is order 42?" }], "two words": { deep: [1, null, true] }, empty: {} };

describe("rows of a JSON view", () => {
  it("show what is open, in order, with their keys and depth", () => {
    const rows = jsonRows(value, (_id, path) => path.length < 2);
    expect(rows.map(({ label, depth, expanded }) => [label, depth, expanded])).toEqual([
      [undefined, 0, true],
      ["messages", 1, true],
      [0, 2, false],
      ["two words", 1, true],
      ["deep", 2, false],
      ["empty", 1, undefined],
    ]);
  });

  it("break a long text into lines that are rows of their own", () => {
    const rows = jsonRows(`first\n${"x".repeat(250)}`, () => true, 102);
    expect(rows.map(({ line }) => line?.length)).toEqual([undefined, 5, 100, 100, 50]);
    const words = jsonRows({ text: "one two three four five six seven\n\nend" }, () => true, 28);
    expect(words.flatMap(({ line }) => line ?? [])).toEqual(["one two three four five ", "six seven", "", "end"]);
    expect(isFoldable("short")).toBe(false);
  });

  it("end at a bound, whatever the size of a list", () => {
    expect(
      jsonRows(
        Array.from({ length: 300_000 }, (_, index) => index),
        () => true,
      ),
    ).toHaveLength(MAX_ROWS);
  });

  it("are open from the start as deep as they fit", () => {
    expect(openDepth(value, 300)).toBeGreaterThanOrEqual(3);
    expect(openDepth({ list: Array.from({ length: 1_000 }, () => ({ a: 1 })) }, 100)).toBe(1);
    expect(openDepth({ text: "x\n".repeat(1_000) }, 40)).toBe(1);
  });

  it("have ids that no key can break, and that differ for different places", () => {
    const ids = [["a/b"], ["a", "b"], ["a%2f.b"], ["\uD800"], [" "], [1], ["#1"]].map(toRowId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^\$[\w/%.-]*$/.test(id))).toBe(true);
  });
});

describe("a place in JSON", () => {
  it("has a path that can be pasted, and a value", () => {
    expect(pathText(value, ["messages", 0, "content"])).toBe("$.messages[0].content");
    expect(pathText(value, ["two words", "deep", 1])).toBe('$["two words"].deep[1]');
    expect(valueAt(value, ["two words", "deep", 2])).toBe(true);
    expect(valueAt(value, ["no", "such"])).toBeUndefined();
  });

  it("can hold another value, and the rest stays", () => {
    const changed = withValueAt(value, ["messages", 0, "content"], { whole: 1 });
    expect(valueAt(changed, ["messages", 0, "content", "whole"])).toBe(1);
    expect(valueAt(changed, ["two words"])).toBe(value["two words"]);
    expect(valueAt(value, ["messages", 0, "content"])).toBe("Where is order 42?");
  });
});

describe("searching in JSON", () => {
  it("finds keys, texts, numbers and truth values from the top down, in either case", () => {
    expect(findInJson(value, "ORDER").paths).toEqual([["messages", 0, "content"]]);
    expect(findInJson(value, "e").paths.map((path) => path.at(-1))).toEqual(["messages", "role", "content", "deep", 2, "empty"]);
    expect(findInJson(value, "null").paths).toEqual([["two words", "deep", 1]]);
    expect(findInJson(value, "  ").paths).toEqual([]);
  });

  it("ends at a bound and says so", () => {
    const found = findInJson(
      Array.from({ length: 6_000 }, () => "same"),
      "same",
    );
    expect(found).toMatchObject({ isCut: true });
    expect(found.paths).toHaveLength(5_000);
  });
});
