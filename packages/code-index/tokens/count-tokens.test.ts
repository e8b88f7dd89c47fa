import * as fc from "fast-check";
import { countTokens as countWhole } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { countTokens, takeTokens } from "./count-tokens.ts";

test("no text is counted as fewer tokens than it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), (text) => {
      expect(countTokens(text)).toBeGreaterThanOrEqual(countWhole(text, { disallowedSpecial: new Set() }));
    }),
  );
});

test("code is counted nearly as it is", () => {
  const code = "export function handle(request: Request) {\n  return answer(request.id);\n}\n".repeat(50);
  expect(countTokens(code)).toBeLessThan(countWhole(code) * 1.05);
});

test("what a tokenizer takes long for is counted at once", () => {
  const began = performance.now();
  countTokens(" ".repeat(100_000));
  countTokens("a".repeat(100_000));
  expect(performance.now() - began).toBeLessThan(3_000);
});

test("a text's special tokens are only text", () => {
  expect(countTokens("<|endoftext|>")).toBeGreaterThan(1);
});

test("as many whole lines are taken as fit, and part of a line only when none does", () => {
  const text = "one two three\nfour five six\nseven eight nine\n";
  expect(takeTokens(text, 100)).toBe(text);
  expect(takeTokens(text, countTokens("one two three\nfour five six\n"))).toBe("one two three\nfour five six\n");
  expect(takeTokens("x ".repeat(2_000), 600).length).toBeGreaterThan(0);
});
