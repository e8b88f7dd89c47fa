import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { splitMessages } from "#scip/format/split-messages.ts";
import { SCIP_SOURCES, scipFixture } from "#testing/scip-fixture.ts";
import { scipDocument, scipMetadata, writeScipIndex, type ScipFile } from "#testing/scip-index.ts";

let running: RunningCodeIndex;
let shop: Indexed;

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", { ...SCIP_SOURCES, "web/src/old.js": "export function charge() {}\ncharge();\n" });
}, 60_000);

afterAll(() => running.stop());

type Sending = { readonly id?: string; readonly commit?: string; readonly headers?: Readonly<Record<string, string>> };

async function upload(payload: Buffer, { id = shop.id, commit = shop.commit, headers = {} }: Sending = {}) {
  const answer = await running.server.inject({
    method: "POST",
    url: `/api/v1/repos/${id}/scip?commit=${commit}`,
    headers: { ...running.asAdmin(), "content-type": "application/octet-stream", ...headers },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() };
}

async function get(path: string) {
  const answer = await running.server.inject({ url: `/api/v1/${path}`, headers: running.asAdmin() });
  return { status: answer.statusCode, body: answer.json() };
}

type Place = { readonly path: string; readonly line: number; readonly start_line: number; readonly precision: string };

async function usesOf(query: string): Promise<readonly string[]> {
  const { body } = await get(`references?repo=acme/shop&${query}`);
  return body.references.map(({ path, line, precision }: Place) => `${path}:${line} ${precision}`).toSorted();
}

async function definitionsOf(query: string): Promise<readonly string[]> {
  const { body } = await get(`symbols?repo=acme/shop&${query}`);
  return body.symbols.map(({ path, start_line: line, precision }: Place) => `${path}:${line} ${precision}`);
}

/** A document whose occurrences are ranges of one symbol. */
function documentOf(path: string, ranges: readonly (readonly number[])[], encoding = 2): ScipFile {
  return { path, encoding, places: ranges.map((range) => ({ range, symbol: "hand . . . thing.", isDefinition: true })) };
}

function indexOf(...given: Parameters<typeof documentOf>): Buffer {
  return writeScipIndex([documentOf(...given)]);
}

test("what two tools wrote is kept as they wrote it", async () => {
  expect(await upload(await scipFixture("typescript"))).toMatchObject({
    status: 200,
    body: { tool: "scip-typescript", ref: "main", root: "web", documents: 2, symbols: 13, definitions: 14, occurrences: 28, skipped: [] },
  });
  const python = await upload(gzipSync(await scipFixture("python")), { headers: { "content-encoding": "gzip" } });
  expect(python).toMatchObject({
    status: 200,
    body: {
      tool: "scip-python",
      root: "py",
      documents: 2,
      occurrences: 29,
      skipped: [{ reason: "not in the repository", files: 1, examples: ["py/shop/__init__.py"] }],
    },
  });
});

test("two methods of one name are told apart where the index knows the file, and called so elsewhere", async () => {
  const old = "web/src/old.js:2 name";
  expect(await usesOf("symbol=charge")).toEqual([old, "web/src/shop.ts:7 exact", "web/src/shop.ts:8 exact"]);
  expect(await usesOf("symbol=Till.charge")).toEqual([old, "web/src/shop.ts:7 exact"]);
  expect(await usesOf("symbol=charge&position=web/src/shop.ts:8:15")).toEqual([old, "web/src/shop.ts:8 exact"]);
  expect(await usesOf("symbol=take&position=py/shop/sale.py:8")).toEqual(["py/shop/sale.py:8 exact"]);
  expect(await definitionsOf("name=charge&position=web/src/shop.ts:8:15")).toEqual(["web/src/pay.ts:6 exact"]);
  expect(await definitionsOf("name=take&position=py/shop/sale.py:9")).toEqual(["py/shop/stock.py:4 exact"]);
  expect(await definitionsOf("name=charge")).toEqual(["web/src/pay.ts:6 exact", "web/src/pay.ts:13 exact", "web/src/old.js:1 name"]);
});

test("a position in no file is said to be one, with the nearest that there is", async () => {
  const { body } = await get("references?repo=acme/shop&symbol=charge&position=web/shp.ts:8");
  expect(body.notes).toContain("acme/shop has no file web/shp.ts, so the position says nothing; did you mean web/src/shop.ts?");
  expect(await usesOf("symbol=charge&position=./web/src/shop.ts:8:15")).toHaveLength(2);
});

test("another name, and what only one function knows, are followed, too", async () => {
  expect(await definitionsOf("name=Plastic&position=web/src/shop.ts:1:18")).toEqual(["web/src/pay.ts:2 exact"]);
  // The rest of shop.ts is another one.
  expect(await usesOf("symbol=rest&position=web/src/pay.ts:8:12")).toEqual(["web/src/pay.ts:7 exact", "web/src/pay.ts:8 exact"]);
});

test("what an index does not know stays by name, and what is another symbol there is counted", async () => {
  const code = "class Card {}\nclass Till {}\nconst card = new Card();\npay(card.Card, till.Card);\nunknown.Card();\n";
  const shelf = await running.index("acme/shelf", { "a.ts": code });
  const at = (line: number, start: number, symbol: string, isDefinition = false) => {
    return { range: [line, start, start + 4], symbol: `hand . . . ${symbol}`, isDefinition };
  };
  const places = [
    at(0, 6, "Card#", true),
    at(1, 6, "Till#", true),
    at(2, 17, "Card#`<constructor>`()."),
    at(3, 9, "Till#Card."),
    at(3, 20, "Till#Card."),
  ];
  expect(await upload(writeScipIndex([{ path: "a.ts", places }]), shelf)).toMatchObject({ status: 200 });
  const ask = async (query: string) => (await get(`references?repo=acme/shelf&symbol=Card&${query}`)).body;
  const placed = await ask("position=a.ts:1:8&all=true");
  expect(placed).toMatchObject({ total: 3, precisions: { exact: 1, name: 2 }, other_symbols: 1 });
  expect(placed.references.map(({ line, precision }: Place) => `${line} ${precision}`)).toEqual(["1 exact", "3 name", "5 name"]);
  expect(placed.notes).toEqual([
    "2 lines are by name: no uploaded index says which Card they use, so it may be another definition of that name.",
    "1 more lines have Card for another symbol, as an uploaded index knows; they are not listed.",
  ]);
  expect((await ask("position=a.ts:5:9")).notes).toContain("No uploaded index has Card in line 5 of a.ts, so the position says nothing.");
  // In other case it is another name, which no index knows.
  expect((await get("references?repo=acme/shelf&symbol=card")).body).toMatchObject({ precisions: null, total: 1 });
});

test("a hover is what the tool says", async () => {
  const { body } = await get("symbols?repo=acme/shop&name=charge&position=web/src/shop.ts:8");
  expect(body.symbols).toMatchObject([
    { kind: "method", scope: "Card", signature: "(method) charge(amount: number): number", comment: "Takes the money." },
  ]);
});

test("columns are counted as the tool counts them", async () => {
  const emoji = await running.index("acme/emoji", { "a.txt": 'é("😀", thing)\n' });
  for (const [unit, column] of [
    [1, 11],
    [2, 8],
    [3, 7],
  ] as const) {
    expect(await upload(indexOf("a.txt", [[0, column, column + 5]], unit), emoji)).toMatchObject({ status: 200 });
    const { body } = await get("references?repo=acme/emoji&symbol=thing&all=true&position=a.txt:1:9");
    expect([unit, body.references]).toMatchObject([unit, [{ line: 1, kind: "definition", precision: "exact" }]]);
  }
});

test("a file that two projects have is what both say of it", async () => {
  const both = await running.index("acme/both", { "a.txt": "thing\nthing\n" });
  const ranges = [
    [0, 0, 5],
    [1, 0, 5],
  ];
  const answer = await upload(writeScipIndex([documentOf("a.txt", ranges.slice(0, 1)), documentOf("a.txt", ranges)]), both);
  expect(answer).toMatchObject({ status: 200, body: { documents: 1, symbols: 1, occurrences: 2 } });
});

test("a new upload takes the place of the one before", async () => {
  const of = async () => (await usesOf("symbol=charge")).filter((use) => use.endsWith("exact")).length;
  await upload(await scipFixture("typescript"));
  await upload(await scipFixture("typescript"));
  expect(await of()).toBe(2);
  const { rows } = await running.database.pool.query("select tool, root from tenant_one.scip_uploads where repo_id = $1 order by 1", [
    shop.id,
  ]);
  expect(rows).toEqual([
    { tool: "scip-python", root: "py" },
    { tool: "scip-typescript", root: "web" },
  ]);
});

test.for([
  ["text", Buffer.from("{}"), 400, "invalid_scip"],
  ["nothing", Buffer.alloc(0), 400, "invalid_scip"],
  ["half an index", () => scipFixture("typescript").then((whole) => whole.subarray(0, 900)), 400, "invalid_scip"],
  ["a length beyond all limits", Buffer.from([10, 255, 255, 255, 255, 15]), 413, "body_too_large"],
  ["a path out of the repository", indexOf("../../etc/passwd", [[0, 0, 1]]), 400, "invalid_scip_path"],
  ["an absolute path", indexOf("/etc/passwd", [[0, 0, 1]]), 400, "invalid_scip_path"],
  ["another repository's paths", indexOf("lib/none.ts", [[0, 0, 1]]), 400, "scip_does_not_fit"],
  ["a range behind the line", indexOf("web/src/pay.ts", [[0, 0, 900]]), 400, "scip_does_not_fit"],
  ["a line behind the file", indexOf("web/src/pay.ts", [[900, 0, 1]]), 400, "scip_does_not_fit"],
  [
    "a symbol with U+0000",
    writeScipIndex([{ path: "web/src/pay.ts", places: [{ range: [0, 0, 1], symbol: "hand . . . a\0b." }] }]),
    400,
    "invalid_scip",
  ],
  [
    "a tool with U+0000",
    Buffer.concat([scipMetadata({ tool: "ha\0nd" }), scipDocument(documentOf("web/src/pay.ts", []))]),
    400,
    "invalid_scip",
  ],
  [
    "a folder with U+0000",
    Buffer.concat([scipMetadata({ projectRoot: "/\0" }), scipDocument(documentOf("web/src/pay.ts", []))]),
    400,
    "invalid_scip",
  ],
  [
    "a path with U+0000",
    Buffer.concat([scipMetadata(), ...["web/src/pay.ts", "web/src/p\0y.ts"].map((path) => scipDocument(documentOf(path, [])))]),
    400,
    "invalid_scip_path",
  ],
  [
    "a base with U+0000",
    writeScipIndex([
      { ...documentOf("web/src/pay.ts", [[0, 0, 1]]), relations: [{ symbol: "hand . . . thing.", base: "hand . . . a\0b." }] },
    ]),
    400,
    "invalid_scip",
  ],
  [
    "a version with U+0000",
    Buffer.concat([scipMetadata({ version: "1\0" }), scipDocument(documentOf("web/src/pay.ts", []))]),
    400,
    "invalid_scip",
  ],
  ["a range that ends before it begins", indexOf("web/src/pay.ts", [[0, 5, 1]]), 400, "invalid_scip"],
] as const)("%s is refused and changes nothing", async ([, given, status, error]) => {
  const before = await usesOf("symbol=charge");
  expect(await upload(typeof given === "function" ? await given() : given)).toMatchObject({ status, body: { error } });
  expect(await usesOf("symbol=charge")).toEqual(before);
});

test("what unpacks to too much, is packed otherwise, or is of an unknown commit is refused", async () => {
  const large = Buffer.concat([Buffer.from([18, 0xfc, 0xff, 0x3f]), Buffer.alloc((1 << 20) - 4)]);
  const fields = splitMessages(Readable.from(Array.from({ length: 257 }, () => large)));
  await expect(Readable.from(fields).forEach(() => undefined)).rejects.toMatchObject({ status: 413 });
  expect(await upload(Buffer.from("x"), { headers: { "content-encoding": "gzip" } })).toMatchObject({
    status: 400,
    body: { error: "invalid_scip" },
  });
  expect(await upload(Buffer.from("x"), { headers: { "content-encoding": "br" } })).toMatchObject({ status: 415 });
  expect(await upload(Buffer.from("{}"), { headers: { "content-type": "application/json" } })).toMatchObject({ status: 415 });
  expect(await upload(Buffer.from("x"), { commit: "f".repeat(40) })).toMatchObject({ status: 404, body: { error: "commit_not_found" } });
  expect(await upload(Buffer.from("x"), { commit: "main" })).toMatchObject({ status: 400 });
});

test("a token uploads only where it was made for that", async () => {
  const other = await running.index("acme/other", { "a.ts": "export const thing = 1;\n" });
  const make = async (body: object) =>
    (
      await running.server.inject({
        method: "POST",
        url: "/api/v1/developer-tokens",
        headers: running.asAdmin(),
        payload: { label: "CI", ...body },
      })
    ).json<{ token: string }>().token;
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const [ci, reader] = [await make({ uploads: true, repositories: [shop.id] }), await make({})];
  const index = await scipFixture("typescript");
  expect(await upload(index, as(ci))).toMatchObject({ status: 200 });
  expect(await upload(index, { id: other.id, commit: other.commit, ...as(ci) })).toMatchObject({ status: 404 });
  expect(await upload(index, as(reader))).toMatchObject({ status: 403 });
  expect(await upload(index, as(running.issue({ tid: "one", role: "member" })))).toMatchObject({ status: 403 });
  expect(await upload(index, as(running.issue({ tid: "two" })))).toMatchObject({ status: 404 });
});

test("what another may not see is exact for nobody else", async () => {
  const mine = await running.index("acme/shop", SCIP_SOURCES, "two");
  const headers = running.asAdmin("two");
  const answer = await running.server.inject({ url: "/api/v1/references?symbol=charge", headers });
  expect(answer.json()).toMatchObject({ references: [{ precision: "name" }, { precision: "name" }] });
  expect(mine.id).not.toBe(shop.id);
});

test("a file that was changed since is by name, the others stay exact", async () => {
  const { commit: before } = shop;
  const next = await shop.source.commit({ "web/src/pay.ts": `// Moved down.\n${SCIP_SOURCES["web/src/pay.ts"]}` });
  await running.server.inject({ method: "POST", url: `/api/v1/repos/${shop.id}/index`, headers: running.asAdmin(), payload: {} });
  await vi.waitFor(async () => expect((await get(`repos/${shop.id}`)).body.indexed_commit).toBe(next), { timeout: 20_000 });
  expect(await usesOf("symbol=charge&position=web/src/shop.ts:8:15")).toEqual(["web/src/old.js:2 name", "web/src/shop.ts:8 exact"]);
  expect(await definitionsOf("name=charge&position=web/src/shop.ts:8:15")).toContain("web/src/pay.ts:7 name");
  // The commit is not the newest any more: what is kept of it is what is still so.
  await vi.waitFor(
    async () =>
      expect(await upload(await scipFixture("typescript"), { commit: before })).toMatchObject({
        status: 200,
        body: { documents: 1, skipped: [{ reason: "changed since the commit", files: 1, examples: ["web/src/pay.ts"] }] },
      }),
    { timeout: 20_000, interval: 500 },
  );
  await running.server.inject({ method: "DELETE", url: `/api/v1/repos/${shop.id}`, headers: running.asAdmin() });
  const kept = () => running.database.pool.query("select from tenant_one.scip_uploads where repo_id = $1", [shop.id]);
  await vi.waitFor(async () => expect((await kept()).rows).toEqual([]), { timeout: 20_000, interval: 200 });
}, 90_000);
