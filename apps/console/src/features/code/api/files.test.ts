import type { SourceFile } from "@sightline/code-index/contract";
import { describe, expect, it } from "vitest";
import { wholeFile } from "./files.ts";

const LINES = Array.from({ length: 25 }, (_, index) => `line ${index + 1}`);

/** An API that gives ten lines at once. */
async function tenLinesFrom(start = 1): Promise<SourceFile> {
  const end = Math.min(LINES.length, start + 9);
  return {
    ref: "main",
    repo: "acme/shop",
    commit: "c1",
    path: "a.txt",
    language: "text",
    start_line: start,
    end_line: end,
    total_lines: LINES.length,
    content: LINES.slice(start - 1, end).join("\n"),
    truncated: end < LINES.length,
  };
}

describe("a file over the limit of one answer", () => {
  it("is joined from its ranges", async () => {
    const file = await wholeFile(tenLinesFrom);
    expect(file).toMatchObject({ start_line: 1, end_line: 25, truncated: false });
    expect(file.content.split("\n")).toEqual(LINES);
  });

  it("stays what it was when the index moves to another commit meanwhile", async () => {
    const file = await wholeFile(async (start) => ({ ...(await tenLinesFrom(start)), commit: start === undefined ? "c1" : "c2" }));
    expect(file).toMatchObject({ commit: "c1", end_line: 10, truncated: true });
  });

  it("does not ask for ever when an answer brings nothing new", async () => {
    let calls = 0;
    const file = await wholeFile(() => {
      calls += 1;
      return tenLinesFrom();
    });
    expect([file.end_line, calls]).toEqual([10, 2]);
  });
});
