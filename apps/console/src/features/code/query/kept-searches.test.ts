import { expect, test } from "vitest";
import { fromSavedQuery, isSame, NONE, readKept, remember, toSavedQuery } from "./kept-searches.ts";

test("the last search comes first, and replaces what it was typed further from", () => {
  const kept = ["retry", "parse", "parseConfig", "retry"].reduce((before, q) => remember(before, { q }), NONE);
  expect(kept.recent.map(({ q }) => q)).toEqual(["retry", "parseConfig"]);
  const elsewhere = remember(kept, { q: "retry now", repo: "acme/shop" });
  expect(elsewhere.recent).toHaveLength(3);
});

test("a search is saved as the server has it, and its address made of that again", () => {
  for (const search of [
    { q: "retry", lang: "go", kind: "test" },
    { q: "a b", mode: "grep", regex: "true", case: "true", repo: "acme/shop", ref: "release", path: "src/" },
  ]) {
    expect(isSame(fromSavedQuery(toSavedQuery(search)), search)).toBe(true);
  }
});

test("what the browser keeps is read, and what is none of it is nothing", () => {
  const kept = { saved: [{ q: "retry" }], recent: [] };
  expect(readKept(JSON.stringify(kept))).toEqual(kept);
  for (const stored of [undefined, "", "{", '{"saved":[1]}', "null"]) {
    expect(readKept(stored)).toEqual(NONE);
  }
});
