import { expect, test } from "vitest";
import { splitAtWords } from "./split-at-words.ts";

test("words are marked whole, in either case, and nothing of the text is lost", () => {
  const parts = splitAtWords("The Tracking link: re-tracking_2, tracking!", ["tracking", "link"]);
  expect(parts.map(({ text }) => text).join("")).toBe("The Tracking link: re-tracking_2, tracking!");
  expect(parts.filter(({ isFound }) => isFound).map(({ text }) => text)).toEqual(["Tracking", "link", "tracking"]);
  expect(splitAtWords("none", [])).toEqual([{ text: "none", isFound: false }]);
});
