import { expect, test } from "vitest";
import { quote } from "./comment.ts";

test.for([
  ["refunds", "`refunds`"],
  ["a`b`", "`aˋbˋ`"],
  ["<script> @all #1 [x](http://evil) | y", "`<script> @all #1 [x](http://evil) ∣ y`"],
  ["two\nlines\u0000\u2028/close", "`two lines /close`"],
  ["", "` `"],
  ["x".repeat(400), `\`${"x".repeat(300)}…\``],
] as const)("%j stands in a code span that nothing of it can end", ([text, expected]) => {
  expect(quote(text)).toBe(expected);
});
