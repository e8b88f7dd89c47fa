import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { writeScipIndex, type ScipPlace } from "#testing/scip-index.ts";

/** Two things are called `close` in each language, and stand once and several times in a line, behind letters of one to four bytes. */
const FILES: Readonly<Record<string, string>> = {
  "py/pool.py":
    'class Pool:\n    def close(self): return 1\n\nclass Stream:\n    def close(self, close=None):\n        self.pool.close(); close()\n        return "größe 😀", self.close, close\n\ndef shut(thing):\n    # close\n    thing.close()\n    thing.close = lambda: print("close")\n',
  "ts/pool.ts":
    'export class Pool {\n  close(): void {}\n}\nexport class Stream {\n  constructor(private readonly pool: Pool) {}\n  close(): void { this.pool.close(); /* 😀 */ close(); }\n}\nexport function close() {}\n// close\nexport const shut = (é: any) => [é.close(), "é😀", é.close];\nconst { close: other } = shut;\nshut({ close });\n',
  "go/pool.go":
    'package pool\n\ntype Pool struct{}\n\nfunc (p *Pool) close() {}\n\ntype Stream struct{ pool *Pool }\n\nfunc (s *Stream) close() {\n\ts.pool.close()\n\tlog("ü😀", s.pool.close, s.close)\n}\n\n// close\nfunc shut(thing interface{ close() }) { thing.close(); defer thing.close() }\n',
  "java/Pool.java":
    'package pool;\nclass Pool {\n  void close() {}\n}\nclass Stream {\n  Pool pool;\n  void close() { pool.close(); }\n  // close\n  void shut(Object thing) { log("😀é", thing.close(), close()); }\n  Runnable both = flag ? pool::close : this::close;\n}\n',
};

const POOL = "hand . shop 1 `pool`/Pool#close().";
const STREAM = "hand . shop 1 `pool`/Stream#close().";
const LOCAL = "local 7";
/** What an index may have at a place: nothing, either, one that only the file knows, one of another name, or two at once. */
const DRAWN: readonly (readonly string[])[] = [
  [],
  [],
  [POOL],
  [STREAM],
  [LOCAL],
  ["hand . shop 1 `pool`/Pool#`<constructor>`()."],
  [POOL, STREAM],
];
const ROUNDS = 8;

type Place = {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly symbols: readonly string[];
  readonly isDefinition: boolean;
};
type Found = { readonly path: string; readonly line: number; readonly precision: string; readonly kind: string };

let running: RunningCodeIndex;
let shop: Indexed;

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", FILES);
}, 60_000);

afterAll(() => running.stop());

