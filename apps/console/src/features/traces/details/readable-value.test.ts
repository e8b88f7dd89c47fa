import { expect, test } from "vitest";
import { readableValue } from "./readable-value.ts";

test("a text is a text, and a number too", () => {
  expect(readableValue("found")).toEqual({ as: "text", text: "found" });
  expect(readableValue(4)).toEqual({ as: "text", text: "4" });
});

test("few names with short values stand beside each other", () => {
  expect(readableValue({ order: 42, note: "two\nlines", tags: ["a"] })).toEqual({
    as: "pairs",
    pairs: [
      { name: "order", text: "42", isData: true },
      { name: "note", text: "two\nlines", isData: false },
      { name: "tags", text: '["a"]', isData: true },
    ],
  });
});

test("an object of few plain values within them is read with them", () => {
  expect(readableValue({ metadata: { country: "PL", attempt: 2 }, ids: { list: [1] } })).toEqual({
    as: "pairs",
    pairs: [
      { name: "metadata.country", text: "PL", isData: false },
      { name: "metadata.attempt", text: "2", isData: true },
      { name: "ids", text: '{"list":[1]}', isData: true },
    ],
  });
});

test("what is larger, deeper or a list is JSON", () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key-${index}`, index]));
  for (const value of [many, { deep: { list: Array.from({ length: 100 }, (_, index) => index) } }, [1, 2], {}]) {
    expect(readableValue(value)).toEqual({ as: "json", value });
  }
});
