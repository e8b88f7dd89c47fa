import { expect, test } from "vitest";
import { linesOf, namesOf } from "./patterns.ts";

test("patterns are lines, whatever spaces are around them", () => {
  expect(linesOf(" *.snap\n\n/dist/ \r\n")).toEqual(["*.snap", "/dist/"]);
  expect(linesOf("")).toEqual([]);
});

test("branches are apart by commas, spaces or lines", () => {
  expect(namesOf("dev, release/1.0\nnext")).toEqual(["dev", "release/1.0", "next"]);
  expect(namesOf("  ")).toEqual([]);
});
