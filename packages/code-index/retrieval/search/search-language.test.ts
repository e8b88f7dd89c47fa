import { afterAll, beforeAll, expect, test } from "vitest";
import type { SearchAnswer } from "#contract.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let index: RunningCodeIndex;
let shop: Indexed;

const RETRY_GO = `package retry

// Backoff waits longer after every failure.
func Backoff(attempt int) int { return attempt * 2 }

func parseLimit(text string) (int, error) { return 0, errors.New("limit is not a number") }
`;

const FILES = {
  "src/retry.go": RETRY_GO,
  "src/http/client.ts":
    'export function fetchTwice(url: string) {\n  // backoff between both\n  throw new Error("Cannot reach the host");\n}\n',
  "src/http/client.test.ts": 'test("backoff", () => fetchTwice("x"));\n',
  "src/tsx/view.tsx": "type T = string;\nexport const View = () => <p>backoff</p>;\n",
  "tools/backoff.py": "def backoff(n):\n    return n * 100 % 7  # 100%_sure\n\nclass Backoff: pass\n",
  "docs/notes.md": "# Notes\n\nBackoff is explained in src/retry.go. مرحبا بالعالم 🚀\n",
  "data.sql": "SELECT * FROM users WHERE name = 'a' OR 1=1; -- backoff\n",
};

beforeAll(async () => {
  index = await startCodeIndex();
  shop = await index.index("acme/shop", FILES);
  await index.index("acme/shop-admin", { "main.go": "package main\n\nfunc Backoff() {}\n" });
  await index.index("other/tool", { "tool.go": "package tool\n\nfunc UseBackoff() { Backoff(1) }\n" });
  await index.index("acme/shop", { "secret.go": "package secret // Backoff of another tenant\n" }, "two");
});

afterAll(() => index.stop());

type Asking = Readonly<Record<string, unknown>>;

async function ask(payload: Asking, headers = index.asAdmin()) {
  return index.server.inject({ method: "POST", url: "/api/v1/search", headers, payload });
}

async function find(query: string, more: Asking = {}): Promise<SearchAnswer> {
  const answer = await ask({ query, limit: 50, ...more });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<SearchAnswer>();
}

async function places(query: string, more?: Asking): Promise<string[]> {
  const { results } = await find(query, more);
  return [...new Set(results.map(({ repo, path }) => `${repo} ${path}`))].toSorted();
}

const SHOP = (...paths: string[]) => paths.map((path) => `acme/shop ${path}`).toSorted();
const ADMIN = "acme/shop-admin main.go";
const TOOL = "other/tool tool.go";

