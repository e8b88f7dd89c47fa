import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let shop: Indexed;

/** From the first to the last. */
const commits: string[] = [];

const linesWith = (changed: number) =>
  Array.from({ length: 60 }, (_, line) => `line ${line}${line < changed ? " changed" : ""}\n`).join("");

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", { "src/a.ts": linesWith(0), "kept.ts": "kept\n" });
  commits.push(shop.commit);
  for (const changed of [1, 2, 3, 4]) {
    commits.push(await shop.source.commit({ "src/a.ts": linesWith(changed) }));
  }
  await running.server.inject({
    method: "POST",
    url: `/api/v1/repos/${shop.id}/index`,
    headers: running.asAdmin(),
    payload: { mode: "incremental" },
  });
  await vi.waitUntil(async () => (await get("/commits")).body.commits.length === commits.length, { timeout: 30_000, interval: 100 });
}, 60_000);

afterAll(() => running.stop());

async function get(path: string) {
  const answer = await running.server.inject({ url: `/api/v1/repos/${shop.id}${path}`, headers: running.asAdmin() });
  return { status: answer.statusCode, body: answer.json() };
}

const oldest = () => commits[0] ?? "";
const newest = () => commits.at(-1) ?? "";

/** The five routes about changes, each with what it takes. */
const routes = (query: string) => [
  `/commits/${newest()}?${query}`,
  `/compare?base=${oldest()}&head=${newest()}&${query}`,
  `/blame?path=src/a.ts&${query}`,
  `/line-history?path=src/a.ts&${query}`,
  `/file?path=src/a.ts&commit=${oldest()}&${query}`,
];

test("each route answers, about a branch that is named as about the default one", async () => {
  for (const query of ["", "ref=main"]) {
    expect(await Promise.all(routes(query).map(get))).toMatchObject([
      { status: 200, body: { commit: { commit: newest() }, changes: [{ path: "src/a.ts", added: 1, deleted: 1 }] } },
      { status: 200, body: { base: oldest(), head: newest(), changes: [{ path: "src/a.ts", added: 4, deleted: 4 }] } },
      {
        status: 200,
        body: {
          total_lines: 60,
          ranges: expect.arrayContaining([{ start_line: 5, end_line: 60, commit: oldest(), path: "src/a.ts", original_line: 5 }]),
        },
      },
      { status: 200, body: { changes: { length: 5 }, next_cursor: null } },
      { status: 200, body: { commit: oldest(), content: linesWith(0) } },
    ]);
  }
});

test("a branch that is not indexed is refused on every route", async () => {
  for (const path of routes("ref=nowhere")) {
    expect({ path, ...(await get(path)) }).toMatchObject({ path, status: 409, body: { error: "ref_not_indexed" } });
  }
});

const NOWHERE = "f".repeat(40);

test.for([
  ["/commits/abc", 404, "commit_not_found"],
  ["/commits/main..main", 400, "invalid_revision"],
  ["/commits/--all", 400, "invalid_revision"],
  [`/commits/${"x".repeat(301)}`, 400, "invalid_request"],
  ["/commits/HEAD%00", 400, "invalid_query"],
  [`/commits/${NOWHERE}`, 404, "commit_not_found"],
  [`/compare?base=${NOWHERE}`, 400, "invalid_request"],
  [`/compare?base=${NOWHERE}&head=${NOWHERE}`, 404, "commit_not_found"],
  [`/blame?path=src/a.ts&commit=${NOWHERE}`, 404, "commit_not_found"],
  [`/line-history?path=src/a.ts&commit=${NOWHERE}`, 404, "commit_not_found"],
  [`/file?path=src/a.ts&commit=${NOWHERE}`, 404, "commit_not_found"],
  ["/blame?path=never.ts", 404, "file_not_found"],
  ["/blame?path=src", 404, "file_not_found"],
  ["/blame?path=../../../etc/passwd", 404, "file_not_found"],
  ["/line-history?path=../kept.ts", 404, "file_not_found"],
  ["/line-history?path=kept.ts%00", 400, "invalid_query"],
  ["/blame?path=kept.ts%00", 400, "invalid_query"],
  ["/blame?path=", 400, "invalid_request"],
  ["/blame?path=src/a.ts&start=0", 400, "invalid_request"],
  ["/blame?path=src/a.ts&start=61", 400, "invalid_range"],
  ["/line-history?path=src/a.ts&start=9&end=8", 400, "invalid_range"],
  ["/line-history?path=src/a.ts&start=9999999999999", 400, "invalid_range"],
  ["/line-history?path=src/a.ts&limit=101", 400, "invalid_request"],
  ["/line-history?path=src/a.ts&cursor=none", 400, "invalid_cursor"],
] as const)("%s is refused", async ([path, status, error]) => {
  expect(await get(path)).toMatchObject({ status, body: { error } });
});

test("a file of an old commit is refused as one of today: a path that leads outside, a range that is none", async () => {
  const file = (query: string) => get(`/file?commit=${oldest()}&path=${query}`);
  expect(await file("../../src/a.ts")).toMatchObject({ status: 404, body: { error: "file_not_found" } });
  expect(await file("src/a.ts&start=61")).toMatchObject({ status: 400, body: { error: "invalid_range" } });
  expect(await file("src/a.ts&start=59&end=999999")).toMatchObject({ status: 200, body: { start_line: 59, end_line: 60 } });
  expect(await get(`/commits/${newest()}?path=../src`)).toMatchObject({ status: 200, body: { changes: [] } });
  expect(await get(`/compare?base=${oldest()}&head=${newest()}&path=src/`)).toMatchObject({ body: { changes: { length: 1 } } });
});

test("the history of lines is read a page at a time, and its cursor is of no other lines", async () => {
  const page = (query: string) => get(`/line-history?path=src/a.ts&start=1&end=60&limit=2${query}`);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { body } = await page(cursor === "" ? "" : `&cursor=${cursor}`);
    seen.push(...body.changes.map((change: { commit: { commit: string } }) => change.commit.commit));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(commits.toReversed());
  const { next_cursor: next } = (await page("")).body;
  for (const other of ["start=2&end=60", "start=1&end=60&commit=" + (commits[3] ?? "")]) {
    expect(await get(`/line-history?path=src/a.ts&${other}&limit=2&cursor=${next}`)).toMatchObject({
      status: 400,
      body: { error: "invalid_cursor" },
    });
  }
});
