import { expect, test } from "vitest";
import { nameAltered, nameIncomplete } from "./name-incomplete.ts";

test("what is not as it was recorded is named by its place, also where a text is masked or cut in part", () => {
  const input = {
    whole: ["a [list] of 2", "[1] see below", 3, null],
    key: "[masked]",
    text: "Bearer [masked], please",
    long: "aaaa…[cut: 90000 characters]",
    items: [1, "[3 more]"],
    file: "[binary: 12 bytes]",
    order: "[Order]",
    deep: { a: "[depth limit]", b: "[withheld: the mask function failed]" },
    more: { "…": "[more keys]" },
  };
  expect(nameAltered("input", input)).toEqual(
    ["key", "text", "long", "items/1", "file", "order", "deep/a", "deep/b", "more/…"].map((path) => `input/${path}`),
  );
  expect(nameIncomplete("input", input)).toEqual(["input/key"]);
});