test.for<[query: string, expected: () => readonly string[]]>([
  ["backoff repo:acme/shop lang:go", () => SHOP("src/retry.go")],
  ["backoff repo:acme/shop lang:ts", () => SHOP("src/http/client.ts", "src/http/client.test.ts")],
  ["backoff repo:shop lang:golang", () => [...SHOP("src/retry.go"), ADMIN]],
  ["backoff repo:acme/ lang:go lang:py", () => [...SHOP("src/retry.go", "tools/backoff.py"), ADMIN].toSorted()],
  ["backoff -repo:acme/*", () => [TOOL]],
  ["r:ACME/SHOP backoff path:src/http/", () => SHOP("src/http/client.ts", "src/http/client.test.ts")],
  ["backoff repo:acme/shop file:*.ts", () => SHOP("src/http/client.ts", "src/http/client.test.ts")],
  ["backoff repo:acme/shop file:*.ts -file:*.test.ts", () => SHOP("src/http/client.ts")],
  ["backoff repo:acme/shop f:src/**/client.ts", () => SHOP("src/http/client.ts")],
  ["backoff repo:acme/shop f:src/**/retry.go", () => SHOP("src/retry.go")],
  ["backoff repo:acme/shop path:/tools path:docs/", () => SHOP("tools/backoff.py", "docs/notes.md")],
  ["backoff repo:acme/shop path:/http", () => []],
  ["backoff repo:acme/shop -path:src -lang:markdown -lang:sql", () => SHOP("tools/backoff.py")],
  ["symbol:backoff repo:acme/shop", () => SHOP("src/retry.go", "tools/backoff.py")],
  ["symbol:*ack?ff", () => [...SHOP("src/retry.go", "tools/backoff.py"), ADMIN, TOOL].toSorted()],
  ["symbol:parse* -repo:admin", () => SHOP("src/retry.go")],
  ["symbol:fetch* OR backoff lang:ts", () => SHOP("src/http/client.ts")],
  ["lang:sql", () => SHOP("data.sql")],
  ['"limit is not a number"', () => SHOP("src/retry.go")],
  ['"LIMIT is not"', () => SHOP("src/retry.go")],
  ['"LIMIT is not" case:yes', () => []],
  ['backoff -"between both" lang:ts', () => SHOP("src/http/client.test.ts")],
  ["/func \\w+\\(attempt/", () => SHOP("src/retry.go")],
  ["/^func (Use)?Backoff\\(/ lang:go", () => [...SHOP("src/retry.go"), ADMIN, TOOL].toSorted()],
  ["/func .*backoff/ -Use lang:go", () => [...SHOP("src/retry.go"), ADMIN].toSorted()],
  ["/^FUNC/ case:yes", () => []],
  ['"limit is not" OR "Cannot reach"', () => SHOP("src/retry.go", "src/http/client.ts")],
  ["UseBackoff case:yes", () => [TOOL]],
  ["usebackoff case:yes", () => []],
  ['"100%_sure"', () => SHOP("tools/backoff.py")],
  ['"🚀"', () => SHOP("docs/notes.md")],
  ['"مرحبا بالعالم"', () => SHOP("docs/notes.md")],
  ["\"name = 'a' OR 1=1; --\"", () => SHOP("data.sql")],
  ["/a{0}x*/ path:docs/", () => SHOP("docs/notes.md")],
])("%s finds what it says", async ([query, expected]) => {
  expect(await places(query)).toEqual(expected());
});

test.for([
  ["backoff unknown:thing", "literal"],
  ['"unbalanced backoff', "natural"],
  ["/unbalanced backoff", "literal"],
  ["backoff std::vec file:///tmp/backoff", "literal"],
  ["-backoff", "literal"],
  ["backoff - 1", "literal"],
  ["SELECT * FROM users WHERE name = 'a' OR 1=1", "natural"],
  ["src/retry.go:4", "path"],
  ["retry.go", "path"],
  ['Error: limit is not a number ("17")', "error"],
  ["how does backoff work?", "natural"],
  ["why does fetchTwice throw", "mixed"],
] as const)("%s is text, and finds", async ([query, shape]) => {
  const { results, query: understood } = await find(query);
  expect(understood).toMatchObject({ shape, filters: [] });
  expect(results.length).toBeGreaterThan(0);
});

test("of the names that a place defines the one that was asked for is said, and none of a type's parameter", async () => {
  const { results } = await find("symbol:parse* -repo:admin");
  expect([...results, ...(await find("backoff lang:tsx")).results].map(({ symbol }) => symbol)).toEqual(["parseLimit", "View"]);
});

test("a path with a line finds the place there", async () => {
  const { results } = await find("src/retry.go:4");
  expect(results[0]).toMatchObject({ path: "src/retry.go" });
});

test("of a regular expression without three letters in a row the lines that match are told, too", async () => {
  const { results } = await find(String.raw`/\bOR\b/ lang:sql`);
  expect(results.map(({ path, matched_lines: lines }) => [path, lines])).toEqual([["data.sql", [1]]]);
});

test("that nothing holds a word of the query is said beside what is only near", async () => {
  const { notes } = await find("zzyzxqv");
  expect(notes).toContain("No place holds the text or a word of it; these are only the nearest in meaning or spelling.");
  expect((await find("fetchTwice")).notes).toEqual([]);
});

test("a message of an error finds the code that says it, whatever values it was given", async () => {
  const { results, notes } = await find('Error: Cannot reach the host "db-7.internal" (attempt 3)');
  expect(results[0]).toMatchObject({ path: "src/http/client.ts" });
  expect(notes).toEqual([expect.stringContaining("reads like an error message")]);
});

