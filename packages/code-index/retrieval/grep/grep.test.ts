import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { grepRequestSchema, type GrepAnswer, type GrepRequest } from "#contract.ts";
import { createGrepLimit, grep } from "./grep.ts";
import { splitLines } from "#retrieval/patterns/compile-pattern.ts";
import { findTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { grepFiles } from "#testing/grep-files.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";

const FILES = grepFiles();

let running: RunningCodeIndex;
let indexed: Indexed;
let tenant: Tenant;

beforeAll(async () => {
  running = await startCodeIndex();
  indexed = await running.index("acme/grep", FILES);
  await running.index("acme/other", { "a.txt": "foo_bar of another\n" });
  tenant = (await findTenant(running.database, "one")) as Tenant;
}, 60_000);

afterAll(() => running.stop());

/** However busy the machine is, all is counted. */
const limits = { lookMs: 3_000, countMs: 30_000 };
const dependencies = () => ({ limit: createGrepLimit(), memory: createIndexMemory(), database: running.database, limits });

async function ask(given: Partial<GrepRequest> & { readonly pattern: string }): Promise<GrepAnswer> {
  const request = grepRequestSchema.parse({ repo: "acme/grep", ...given });
  return grep(dependencies(), { tenant }, request);
}

/** `path:line` of every match, over all pages. */
async function allOf(given: Partial<GrepRequest> & { readonly pattern: string }): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore;) {
    const answer: GrepAnswer = await ask({ ...given, ...(cursor === undefined ? {} : { cursor }) });
    expect(answer.partial).toBe(false);
    found.push(...answer.files.flatMap((file) => file.matches.map((match) => `${file.path}:${match.line}:${match.text}`)));
    isMore = answer.next_cursor !== null;
    cursor = answer.next_cursor ?? undefined;
    expect(isMore ? found.length : answer.total).toBe(found.length);
  }
  return found;
}

/** The same of git's own grep. */
function byGit(pattern: string, ...options: readonly string[]): readonly string[] {
  const { stdout, status, stderr } = spawnSync(
    "git",
    ["-C", indexed.source.directory, "grep", "-n", "-I", "-z", ...options, "-e", pattern, "HEAD"],
    {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    },
  );
  expect({ pattern, status: status === 0 || status === 1, stderr }).toEqual({ pattern, status: true, stderr: "" });
  return (
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) =>
        line
          .replace(/^HEAD:/, "")
          .replace(/\r$/, "")
          .split("\0"),
      )
      // Where a pattern matches nothing at all, git sees a line after the last.
      .filter(([path = "", line]) => Number(line) <= splitLines(FILES[path] ?? "").length)
      .map((parts) => parts.join(":"))
  );
}

function sorted(lines: readonly string[]): readonly string[] {
  // A part of a long line is shown.
  return lines.map((line) => (line.length > 500 ? line.replace(/^([^:]*:\d+:).*/, "$1") : line)).toSorted();
}

const LITERALS = [
  "foo_bar",
  "Append(ref",
  "} else",
  "%",
  "_",
  "a_b\\c",
  "'quoted' \"",
  "😀",
  "语言",
  "Straße",
  "x",
  ";",
  "{ return 1; } else { return 33; }",
  "value7(7)",
  "final_word",
  'needle_in_a_long_line ", "last": "foo_bar',
  "no such thing",
  "[1, 2",
];

test.for(LITERALS)("%s is found on the lines on which git finds it", async (pattern) => {
  expect(sorted(await allOf({ pattern }))).toEqual(sorted(byGit(pattern, "-F")));
  expect(sorted(await allOf({ pattern, case: "insensitive", limit: 1_000 }))).toEqual(sorted(byGit(pattern, "-F", "-i")));
});

const part = fc.constantFrom(
  "foo",
  "bar",
  "a",
  "b",
  "_",
  "[a-f]",
  "[^a]",
  ".",
  "o",
  "Append",
  "\\(",
  "\\{",
  "1",
  "value",
  "else",
  " ",
  "return",
  "\\.",
);
const expression = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 2 },
    part,
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => `(${String(one)}|${String(other)})`),
    fc.tuple(part, fc.constantFrom("*", "+", "?", "{2}", "{1,3}")).map(([one, times]) => `(${one})${times}`),
  ),
  whole: fc.tuple(fc.constantFrom("", "^", "^\\s*"), tie("node"), fc.constantFrom("", "$")).map((parts) => parts.join("")),
})).whole;

