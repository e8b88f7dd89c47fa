import { sql, type Kysely, type RawBuilder } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { realArray } from "@sightline/foundation/database/array-parameters";
import type { Build } from "./builds.store.ts";
import { lockTenant, withinTenant, type CodeIndexDatabase, type Tenant, type TenantSchema } from "#store/tenancy/tenant.ts";

export function vectorsTable(schema: TenantSchema, embedderId: number): RawBuilder<unknown> {
  return sql.id(schema, `vectors_${embedderId}`);
}

export type StoredEmbedder = {
  readonly embedder_id: number;
  readonly identity: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  /** The vectors made until then are in an index. */
  readonly near_until: Date | null;
  readonly last_error: string | null;
};

/** The tenant's embedders; first the one in use: the newest that had a vector for every chunk, or else the newest. */
export async function storedEmbedders(
  query: Kysely<CodeIndexTables>,
  { schema }: Pick<Tenant, "schema">,
): Promise<readonly StoredEmbedder[]> {
  const { rows } = await sql<StoredEmbedder>`
    select embedder_id, identity, provider, model, dimensions, near_until, last_error
    from ${sql.id(schema, "embedders")}
    order by complete_at is null, embedder_id desc
  `.execute(query);
  return rows;
}

/** What tells an embedder's vectors from all others. */
type EmbedderIdentity = Pick<StoredEmbedder, "provider" | "model" | "dimensions"> & { readonly key: string };

/** Makes room for an embedder's vectors in a tenant's schema, and returns the embedder's number there. */
export async function ensureEmbedder(
  database: CodeIndexDatabase,
  tenant: Pick<Build, "tenantId" | "schema">,
  identity: EmbedderIdentity,
): Promise<number> {
  const known = await findEmbedder(database, tenant.schema, identity);
  if (known !== undefined) {
    return known;
  }
  const { key, provider, model, dimensions } = identity;
  return database.query.transaction().execute(async (transaction) => {
    await lockTenant(transaction, tenant, "alone");
    await sql`
      insert into ${sql.id(tenant.schema, "embedders")} (identity, provider, model, dimensions)
      values (${key}, ${provider}, ${model}, ${dimensions}) on conflict (identity) do nothing
    `.execute(transaction);
    const { rows } = await sql<{ embedder_id: number }>`
      select embedder_id from ${sql.id(tenant.schema, "embedders")} where identity = ${key}
    `.execute(transaction);
    const embedderId = rows[0]?.embedder_id;
    if (embedderId === undefined) {
      throw new Error("The embedder was not saved.");
    }
    await sql`
      create table if not exists ${vectorsTable(tenant.schema, embedderId)} (
        text_hash uuid primary key,
        embedding halfvec(${sql.lit(dimensions)}),
        -- How often it was handed to the embedder, and until when somebody has it in hand.
        attempts integer not null default 0,
        claimed_until timestamptz,
        -- Why the embedder refuses the text: then it waits no longer.
        error text,
        -- When the vector was: those made since the last index of the nearest was are not in it.
        made timestamptz not null default '-infinity'
      )
    `.execute(transaction);
    await sql`
      create index if not exists ${sql.id(`vectors_${embedderId}_made`)} on ${vectorsTable(tenant.schema, embedderId)} (made)
      where made > '-infinity'
    `.execute(transaction);
    await sql`
      create index if not exists ${sql.id(`vectors_${embedderId}_waiting`)} on ${vectorsTable(tenant.schema, embedderId)} (attempts, text_hash)
      where embedding is null and error is null
    `.execute(transaction);
    await sql`
      create index if not exists ${sql.id(`vectors_${embedderId}_refused`)} on ${vectorsTable(tenant.schema, embedderId)} (text_hash)
      where error is not null
    `.execute(transaction);
    return embedderId;
  });
}

async function findEmbedder(database: CodeIndexDatabase, schema: TenantSchema, { key }: EmbedderIdentity): Promise<number | undefined> {
  const row = await database.query
    .withSchema(schema)
    .selectFrom("embedders")
    .select("embedder_id")
    .where("identity", "=", key)
    .executeTakeFirst();
  return row?.embedder_id;
}

type Vectors = Pick<Tenant, "schema" | "role"> & { readonly embedderId: number };

/** Those of the texts that have no vector, and none is being made. */
export async function textsWithoutVector(
  database: CodeIndexDatabase,
  { schema, embedderId }: Vectors,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ text_hash: string }>`
    select text_hash from unnest(${hashes}::uuid[]) as text_hash
    where not exists (select from ${vectorsTable(schema, embedderId)} as vector where vector.text_hash = text_hash.text_hash)
  `.execute(database.query);
  return new Set(rows.map((row) => row.text_hash));
}

type NewVector = { readonly textHash: string; readonly vector: Float32Array };

export async function insertVectors(
  database: CodeIndexDatabase,
  { schema, role, embedderId }: Vectors,
  vectors: readonly NewVector[],
): Promise<void> {
  const dimensions = vectors[0]?.vector.length ?? 0;
  if (vectors.some(({ vector }) => vector.length !== dimensions)) {
    throw new Error("The embedder made vectors of several lengths.");
  }
  const values = realArray(vectors.map(({ vector }) => vector));
  // In one order everywhere: two builds that write the same texts wait for each other, and not both.
  const statement = sql`
    insert into ${vectorsTable(schema, embedderId)} (text_hash, embedding, made)
    select text_hash, (${values}::real[])[(number - 1) * ${dimensions}::integer + 1 : number * ${dimensions}::integer]::halfvec, now()
    from unnest(${vectors.map(({ textHash }) => textHash)}::uuid[]) with ordinality as given(text_hash, number)
    order by text_hash
    on conflict (text_hash) do nothing
  `;
  await withinTenant(database, { schema, role }, {}, (transaction) => statement.execute(transaction));
}

/** Has the texts of a build that have no vector wait for one: of each embedder, as the one in use may be about to be replaced. */
export async function awaitVectors(database: CodeIndexDatabase, build: Build): Promise<void> {
  const { schema, generation } = build;
  await withinTenant(database, build, {}, async (transaction) => {
    // So that no sweep deletes a vector whose text it saw nowhere before this build came to use it.
    await lockTenant(transaction, build, "with-others");
    const embedders = await transaction.withSchema(schema).selectFrom("embedders").select("embedder_id").execute();
    for (const { embedder_id: embedderId } of embedders) {
      await sql`
        insert into ${vectorsTable(schema, embedderId)} (text_hash)
        select distinct chunk.text_hash
        from ${sql.id(schema, "files")} as file join ${sql.id(schema, "code_chunks")} as chunk on chunk.document_id = file.document_id
        where file.generation = ${generation} and chunk.text_hash is not null
          and not exists (select from ${vectorsTable(schema, embedderId)} as vector where vector.text_hash = chunk.text_hash)
        order by chunk.text_hash
        on conflict (text_hash) do nothing
      `.execute(transaction);
    }
  });
}

/** A vector as pgvector reads it; five decimals are as many as a halfvec keeps of numbers this small. */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Math.round(value * 100_000) / 100_000).join(",")}]`;
}