test("why conditions leave nothing is said", async () => {
  expect((await find("usebackoff case:yes")).notes).toEqual([expect.stringContaining("without case: the nearest ones are found")]);
  expect((await find('"LIMIT is not" case:yes')).notes).toEqual([expect.stringContaining("in quotes or slashes; without them")]);
});

test("what was understood is said", async () => {
  const { query } = await find('retry "limit is" -/x+y/ repo:acme/shop -path:docs lang:Golang OR parseLimit case:yes');
  expect(query).toEqual({
    shape: "mixed",
    text: "retry limit is parseLimit",
    filters: [
      { field: "repo", value: "acme/shop", negated: false },
      { field: "path", value: "docs", negated: true },
      { field: "lang", value: "go", negated: false },
    ],
    conditions: [
      { kind: "phrase", value: "limit is", negated: false, alternative: 0 },
      { kind: "regex", value: "x+y", negated: true, alternative: 0 },
      { kind: "word", value: "parseLimit", negated: false, alternative: 1 },
    ],
    alternatives: 2,
    case_sensitive: true,
  });
});

test.for<[payload: Asking, status: number, code: string, words: string]>([
  [{ query: "   " }, 400, "invalid_query", "empty"],
  [{ query: "" }, 400, "invalid_request", "say what to look for"],
  [{ query: "x".repeat(10_001) }, 400, "invalid_request", "query"],
  [{ query: "a\0b" }, 400, "invalid_query", "NUL"],
  [{ query: "/foo(/" }, 400, "invalid_pattern", "missing closing ): `foo("],
  [{ query: "/(?=x)/" }, 400, "invalid_pattern", "RE2"],
  [{ query: "/(x{500}){500}/" }, 400, "invalid_pattern", "repe"],
  [{ query: '"x" '.repeat(51) }, 400, "invalid_query", "at most 50"],
  [{ query: `a ${"path:x ".repeat(51)}` }, 400, "invalid_query", "at most 50"],
  [{ query: `a path:${"*a".repeat(501)}` }, 400, "invalid_query", "longer than 1000"],
  [{ query: "x", limit: 51 }, 400, "invalid_request", "limit"],
  [{ query: "x", cursor: "nonsense" }, 400, "invalid_cursor", "start again"],
  [{ query: "x", min_commit: "abcdef0" }, 400, "invalid_query", "repo"],
  [{ query: "x", min_commit: "not a commit", repo: "acme/shop" }, 400, "invalid_request", "hexadecimal"],
  [{ query: "x repo:nowhere" }, 404, "repository_not_found", "acme/shop"],
  [{ query: "x ref:nowhere" }, 409, "ref_not_indexed", "nowhere"],
  [{ query: "x", repo: "acme/shop", ref: "nowhere" }, 409, "ref_not_indexed", "(indexed: main)"],
])("%# a query that nobody could answer is refused with words that help", async ([payload, status, code, words]) => {
  const answer = await ask(payload);
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toMatchObject({ error: code });
  expect(answer.body).toContain(words);
});

test("a language that nothing is written in, and a path as others write it, are explained", async () => {
  expect((await find("backoff lang:cobol")).notes).toEqual([expect.stringMatching(/languages.*go.*typescript/)]);
  expect((await find(String.raw`backoff path:.*\.go$`)).notes).toEqual([expect.stringContaining("not read as a regular expression")]);
});

test("pages follow each other without a gap, and their cursors are of one question alone", async () => {
  const whole = await find("backoff");
  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await find("backoff", { limit: 2, cursor });
    expect(page.results.length).toBeGreaterThan(0);
    paged.push(...page.results.map(({ repo, path, start_line: line }) => `${repo} ${path} ${line}`));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(paged).toEqual(whole.results.map(({ repo, path, start_line: line }) => `${repo} ${path} ${line}`));
  expect(whole.next_cursor).toBeNull();

  const { next_cursor: next } = await find("backoff", { limit: 2 });
  const parts = JSON.parse(Buffer.from(next ?? "", "base64url").toString()) as unknown[];
  const altered = Buffer.from(JSON.stringify(parts.with(2, 4))).toString("base64url");
  for (const [payload, headers] of [
    [{ query: "backof", cursor: next }, index.asAdmin()],
    [{ query: "backoff", lang: "go", cursor: next }, index.asAdmin()],
    [{ query: "backoff", cursor: next }, index.asAdmin("two")],
    [{ query: "backoff", cursor: altered }, index.asAdmin()],
  ] as const) {
    const answer = await ask(payload, headers);
    expect(answer.json(), JSON.stringify(payload)).toMatchObject({
      error: "invalid_cursor",
      message: expect.stringMatching(/altered|belongs/),
    });
  }
});

