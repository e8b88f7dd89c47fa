import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "#testing/read-documents.ts";

const CONTRACT = "docs/contract.md";
const REFERENCE = /docs\/contract\.md#([\w-]+)/g;
/** A group or a test at its head; of one with cases, the name stands behind them. */
const NAMED = /^(?:describe\("(?<group>[^"]*)"|  test\(\s*"(?<name>[^"]*)"|  test\.(?:each|for)\([^]*?\)\(\s*"(?<repeated>[^"]*)")/gm;

type Quote = { readonly file: string; readonly anchor: string; readonly quote: string };

/** What stands below each heading, by the heading's anchor. */
async function readSections(): Promise<ReadonlyMap<string, string>> {
  const sections = (await readFile(join(root, CONTRACT), "utf8")).split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading = ""] = section.split("\n");
      return [heading.toLowerCase().replaceAll(":", "").replaceAll(" ", "-"), section];
    }),
  );
}

/** The pieces of the contract in the names of a file's tests: what stands before a dash, without what is left out. */
function quotesOf(file: string, source: string): readonly Quote[] {
  let anchor = "";
  return [...source.matchAll(NAMED)].flatMap(({ groups = {} }) => {
    anchor = [...(groups["group"] ?? "").matchAll(REFERENCE)].at(-1)?.[1] ?? (groups["group"] === undefined ? anchor : "");
    const [quote = ""] = (groups["name"] ?? groups["repeated"] ?? "").split(" — ");
    const pieces = quote.split(/…|%[js]/).map((piece) => piece.trim());
    return anchor === "" ? [] : pieces.filter((piece) => /\w/.test(piece)).map((piece) => ({ file, anchor, quote: piece }));
  });
}

test("every line of the contract that a test in spec/ quotes stands in docs/contract.md, below the heading that it names", async () => {
  const sections = await readSections();
  const sources: { readonly file: string; readonly source: string }[] = [];
  for await (const file of glob("packages/*/spec/*.test.ts", { cwd: root })) {
    sources.push({ file, source: await readFile(join(root, file), "utf8") });
  }
  const anchors = sources.map(({ file, source }) => ({ file, named: [...source.matchAll(REFERENCE)].map(([, anchor = ""]) => anchor) }));
  const quotes = sources.flatMap(({ file, source }) => quotesOf(file, source));

  expect(anchors.filter(({ named }) => named.length === 0 || named.some((anchor) => !sections.has(anchor)))).toEqual([]);
  expect(quotes.length).toBeGreaterThan(100);
  expect(quotes.filter(({ anchor, quote }) => sections.get(anchor)?.includes(quote) !== true)).toEqual([]);
});
