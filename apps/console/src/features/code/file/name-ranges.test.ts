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
  const found = nameRanges(tokens, new Set(["pause", "retry", "retryNow", "return"]));
  expect(found.map(([from, to]) => [from, line.slice(from, to)])).toEqual([
    [7, "pause"],
    [13, "retryNow"],
  ]);
});