test("an answer says of which commits it is, and waits for one that is asked for", async () => {
  const { index: searched, min_commit: reached } = await find("backoff", { repo: "acme/shop", min_commit: shop.commit.slice(0, 10) });
  expect(searched).toEqual([{ repo: "acme/shop", ref: "main", commit: shop.commit, indexed_at: expect.any(String), behind: 0 }]);
  expect(reached).toMatchObject({ reached: true });

  const late = await find("backoff", { repo: "acme/shop", min_commit: "f".repeat(40), wait_ms: 150 });
  expect(late.min_commit).toMatchObject({ commit: "f".repeat(40), reached: false });
  expect(late.min_commit?.waited_ms).toBeGreaterThanOrEqual(150);
  expect(late.notes).toEqual([expect.stringContaining("older commit")]);
  expect(late.results.length).toBeGreaterThan(0);

  const first = await find("backoff", { repo: "acme/shop", limit: 1 });
  const waiting = find("Aftermath", { repo: "acme/shop", min_commit: await push(), wait_ms: 10_000 });
  const answer = await waiting;
  expect(answer.min_commit).toMatchObject({ reached: true });
  expect(answer.results[0]).toMatchObject({ path: "after.go" });
  const second = await find("backoff", { repo: "acme/shop", limit: 1, cursor: first.next_cursor });
  expect(second.notes).toEqual([expect.stringContaining("The index changed")]);
});

async function push(): Promise<string> {
  const commit = await shop.source.commit({ "after.go": "package after\n\nfunc Aftermath() {}\n" });
  const started = await index.server.inject({
    method: "POST",
    url: `/api/v1/repos/${shop.id}/index`,
    headers: index.asAdmin(),
    payload: { mode: "incremental" },
  });
  expect(started.statusCode).toBe(202);
  return commit;
}

test("a token of one repository finds and is told of nothing else, however it asks", async () => {
  const made = await index.server.inject({
    method: "POST",
    url: "/api/v1/developer-tokens",
    headers: index.asAdmin(),
    payload: { label: "one", repositories: [shop.id] },
  });
  const headers = { authorization: `Bearer ${made.json<{ token: string }>().token}` };
  for (const query of [
    "backoff",
    "backoff -repo:nothing",
    "/backoff/",
    "symbol:*backoff*",
    "backoff OR tool",
    "lang:go",
    "repo:* backoff",
    "backoff lang:cobol",
  ]) {
    const answer = await ask({ query, limit: 50 }, headers);
    expect(answer.statusCode).toBe(200);
    expect(answer.body.replaceAll(query, "")).not.toMatch(/other\/tool|shop-admin|another tenant/);
  }
  for (const query of ["backoff repo:tool", "backoff repo:shop-admin"]) {
    expect((await ask({ query }, headers)).json()).toMatchObject({
      error: "repository_not_found",
      message: expect.stringMatching(/known: acme\/shop\.$/),
    });
  }
  const hidden = await ask({ query: "backoff", repo: "other/tool", min_commit: "abcdef0", wait_ms: 10_000 }, headers);
  expect(hidden.json()).toMatchObject({ error: "repository_not_found" });
});

test("what a result's score is made of is said when asked for, by GET too", async () => {
  const answer = await index.server.inject({ url: "/api/v1/search?query=backoff&explain=true&limit=1", headers: index.asAdmin() });
  const { results } = answer.json<SearchAnswer>();
  const { score = 0, explain: { fused, factors } = { fused: 0, factors: {} } } = results[0] ?? {};
  expect(Object.keys(factors)).toContain("names");
  const product = Object.values(factors).reduce((value, factor) => value * factor, fused);
  expect(product / score).toBeCloseTo(1, 2);
  expect((await find("backoff")).results[0]).not.toHaveProperty("explain");
});
