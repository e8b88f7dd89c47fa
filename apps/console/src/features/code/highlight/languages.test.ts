import { expect, test } from "vitest";
import { grammarFor, languageNamedBy } from "./languages.ts";

test.each([
  ["src/pay.ts", "typescript"],
  ["lib/pay.rs", "rust"],
  ["include/pay.h", "c"],
  ["deploy/Dockerfile", "docker"],
  ["Makefile", "make"],
  [".github/workflows/ci.yml", "yaml"],
  ["LICENSE", undefined],
])("the name of %s tells its grammar", (path, grammar) => {
  expect(grammarFor(languageNamedBy(path))).toBe(grammar);
});
