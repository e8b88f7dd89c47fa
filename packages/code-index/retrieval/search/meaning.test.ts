import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { QueryEmbedder } from "#embedding/query-embedder.ts";
import { readChunks } from "#retrieval/scope/read-chunks.store.ts";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import type { Scope } from "#store/tenancy/read-scope.store.ts";
import { findNearest } from "#store/index/read-vectors.store.ts";
import { storedEmbedders } from "#store/index/vectors.store.ts";
import { readAs, ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { ensureEmbedder, insertVectors } from "#store/index/vectors.store.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { LEGS } from "#retrieval/legs/legs.ts";
import { createSearchState, search } from "./search.ts";

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;
let small: string;

const IDENTITY = { key: "flat", provider: "test", model: "flat", dimensions: 2 };

/** Points on a circle: the further the chunk's number is from 0, the further it is from the query. */
const embedder: QueryEmbedder = { identity: IDENTITY, embed: () => Promise.resolve({ vector: Float32Array.of(1, 0) }) };
const vectorOf = (number: number) => Float32Array.of(Math.cos(number / 100), Math.sin(number / 100));

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId: "one", name: "one" });
  const numbered = (from: number, to: number, folder: string) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`${folder}/${from + index}.ts`, `item ${from + index}\n`]));
  await seedBuild(database, { tenant, repo: "acme/big", files: { ...numbered(0, 60, "near"), ...numbered(100, 160, "far") } });
  small = (await seedBuild(database, { tenant, repo: "acme/small", files: numbered(200, 205, "small") })).repoId;
  const embedderId = await ensureEmbedder(database, tenant, IDENTITY);
  const chunks = await sql<{ text_hash: string; content: string }>`
    select text_hash, content from ${sql.id(tenant.schema, "code_chunks")}
  `.execute(database.query);
  const vectors = chunks.rows.map(({ text_hash: textHash, content }) => ({
    textHash,
    vector: vectorOf(Number(content.replaceAll(/\D/g, ""))),
  }));
  await insertVectors(database, { ...tenant, embedderId }, vectors);
});

afterAll(() => database.drop());

async function nearest(scope: Scope, limit: number, inScope: number): Promise<readonly string[]> {
  return readAs(database, tenant, 5_000, async (transaction) => {
    const [stored] = await storedEmbedders(transaction, tenant);
    const found =
      stored === undefined
        ? []
        : await findNearest(transaction, scope, {
            vector: Float32Array.of(1, 0),
            embedder: stored,
            limit,
            chunks: { inScope, ofTenant: 100 },
          });
    const { rows } = await sql<{ path: string }>`
      select path from unnest(${found}::bigint[]) with ordinality as found(id, place)
      join ${sql.id(tenant.schema, "code_chunks")} on chunk_id = found.id order by place
    `.execute(transaction);
    return rows.map((row) => row.path);
  });
}

test.for([
  ["everything", {}, ["near/0.ts", "near/1.ts", "near/2.ts"]],
  ["a path whose chunks are all far away", { path: "far/" }, ["far/100.ts", "far/101.ts", "far/102.ts"]],
  ["a small repository", { repo: "acme/small" }, ["small/200.ts", "small/201.ts", "small/202.ts"]],
  ["a path that one file has", { path: "near/59" }, ["near/59.ts"]],
  ["nothing", { repo: "acme/none" }, []],
] as const)("the nearest of %s are the same whether vectors or chunks are gone through first", async ([, filters, expected]) => {
  for (const inScope of [0, 100]) {
    expect(await nearest({ tenant, ...filters }, 3, inScope)).toEqual(expected);
  }
});