async function get(path: string) {
  const answer = await running.server.inject({ url: `/api/v1/${path}`, headers: running.asAdmin() });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

/** Every line of a question, by small pages, and the last answer. */
async function usesOf(query: string) {
  const lines: Found[] = [];
  for (let cursor = ""; ;) {
    const answer = await get(`references?repo=acme/shop&limit=7&${query}${cursor}`);
    lines.push(...answer.references);
    if (answer.next_cursor === null) {
      return { lines, answer };
    }
    cursor = `&cursor=${encodeURIComponent(answer.next_cursor)}`;
  }
}

const placeKey = ({ path, line }: { readonly path: string; readonly line: number }) => `${path}:${line}`;

/** Every place of the name, each with the symbols that the index has there. A use beside a definition is listed as what it is, by name. */
function drawPlaces(random: () => number): readonly Place[] {
  return Object.entries(FILES).flatMap(([path, text]) =>
    text.split("\n").flatMap((content, index) =>
      [...content.matchAll(/\bclose\b/gu)].map(({ index: column }, _place, { length }) => ({
        path,
        line: index + 1,
        column,
        symbols: DRAWN[Math.floor(random() * DRAWN.length)] ?? [],
        isDefinition: length === 1 && random() < 0.3,
      })),
    ),
  );
}

/** Columns of each file are counted in another unit. */
function indexWith(places: readonly Place[], random: () => number): Buffer {
  const files = Object.entries(FILES).map(([path, text]) => {
    const encoding = 1 + Math.floor(random() * 3);
    const columnOf = (line: number, column: number) => {
      const before = text.split("\n")[line - 1]?.slice(0, column) ?? "";
      return encoding === 1 ? Buffer.byteLength(before) : encoding === 2 ? column : Array.from(before).length;
    };
    const own = places.filter((place) => place.path === path);
    return {
      path,
      encoding,
      places: own.flatMap(({ line, column, symbols, isDefinition }) =>
        symbols.map((symbol): ScipPlace => {
          const range = [line - 1, columnOf(line, column), columnOf(line, column + "close".length)];
          return { symbol, range, isDefinition };
        }),
      ),
    };
  });
  return writeScipIndex(files);
}

async function upload(payload: Buffer): Promise<void> {
  const url = `/api/v1/repos/${shop.id}/scip?commit=${shop.commit}`;
  const headers = { ...running.asAdmin(), "content-type": "application/octet-stream" };
  const answer = await running.server.inject({ method: "POST", url, headers, payload });
  expect(answer.statusCode, answer.body).toBe(200);
}

/** Each line with its precision, without those in which every place is another symbol: a local one only where its file defines it. */
function expectedLines(places: readonly Place[], meant: string | undefined, file?: string): ReadonlyMap<string, string> {
  const isMeant = ({ path, symbols }: Place) => symbols.some((symbol) => symbol === meant && path === (file ?? path));
  const own = places.filter(({ symbols, isDefinition }) => isDefinition && symbols.includes(LOCAL)).map(({ path }) => path);
  const isOther = ({ path, symbols }: Place) =>
    symbols.some((symbol) => [POOL, STREAM].includes(symbol) || (symbol === LOCAL && own.includes(path)));
  const lines = [...Map.groupBy(places, placeKey)].flatMap(([line, those]): readonly (readonly [string, string])[] => {
    if (those.some(isMeant)) {
      return [[line, "exact"]];
    }
    return meant !== undefined && those.every(isOther) ? [] : [[line, "name"]];
  });
  return new Map(lines);
}

test(`an index that knows a part of the places hides no line that it does not know (TEST_SEED=${SEED})`, async () => {
  const random = randomOf(SEED);
  const [everything, used, defined] = [
    await usesOf("symbol=close&all=true"),
    await usesOf("symbol=close"),
    await get("symbols?name=close"),
  ];
  const definitions = (answer: { readonly symbols: readonly { readonly path: string; readonly start_line: number }[] }) =>
    new Set(answer.symbols.map(({ path, start_line: line }) => placeKey({ path, line })));
  for (let round = 0; round < ROUNDS; round++) {
    const places = drawPlaces(random);
    await upload(indexWith(places, random));
    const known = new Set(places.flatMap(({ symbols }) => symbols));
    const meant = [POOL, STREAM].find((symbol) => known.has(symbol));
    const placed = [meant, LOCAL].flatMap((wanted) => {
      const at = places.find(({ symbols }) => symbols.length === 1 && symbols[0] === wanted);
      const file = wanted === LOCAL ? at?.path : undefined;
      return at === undefined
        ? []
        : [{ query: `symbol=close&position=${placeKey(at)}:${at.column + 1}`, expected: expectedLines(places, wanted, file) }];
    });
    expect(expectedLines(places, undefined)).toEqual(new Map(everything.lines.map((line) => [placeKey(line), line.precision])));
    for (const { query, expected } of [{ query: "symbol=Pool.close", expected: expectedLines(places, meant) }, ...placed]) {
      const { lines, answer } = await usesOf(`${query}&all=true`);
      expect(Object.fromEntries(lines.map((line) => [placeKey(line), line.precision]))).toEqual(Object.fromEntries(expected));
      expect(lines.map(placeKey)).toHaveLength(expected.size);
      const exact = lines.filter(({ precision }) => precision === "exact").length;
      expect(lines.findLastIndex(({ precision }) => precision === "exact")).toBe(exact - 1);
      expect(answer).toMatchObject({ total: expected.size, other_symbols: everything.lines.length - expected.size });
      expect(answer.precisions).toEqual(exact === 0 ? null : { exact, name: expected.size - exact });
      // Where the name is another symbol, and stands in a string, too, that string is left.
      const texts = new Set(lines.filter(({ kind }) => kind === "text").map(placeKey));
      const left = new Set((await usesOf(query)).lines.map(placeKey));
      expect(used.lines.map(placeKey).filter((line) => expected.has(line) && !texts.has(line) && !left.has(line))).toEqual([]);
    }
    const left = definitions(await get("symbols?name=close"));
    expect([...definitions(defined)].filter((definition) => !left.has(definition))).toEqual([]);
  }
}, 120_000);
