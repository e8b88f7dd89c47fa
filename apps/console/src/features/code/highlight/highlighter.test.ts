import { afterEach, expect, test, vi } from "vitest";
import { type HighlightedLine, highlight } from "./highlighter.ts";

const LINES = ["export function pause(attempt: number): number {", "  return Math.min(1000 * 2 ** attempt, 60_000);", "}"];

afterEach(() => vi.restoreAllMocks());

test("a line is coloured to its end however slow the machine is", { timeout: 60_000 }, async () => {
  let now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => (now += 1_000));
  const slowly = await colour();
  vi.restoreAllMocks();
  const texts = slowly.map((line) => line.map(({ text }) => text));
  expect(texts[0]).toContain("pause");
  expect(texts[1]?.length).toBeGreaterThan(5);
  expect(slowly).toEqual(await colour());
});

async function colour(): Promise<readonly HighlightedLine[]> {
  const lines: HighlightedLine[] = [];
  for await (const piece of highlight(LINES, "typescript")) {
    lines.push(...piece);
  }
  return lines;
}
