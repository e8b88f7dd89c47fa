import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SearchAnswer } from "#contract.ts";
import { DIMENSIONS } from "#testing/embedding-outcomes.ts";
import { answer, startEmbeddingProvider, type EmbeddingProvider, type Misbehaviour } from "#testing/embedding-provider.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

let provider: EmbeddingProvider;
let index: RunningCodeIndex;

beforeAll(async () => {
  provider = await startEmbeddingProvider("openai", DIMENSIONS);
  index = await startCodeIndex({
    embedding: {
      CODEINDEX_EMBEDDER: "openai",
      CODEINDEX_EMBEDDING_URL: provider.url,
      CODEINDEX_EMBEDDING_MODEL: "small",
      CODEINDEX_EMBEDDING_DIMENSIONS: DIMENSIONS,
    },
  });
  await index.index("acme/shop", {
    "retry.ts": "export function retryWithBackoff() {\n  return '100%_sure';\n}\n",
    "palette.ts": "export function lighten(colour) {\n  return colour; // 🎨 ألوان\n}\n",
  });
});

afterAll(async () => {
  await index.stop();
  await provider.close();
});

async function ask(payload: object) {
  return index.server.inject({ method: "POST", url: "/api/v1/search", headers: index.asAdmin(), payload });
}

async function find(query: string): Promise<SearchAnswer> {
  const found = await ask({ query });
  expect(found.statusCode, found.body).toBe(200);
  return found.json<SearchAnswer>();
}

const HANGING: Misbehaviour = () => true;
const DRIPPING: Misbehaviour = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" }).write('{"data": [');
  return true;
};
const GONE: Misbehaviour = (_, response) => {
  response.socket?.destroy();
  return true;
};
const RAVING: Misbehaviour = (_, response) => answer(response, 200, "<html>no vectors here</html>");

test.for([
  ["hangs", HANGING],
  ["answers without end", DRIPPING],
  ["is gone", GONE],
  ["raves", RAVING],
] as const)("with a provider that %s the other legs answer, say so, and the next query does not wait", async ([how, misbehaviour]) => {
  await expect.poll(async () => (await find(`healthy ${how} ${Date.now()}`)).legs["semantic"]?.state, { timeout: 20_000 }).toBe("ok");
  provider.misbehave(misbehaviour);
  const first = await find(`retryWithBackoff ${how}`);
  expect(first.results[0]).toMatchObject({ path: "retry.ts" });
  expect(first.legs).toMatchObject({ bm25: { state: "ok" }, exact: { state: "ok" } });
  expect(first.legs["semantic"]).toMatchObject({ state: "degraded", reason: expect.stringContaining("provider") });

  const others = await Promise.all(Array.from({ length: 8 }, (_, number) => find(`lighten ${how} ${number}`)));
  for (const { results, legs } of others) {
    expect(results[0]).toMatchObject({ path: "palette.ts" });
    // Both are said without having asked it.
    expect(legs["semantic"]?.reason).toMatch(/fails or is too slow|is being tried again/);
  }
  provider.recover();
});

const piece = fc.oneof(
  fc.constantFrom(
    '"',
    "/",
    "-",
    "\\",
    "(",
    "[",
    "{",
    "%",
    "_",
    "*",
    "?",
    "^",
    "$",
    "|",
    "OR",
    "case:yes",
    "🎨",
    "\u202E",
    "ألوان",
    "e\u0301",
    "'; drop table",
  ),
  fc.constantFrom(
    "repo:",
    "repo:acme/shop",
    "-path:",
    "path:*",
    "lang:ts",
    "symbol:",
    "ref:main",
    "foo:bar",
    "retryWithBackoff",
    "\ud83d",
    "\0",
    "\n",
    "\t",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const hostile = fc
  .array(fc.tuple(piece, fc.constantFrom("", " ")), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.flat().join(""));

test("whatever is asked has an answer, or an error that says what is wrong with it", async () => {
  provider.recover();
  await fc.assert(
    fc.asyncProperty(hostile, hostile, fc.constantFrom("query", "path", "lang", "repo", "symbol", "ref"), async (query, value, field) => {
      const found = await ask({ query: "retry", [field]: value, ...(field === "query" ? {} : { query }) });
      const body = found.json<{ results?: unknown[]; error?: string; message?: string }>();
      expect([200, 400, 404, 409], found.body).toContain(found.statusCode);
      expect(found.statusCode === 200 ? Array.isArray(body.results) : (body.message?.length ?? 0) > 10, found.body).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test.for([
  ["10 kB of quotes", '"'.repeat(10_000)],
  ["10 kB of slashes and brackets", "/[ ".repeat(3_333)],
  ["10 kB of words", "retry ".repeat(1_666)],
  ["10 kB in one word", "x".repeat(10_000)],
  ["an expression that takes others for ever", "/(a+)+(b|c*)*$/ /(.*)(.*)(.*)(.*)x/"],
  ["an expression without a letter", "/.?.*[^a]/"],
  ["a great many exclusions", "retry -x -y -z ".repeat(10)],
] as const)("%s is answered", async ([, query]) => {
  const found = await ask({ query });
  expect([200, 400], found.body).toContain(found.statusCode);
});

test("a search whose asker is gone stops in the database", needsRealPostgres, async () => {
  await index.server.listen({ port: 0, host: "127.0.0.1" });
  const { port } = index.server.server.address() as AddressInfo;
  const holder = await index.database.pool.connect();
  const searches = async () => {
    const { rows } = await index.database.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%code_chunks%'",
    );
    return rows.length;
  };
  try {
    await holder.query("begin; lock table tenant_one.code_chunks in access exclusive mode");
    const leaving = new AbortController();
    const url = `http://127.0.0.1:${port}/api/v1/search?query=retryWithBackoff`;
    const asking = fetch(url, { headers: index.asAdmin(), signal: leaving.signal });
    await expect.poll(searches, { timeout: 5_000 }).toBeGreaterThan(0);
    leaving.abort();
    await expect(asking).rejects.toThrow("aborted");
    await expect.poll(searches, { timeout: 1_000 }).toBe(0);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
});
