import { expect, test } from "vitest";
import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import { parseQuery } from "#retrieval/query/parse-query.ts";
import type { Candidate } from "./candidate.ts";
import { rank } from "./rank.ts";

type Given = Partial<FoundChunk> & {
  readonly score?: number;
  readonly coverage?: number;
  readonly content?: string;
  readonly subjectWords?: string;
};

const TERM_WEIGHTS = Array.from({ length: 10 }, () => 1);

function candidate({ score = 1, coverage = 0.5, content: _content, subjectWords = "", ...chunk }: Given, index: number): Candidate {
  return {
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
      types: [],
      ...chunk,
    },
    // Of ten words that weigh the same.
    contributions: TERM_WEIGHTS.map((_, term) => (term < coverage * TERM_WEIGHTS.length ? 1 : 0)),
    likeness: undefined,
    subjectWords,
  };
}

async function ranked(query: string, given: readonly Given[]): Promise<readonly string[]> {
  const texts = new Map(given.map(({ content = "" }, index) => [index, content]));
  const all = await rank(given.map(candidate), { query: parseQuery(query), termWeights: TERM_WEIGHTS, readTexts: async () => texts });
  return all.map((chunk) => `${chunk.path}:${chunk.start_line}`);
}

test("what defines the asked symbol comes before what uses it", async () => {
  expect(
    await ranked("scrapeLoop", [
      { path: "uses.go", score: 2 },
      { path: "other.go", symbols: ["scrapeLoop"] },
    ]),
  ).toEqual(["other.go:1", "uses.go:1"]);
});

test.for([
  {
    query: "FromRequest",
    chunks: [
      { path: "axum/src/json.rs", symbols: ["from_request"], score: 3 },
      { path: "axum-core/src/extract/mod.rs", symbols: ["FromRequest"], types: ["FromRequest"], start_line: 20 },
      { path: "axum/src/form.rs", symbols: ["fromRequest"], score: 3 },
    ],
  },
  {
    query: "Engine",
    chunks: [
      { path: "context_appengine.go", symbols: ["Engine"], score: 2 },
      { path: "gin.go", symbols: ["Engine", "New"], types: ["Engine"], start_line: 20 },
      { path: "engine.go", symbols: ["engine"], score: 3 },
    ],
  },
  {
    query: "Request",
    chunks: [
      { path: "router.js", symbols: ["Request"], score: 3 },
      { path: "request+body.ts", symbols: ["Request"], types: ["Request"], score: 3 },
      { path: "request.ts", symbols: ["Request"], types: ["Request"], start_line: 20 },
    ],
  },
  {
    query: "SqlMapper",
    chunks: [
      { path: "Dapper/SqlMapper.Async.cs", symbols: ["SqlMapper"], types: ["SqlMapper"], score: 3 },
      { path: "Dapper/SqlMapper.Settings.cs", symbols: ["SqlMapper"], types: ["SqlMapper"], score: 3 },
      { path: "Dapper/SqlMapper.cs", symbols: ["SqlMapper"], types: ["SqlMapper"], start_line: 20 },
    ],
  },
])("$query: as it is written, a type before members, in the file that is named so", async ({ query, chunks }) => {
  expect((await ranked(query, chunks))[0]).toMatch(/:20$/);
});

test("a name in other letters is found where nothing has it as it was written", async () => {
  const chunks = [
    { path: "uses.go", score: 2 },
    { path: "retry.go", symbols: ["MaxRetries"] },
  ];
  expect((await ranked("maxRetries", chunks))[0]).toBe("retry.go:1");
});

test("a name is found without the class it is defined in", async () => {
  expect(
    (
      await ranked("Find", [
        { path: "uses.cc", score: 2 },
        { path: "cache.cc", symbols: ["LRUCache::Find"] },
      ])
    )[0],
  ).toBe("cache.cc:1");
});

test.for(["Server.stop", "Server stop", "Server stop method"])(
  "%s: the member in its owner's file, before the owner and other members",
  async (query) => {
    const chunks = [
      { path: "server.go", symbols: ["Server"], score: 3 },
      { path: "server.go", symbols: ["stop"], start_line: 20 },
      { path: "client.go", symbols: ["stop"], score: 2 },
    ];
    expect((await ranked(query, chunks))[0]).toBe("server.go:20");
  },
);

test("a member that is nowhere defined: its owner", async () => {
  const chunks = [
    { path: "uses.go", score: 3 },
    { path: "server.go", symbols: ["Server"] },
  ];
  expect((await ranked("Server.stop", chunks))[0]).toBe("server.go:1");
});

test.for(["server stop", "stop server", "stop-server"])("%s: the name that these words are, before a member of an owner", async (query) => {
  const chunks = [
    { path: "server.go", symbols: ["Server"], score: 3 },
    { path: "server.go", symbols: ["stop"], start_line: 20 },
    { path: "main.go", symbols: [query === "server stop" ? "serverStop" : "stop_server"] },
  ];
  expect((await ranked(query, chunks))[0]).toBe("main.go:1");
});