test("an expression is found on the lines on which git finds it", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(expression, fc.boolean(), async (pattern, isSensitive) => {
      const found = await allOf({ pattern, regex: true, case: isSensitive ? "sensitive" : "insensitive", limit: 1_000 });
      // To git a line of Windows ends after its `\r`.
      const expected = byGit(pattern, "-E", ...(isSensitive ? [] : ["-i"])).filter((line) => !line.startsWith("windows.txt"));
      expect(sorted(found.filter((line) => !line.startsWith("windows.txt")))).toEqual(sorted(expected));
    }),
    { numRuns: 40 },
  );
});

test("pages of any size hold every line once, in the same order", async () => {
  const whole = await allOf({ pattern: "foo", case: "insensitive", limit: 1_000 });
  expect(whole.length).toBeGreaterThan(50);
  for (const limit of [17, 100]) {
    expect(await allOf({ pattern: "foo", case: "insensitive", limit })).toEqual(whole);
  }
});

test("a cursor goes on with its own question alone", async () => {
  const first = await ask({ pattern: "foo", limit: 2 });
  const cursor = first.next_cursor ?? "";
  const invalid = expect.objectContaining({ code: "invalid_cursor", status: 400 });
  await expect(ask({ pattern: "bar", cursor })).rejects.toEqual(invalid);
  await expect(ask({ pattern: "foo", path: "src", cursor })).rejects.toEqual(invalid);
  await expect(ask({ pattern: "foo", cursor: `${cursor.slice(0, -4)}AAAA` })).rejects.toEqual(invalid);
  await expect(ask({ pattern: "foo", cursor: "nonsense" })).rejects.toEqual(invalid);
  const other = (await findTenant(running.database, "two")) as Tenant;
  const request = grepRequestSchema.parse({ pattern: "foo", cursor });
  await expect(grep(dependencies(), { tenant: other }, request)).rejects.toEqual(invalid);
  expect(await ask({ pattern: "foo", cursor })).toMatchObject({ total: first.total, notes: [] });
});

test("the lines around a match are shown once", async () => {
  const { files } = await ask({ pattern: "foo_bar", path: "src/dir0/file28.go", context: 2 });
  const source = splitLines(FILES["src/dir0/file28.go"] ?? "");
  const shown = files.flatMap(({ matches }) =>
    matches.flatMap(({ line, text, before, after }) => [
      ...before.map((each, index) => [line - before.length + index, each] as const),
      [line, text] as const,
      ...after.map((each, index) => [line + 1 + index, each] as const),
    ]),
  );
  expect(new Set(shown.map(([line]) => line)).size).toBe(shown.length);
  for (const [line, text] of shown) {
    expect(text).toBe(source[line - 1]);
  }
  for (const { line, text, ranges } of files.flatMap(({ matches }) => matches)) {
    expect(shown.map(([number]) => number)).toEqual(expect.arrayContaining([Math.max(1, line - 2), Math.min(source.length, line + 2)]));
    expect(ranges.map(([from, to]) => text.slice(from, to))).toEqual(["foo_bar"]);
  }
});

test("what is across lines is found across the chunks that a file is cut into", async () => {
  const [path = "", content = ""] =
    Object.entries(FILES).toSorted(([, one], [, other]) => other.split("\n").length - one.split("\n").length)[0] ?? [];
  const lines = splitLines(content).length;
  expect(lines).toBeGreaterThan(80);
  for (let from = 0; from < content.length - 300; from += 61) {
    const pattern = content
      .slice(from, from + 300)
      .replace(/^\s+/, "")
      .toWellFormed();
    expect({ pattern, matches: (await ask({ pattern, path: `/${path}` })).matches > 3 }).toEqual({ pattern, matches: true });
  }
  expect(await ask({ pattern: "(?s).+", regex: true, path: `/${path}`, limit: 1_000 })).toMatchObject({ matches: lines, total: lines });
  expect((await ask({ pattern: "one;\ntwo;" })).files).toMatchObject([{ path: "windows.txt", matches: [{ line: 1 }, { line: 2 }] }]);
});

test("an answer that has no time for more says so, and its cursor goes on to the end", async () => {
  const found: string[] = [];
  let partial = 0;
  for (let cursor: string | undefined, isMore = true; isMore;) {
    const request = grepRequestSchema.parse({ repo: "acme/grep", pattern: "}", ...(cursor === undefined ? {} : { cursor }) });
    const answer: GrepAnswer = await grep({ ...dependencies(), limits: { lookMs: 0, countMs: 0 } }, { tenant }, request);
    found.push(...answer.files.flatMap(({ path, matches }) => matches.map(({ line }) => `${path}:${line}`)));
    partial += answer.partial ? 1 : 0;
    expect(answer.partial ? answer.reason : "three characters").toContain("three characters");
    isMore = answer.next_cursor !== null;
    cursor = answer.next_cursor ?? undefined;
  }
  expect(partial).toBeGreaterThan(5);
  expect(found).toEqual((await allOf({ pattern: "}", limit: 1_000 })).map((line) => line.split(":").slice(0, 2).join(":")));
});

