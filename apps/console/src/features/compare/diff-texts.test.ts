import { expect, test } from "vitest";
import { toDiffWords } from "./diff-texts.ts";

const MARKS = { same: "", a: "-", b: "+" };

test.each([
  ["I look it up with refund_payment.", "I look it up with find_order.", ["I look it up with ", "-refund_payment", "+find_order", "."]],
  ["It was shipped.", "It was shipped on Monday.", ["It was shipped", "+ on Monday", "."]],
])("%s becomes %s word by word", (a, b, parts) => {
  expect(toDiffWords(a, b)?.map(({ kind, text }) => `${MARKS[kind]}${text}`)).toEqual(parts);
});

test.each([
  ["Where is my parcel?", "The voucher doesn't work."],
  ["An answer.", ""],
])("%s and %s are not mixed", (a, b) => {
  expect(toDiffWords(a, b)).toBeUndefined();
});
