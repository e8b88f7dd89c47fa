import { describe, expect, it } from "vitest";
import { toBlocks, joinFiles } from "./grep-lines.ts";

const match = (line: number, before: string[] = [], after: string[] = []) => ({ line, text: `match ${line}`, ranges: [], before, after });
const place = { repo: "acme/shop", ref: "main", commit: "c1", path: "a.ts", language: "typescript" };

describe("the lines of a file that match", () => {
  it("stand once each, in order, with the lines around them", () => {
    const blocks = toBlocks([match(3, ["two"], ["match 4"]), match(4, ["match 3"], ["five"]), match(9, ["eight"], [])]);
    expect(blocks.map((block) => block.map(({ line, text, matched }) => `${line} ${text}${matched ? " !" : ""}`))).toEqual([
      ["2 two", "3 match 3 !", "4 match 4 !", "5 five"],
      ["8 eight", "9 match 9 !"],
    ]);
  });

  it("go on with the next page where one ended inside of the file", () => {
    const files = joinFiles([
      { ...place, matches: [match(1)] },
      { ...place, matches: [match(2)] },
      { ...place, ref: "other", matches: [match(1)] },
    ]);
    expect(files.map(({ ref, matches }) => [ref, matches.map(({ line }) => line)])).toEqual([
      ["main", [1, 2]],
      ["other", [1]],
    ]);
  });
});
