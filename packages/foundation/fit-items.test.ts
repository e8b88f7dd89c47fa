import { expect, test } from "vitest";
import { fitItems } from "./fit-items.ts";

const fitting = { render: (text: string) => text, countTokens: (text: string) => text.length };

test("items are kept from the first, as many as fit with the ends of their lines", () => {
  expect(fitItems(["aa", "bb", "cc"], { ...fitting, maxTokens: 6 })).toEqual(["aa", "bb"]);
  expect(fitItems(["aa", "bb"], { ...fitting, maxTokens: 100 })).toEqual(["aa", "bb"]);
});

test("one item is kept however long it is, so that paging makes progress", () => {
  expect(fitItems(["much too long", "b"], { ...fitting, maxTokens: 2 })).toEqual(["much too long"]);
});