test("a name that ends as a kind of definition is one", async () => {
  const chunks = [
    { path: "names.ts", symbols: ["find"] },
    { path: "find-definition.ts", symbols: ["findDefinition"] },
  ];
  expect((await ranked("find definition", chunks))[0]).toBe("find-definition.ts:1");
});

test("what has a name made of the words asked for comes before what has those words in several names", async () => {
  const chunks = [
    { path: "a.ts", symbols: ["getName", "userId"] },
    { path: "b.ts", symbols: ["getUserName"] },
  ];
  expect((await ranked("get user name", chunks))[0]).toBe("b.ts:1");
});

test("the place that holds a pasted text letter for letter comes before one that has its words in its names", async () => {
  const chunks = [
    { path: "oom.c", symbols: ["oomCommand"], content: "used memory, not allowed: OOM" },
    { path: "shared.c", score: 0.8, content: `shared.oom = sds("-OOM command not allowed when used memory > 'maxmemory'.");` },
  ];
  expect((await ranked("OOM command not allowed when used memory > 'maxmemory'.", chunks))[0]).toBe("shared.c:1");
});

test("a test that quotes a question does not come before what answers it", async () => {
  const chunks = [
    { path: "e2e/search.ts", content: 'fill("how long to wait before it is tried again")' },
    { path: "src/retry.ts", symbols: ["pauseBeforeRetry"], content: "/** How long to wait before it is tried again. */" },
  ];
  expect((await ranked("how long to wait before it is tried again", chunks))[0]).toBe("src/retry.ts:1");
});

test("of two places the one whose commits say what is asked comes first; a name is asked of definitions alone", async () => {
  const chunks = [{ path: "a.ts" }, { path: "b.ts", score: 0.9, subjectWords: "fix retry after timeout" }];
  expect(await ranked("when is a timeout retried", chunks)).toEqual(["b.ts:1", "a.ts:1"]);
  expect(await ranked("timeout", chunks)).toEqual(["a.ts:1", "b.ts:1"]);
});

test("each result says the factors of its score", async () => {
  const [result] = await rank([candidate({ score: 2, path: "src/header.ts", symbols: ["parseHeader"] }, 0)], {
    query: parseQuery("parse the header"),
    termWeights: TERM_WEIGHTS,
    readTexts: async () => new Map(),
  });
  const product = Object.values(result?.explain() ?? {}).reduce((all, factor) => all * factor, result?.fused ?? 0);
  expect(result?.fused).toBe(2);
  expect(result?.explain().path).toBeGreaterThan(1);
  expect(result?.score).toBeCloseTo(product);
});

test("a chunk with all words of a question comes before one with some", async () => {
  expect(
    (
      await ranked("append samples to the head", [
        { path: "some.go", coverage: 0.3, score: 1.1 },
        { path: "all.go", coverage: 1 },
      ])
    )[0],
  ).toBe("all.go:1");
});

test("a file named after what is asked comes before its equals", async () => {
  expect((await ranked("kubernetes pod discovery", [{ path: "discovery/a.go" }, { path: "discovery/pod.go" }]))[0]).toBe(
    "discovery/pod.go:1",
  );
});

test.for([
  "src/a_test.go",
  "tests/a.ts",
  "vendor/a.go",
  "deps/lib/a.c",
  "docs/a.md",
  "examples/a.ts",
  "src/a.pb.go",
  "src/a.json",
  "types/a.d.ts",
])("%s comes after source that is nearly as good", async (path) => {
  expect((await ranked("parse the header", [{ path }, { path: "src/b.ts", score: 0.8 }]))[0]).toBe("src/b.ts:1");
});

test("tests are not put back when tests are asked for", async () => {
  expect((await ranked("test of the header parser", [{ path: "src/a_test.go" }, { path: "src/b.go", score: 0.8 }]))[0]).toBe(
    "src/a_test.go:1",
  );
});

test("further chunks of a file make room for other files", async () => {
  const chunks = [
    { path: "a.ts", start_line: 30 },
    { path: "a.ts", start_line: 10, score: 0.6 },
    { path: "b.ts", start_line: 20, score: 0.9 },
  ];
  expect(await ranked("parse the header", chunks)).toEqual(["a.ts:30", "b.ts:20", "a.ts:10"]);
});

test("nothing is ranked as nothing", async () => {
  expect(await ranked("anything", [])).toEqual([]);
});

test.for(["src/reply.js:7", "./src/reply.js:7:1", "/app/node_modules/kit/src/reply.js:7", "reply.js:7"])(
  "%s comes at its line first, then elsewhere in that file, before files that only speak of it",
  async (query) => {
    const chunks = [
      { path: "app.js", score: 2, symbols: ["reply"], content: "const reply = require('./src/reply.js')" },
      { path: "src/reply.js", score: 1.5, symbols: ["Reply", "reply"], start_line: 10, end_line: 20 },
      { path: "src/reply.js", start_line: 1, end_line: 9 },
    ];
    expect(await ranked(query, chunks)).toEqual(["src/reply.js:1", "src/reply.js:10", "app.js:1"]);
  },
);