test(
  "with an index of the vectors nothing is missing: filters, and what was made since, are looked through exactly",
  needsRealPostgres,
  async () => {
    const { rows } = await sql<{ text_hash: string }>`
    select text_hash from ${sql.id(tenant.schema, "code_chunks")} where path like 'near/1%' or path like 'far/%'
  `.execute(database.query);
    const until = new Date(Date.now() - 1_000);
    const table = sql.id(tenant.schema, "vectors_1");
    await sql`update ${table} set made = now() + interval '1 minute' where text_hash = any(${rows.map((row) => row.text_hash)}::uuid[])`.execute(
      database.query,
    );
    await sql`update ${table} set made = '-infinity' where made <= now()`.execute(database.query);
    await sql`
    create index on ${table} using hnsw (embedding halfvec_cosine_ops) where made <= ${sql.lit(until.toISOString())}::timestamptz
  `.execute(database.query);
    await database.query.withSchema(tenant.schema).updateTable("embedders").set({ near_until: until }).execute();
    try {
      expect(await nearest({ tenant }, 3, 100)).toEqual(["near/0.ts", "near/1.ts", "near/2.ts"]);
      expect(await nearest({ tenant, path: "far/" }, 3, 100)).toEqual(["far/100.ts", "far/101.ts", "far/102.ts"]);
      expect(await nearest({ tenant, path: "near/59" }, 3, 100)).toEqual(["near/59.ts"]);
      expect(await nearest({ tenant, repo: "acme/small" }, 10, 100)).toHaveLength(5);
    } finally {
      await database.query.withSchema(tenant.schema).updateTable("embedders").set({ near_until: null }).execute();
    }
  },
);

test("chunks are read with their cosines, and what has no vector yet has none", async () => {
  const { rows: chunks } = await sql<{ chunk_id: number; text_hash: string; path: string }>`
    select chunk_id, text_hash, path from ${sql.id(tenant.schema, "code_chunks")} where path in ('near/0.ts', 'far/150.ts', 'small/200.ts')
  `.execute(database.query);
  const waiting = chunks.find(({ path }) => path === "small/200.ts")?.text_hash;
  const table = sql.id(tenant.schema, "vectors_1");
  await sql`update ${table} set embedding = null where text_hash = ${waiting}::uuid`.execute(database.query);
  try {
    const read = await readAs(database, tenant, 5_000, async (transaction) => {
      const [stored] = await storedEmbedders(transaction, tenant);
      const compared = stored === undefined ? undefined : { vector: Float32Array.of(1, 0), embedder: stored };
      return readChunks(
        transaction,
        { tenant },
        chunks.map(({ chunk_id: id }) => id),
        { compared },
      );
    });
    const likeness = Object.fromEntries(read.map((chunk) => [chunk.path, chunk.likeness]));
    expect(likeness["near/0.ts"]).toBeCloseTo(1, 3);
    expect(likeness["far/150.ts"]).toBeCloseTo(Math.cos(1.5), 3);
    expect(likeness["small/200.ts"]).toBeNull();
  } finally {
    await sql`update ${table} set embedding = ${`[${vectorOf(200).join(",")}]`}::halfvec where text_hash = ${waiting}::uuid`.execute(
      database.query,
    );
  }
});

async function meaning(repositories?: readonly string[]) {
  const { legs } = await search(
    { ...createSearchState(), database, log: silentLog, embedder },
    { tenant, repositories },
    { query: "item", limit: 10 },
  );
  return legs.semantic;
}

test("chunks that wait for a vector make the leg pending, with the provider's words for those alone who see everything", async () => {
  expect(await meaning()).toMatchObject({ state: "ok", hits: LEGS.semantic.hits.usual, by: "meaning" });
  await database.query.updateTable("codeindex.refs").set({ vectors_pending: 7, vectors_error: 'bad input: "item 3"' }).execute();
  expect(await meaning()).toMatchObject({
    state: "pending",
    reason: expect.stringContaining('14 chunks have no vector yet: bad input: "item 3"'),
  });
  expect((await meaning([small])).reason).toBe("7 chunks have no vector yet: the embedder's provider fails");
});

test("of a report the title is embedded", async () => {
  const asked: string[] = [];
  const listening: QueryEmbedder = {
    ...embedder,
    embed: (text, key) => {
      asked.push(text);
      return embedder.embed(text, key);
    },
  };
  const told =
    "It happens every time that somebody removes an item from the list while another one is being added to it by hand, and again after a restart.";
  await search(
    { ...createSearchState(), database, log: silentLog, embedder: listening },
    { tenant },
    { query: `Items vanish\n\n${told}`, limit: 1 },
  );
  expect(asked).toEqual(["Items vanish"]);
});
