import { expect, test } from "vitest";
import { isSaved, NONE, readKept, remember, toggleSaved } from "./kept-searches.ts";

test("the last search comes first, and replaces what it was typed further from", () => {
  const kept = ["retry", "parse", "parseConfig", "retry"].reduce((before, q) => remember(before, { q }), NONE);
  expect(kept.recent.map(({ q }) => q)).toEqual(["retry", "parseConfig"]);
  const elsewhere = remember(kept, { q: "retry now", repo: "acme/shop" });
  expect(elsewhere.recent).toHaveLength(3);
});

test("a search is saved, found again with all its filters, and forgotten", () => {
  const saved = toggleSaved(NONE, { q: "retry", lang: "go" });
  expect([isSaved(saved, { q: "retry", lang: "go" }), isSaved(saved, { q: "retry" })]).toEqual([true, false]);
  expect(toggleSaved(saved, { q: "retry", lang: "go" })).toEqual(NONE);
});

test("what the browser keeps is read, and what is none of it is nothing", () => {
  const kept = toggleSaved(NONE, { q: "retry" });
  expect(readKept(JSON.stringify(kept))).toEqual(kept);
  for (const stored of [undefined, "", "{", '{"saved":[1]}', "null"]) {
    expect(readKept(stored)).toEqual(NONE);
  }
});
