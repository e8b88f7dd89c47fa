import { expect, test } from "vitest";
import { nameRanges } from "./name-ranges.ts";

test("names are found whole, in whatever piece of code, but not in comments, strings and keywords", () => {
  const tokens = [
    { text: "return", color: "var(--sl-code-token-keyword)" },
    { text: " pause(retryNow, ", color: undefined },
    { text: '"pause"', color: "var(--sl-code-token-string)" },
    { text: "); // pause", color: "var(--sl-code-token-comment)" },
  ];
  const line = tokens.map(({ text }) => text).join("");
  const found = nameRanges(tokens, { own: new Set(["retryNow", "return"]), used: new Set(["pause", "retry"]) });
  expect(found.map(([from, to]) => [from, line.slice(from, to)])).toEqual([
    [7, "pause"],
    [13, "retryNow"],
  ]);
});

test.each([
  ["found.scope = scope;", []],
  ["const found = scope(text);", ["scope"]],
  ["function read(scope: Scope) {", ["Scope"]],
  ['import { scope } from "./scope.ts";', ["scope", "scope"]],
])("of names that other files define those are followed that are no variables: %s", (text, names) => {
  const found = nameRanges([{ text, color: undefined }], { own: new Set(), used: new Set(["scope", "Scope"]) });
  expect(found.map(([from, to]) => text.slice(from, to))).toEqual(names);
});
