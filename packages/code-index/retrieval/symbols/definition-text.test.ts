import { expect, test } from "vitest";
import { commentAbove } from "./definition-text.ts";

test.each([
  ["lines", ["const a = 1;", "// Waits,", "// then tries."], "Waits,\nthen tries."],
  ["a block up to its tags", ["/**", " * Waits.", " *", " * @returns when", " */"], "Waits."],
  ["a block of one line", ["x();", "/** Waits. */"], "Waits."],
  ["above a decorator", ["# Waits.", "@retry(3)"], "Waits."],
  ["of Rust, above an attribute", ["/// Waits.", "#[inline]"], "Waits."],
  ["not across a blank line", ["// About something else.", ""], ""],
  ["not what the preprocessor reads", ["#include <stdio.h>"], ""],
  ["not at a file's beginning", [], ""],
])("the comment of a definition: %s", (_name, lines, said) => {
  expect(commentAbove(lines)).toBe(said);
});