// HTTP

const HOSTILE: readonly (readonly [string, number])[] = [
  ["pattern=", 400],
  ["", 400],
  [`pattern=${"a".repeat(2_001)}`, 400],
  ["pattern=%00", 400],
  ["pattern=(&regex=true", 400],
  ["pattern=a**&regex=true", 400],
  ["pattern=(%3F%3Dx)&regex=true", 400],
  ["pattern=(a%2B)%2B%24&regex=true", 200],
  ["pattern=%27%3B+drop+table+code_chunks%3B--", 200],
  ["pattern=%25_%25&case=insensitive", 200],
  ["pattern=%5C", 200],
  ["pattern=.&regex=true&limit=1000&context=10", 200],
  ["pattern=%F0%9F%98%80", 200],
  ["pattern=%D7%A9%D7%9C%D7%95%D7%9D", 200],
  ["pattern=%ED%A0%80", 200],
  ["pattern=x&path=%00", 400],
  ["pattern=x&repo=acme%2Fnone", 404],
  ["pattern=x&repo=%00", 400],
  ["pattern=x&ref=none", 409],
  ["pattern=x&limit=0", 400],
  ["pattern=x&limit=1001", 400],
  ["pattern=x&context=-1", 400],
  ["pattern=x&case=odd", 400],
  ["pattern=x&regex=perhaps", 400],
  ["pattern=x&cursor=%7B%7D", 400],
  [`pattern=x&cursor=${Buffer.from("[1,2]").toString("base64url")}`, 400],
];

test.for(HOSTILE)("GET /api/v1/grep?%s is answered with %i", async ([query, status]) => {
  const answer = await running.server.inject({ url: `/api/v1/grep?${query}`, headers: running.asAdmin() });
  expect({ query, status: answer.statusCode, body: answer.body }).toMatchObject({
    query,
    status,
    body: expect.stringMatching(/message|matches/),
  });
});

test("GET and POST answer alike, with the commit that was searched", async () => {
  const headers = running.asAdmin();
  const got = await running.server.inject({ url: "/api/v1/grep?pattern=foo_bar&path=windows&regex=true", headers });
  const payload = { pattern: "foo_bar", path: "windows", regex: true };
  const posted = await running.server.inject({ method: "POST", url: "/api/v1/grep", headers, payload });
  expect(got.json()).toEqual({ ...posted.json<GrepAnswer>(), ms: expect.any(Number) });
  expect(got.json()).toMatchObject({
    files: [{ repo: "acme/grep", ref: "main", commit: indexed.commit, path: "windows.txt", matches: [{ line: 4, text: "foo_bar" }] }],
    matches: 1,
    total: 1,
    next_cursor: null,
  });
});

test("another tenant, and a token of another repository, find nothing", async () => {
  const { statusCode } = await running.server.inject({ url: "/api/v1/grep?pattern=foo&repo=acme%2Fgrep", headers: running.asAdmin("two") });
  expect(statusCode).toBe(404);
  const everywhere = await running.server.inject({ url: "/api/v1/grep?pattern=foo", headers: running.asAdmin("two") });
  expect(everywhere.json()).toMatchObject({ files: [], total: 0, index: [] });
  const { rows } = await running.database.pool.query("select id from codeindex.repositories where full_name = 'acme/other'");
  const answer = await grep(dependencies(), { tenant, repositories: [rows[0].id] }, grepRequestSchema.parse({ pattern: "foo_bar" }));
  expect(answer.files.map((file) => file.repo)).toEqual(["acme/other"]);
});

test("a cursor of before the index changed goes on, and says that it changed", async () => {
  const first = await ask({ pattern: "foo", limit: 1 });
  await indexed.source.commit({ "src/newer.txt": "foo\n" });
  await running.server.inject({ method: "POST", url: `/api/v1/repos/${indexed.id}/index`, headers: running.asAdmin(), payload: {} });
  await vi.waitFor(async () => expect((await ask({ pattern: "foo", path: "newer" })).matches).toBe(1), { timeout: 20_000 });
  const next = await ask({ pattern: "foo", cursor: first.next_cursor ?? "" });
  expect(next.notes).toEqual([expect.stringContaining("changed")]);
  expect(next.matches).toBeGreaterThan(0);
});
