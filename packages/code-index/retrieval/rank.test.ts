import { expect, test } from "vitest";
import type { FoundChunk } from "#store/read-chunks.store.ts";
import { parseQuery } from "./query.ts";
import { rank } from "./rank.ts";

type Given = Partial<FoundChunk> & { readonly score?: number; readonly coverage?: number };

function ranked(query: string, given: readonly Given[]): readonly string[] {
  const candidates = given.map(({ score = 1, coverage = 0.5, ...chunk }, index) => ({
    fused: { chunkId: index, score, ranks: {} },
    chunk: {
      chunk_id: index,
      repo: "o/r",
      ref: "main",
      commit: "c",
      path: `src/file-${index}.ts`,
      language: "typescript",
      start_line: 1,
      end_line: 9,
      symbols: [],
      content: "",
      ...chunk,
    },
    coverage,
  }));
  return rank(candidates, parseQuery(query)).map((chunk) => `${chunk.path}:${chunk.start_line}`);
}

test("what defines the asked symbol comes before what uses it, and first where the file is named so", () => {
  expect(
    ranked("scrapeLoop", [
      { path: "uses.go", score: 2 },
      { path: "other.go", symbols: ["scrapeLoop"] },
      { path: "scrape_loop.go", symbols: ["scrapeLoop"] },
    ]),
  ).toEqual(["scrape_loop.go:1", "other.go:1", "uses.go:1"]);
});

test("a chunk with all words of a question comes before one with some", () => {
  expect(
    ranked("append samples to the head", [
      { path: "some.go", coverage: 0.3, score: 1.1 },
      { path: "all.go", coverage: 1 },
    ])[0],
  ).toBe("all.go:1");
});

test("a file named after what is asked comes before its equals", () => {
  expect(ranked("kubernetes pod discovery", [{ path: "discovery/a.go" }, { path: "discovery/pod.go" }])[0]).toBe("discovery/pod.go:1");
});

test.for(["src/a_test.go", "tests/a.ts", "vendor/a.go", "docs/a.md", "examples/a.ts", "src/a.pb.go", "src/a.json", "types/a.d.ts"])(
  "%s comes after source that is nearly as good",
  (path) => {
    expect(ranked("parse the header", [{ path }, { path: "src/b.ts", score: 0.8 }])[0]).toBe("src/b.ts:1");
  },
);

test("tests are not put back when tests are asked for", () => {
  expect(ranked("test of the header parser", [{ path: "src/a_test.go" }, { path: "src/b.go", score: 0.8 }])[0]).toBe("src/a_test.go:1");
});

test("further chunks of a file make room for other files", () => {
  const chunks = [
    { path: "a.ts", start_line: 1 },
    { path: "a.ts", start_line: 10, score: 0.99 },
    { path: "b.ts", start_line: 1, score: 0.9 },
  ];
  expect(ranked("parse the header", chunks)).toEqual(["a.ts:1", "b.ts:1", "a.ts:10"]);
});

test("nothing is ranked as nothing", () => {
  expect(ranked("anything", [])).toEqual([]);
});
