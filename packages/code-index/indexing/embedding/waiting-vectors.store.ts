import { sql } from "kysely";
import { withinTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import { vectorsTable, vectorText } from "#store/index/vectors.store.ts";

export type Vectors = Pick<Tenant, "schema" | "role"> & { readonly embedderId: number };

export type WaitingText = {
  readonly textHash: string;
  readonly path: string;
  readonly scope: string;
  readonly symbols: readonly string[];
  readonly content: string;
  /** This time included. */
  readonly attempts: number;
};

type Claiming = { readonly limit: number; readonly now: Date; readonly until: Date };

/** Takes texts without a vector into hand until `until`, those first that were tried least; forgets those of no chunk. */
export async function claimTexts(
  database: CodeIndexDatabase,
  vectors: Vectors,
  { limit, now, until }: Claiming,
): Promise<readonly WaitingText[]> {
  const { schema, embedderId } = vectors;
  const table = vectorsTable(schema, embedderId);
  const claim = sql<{
    text_hash: string;
    path: string | null;
    scope: string;
    symbols: readonly string[];
    content: string;
    attempts: number;
  }>`
    with claimed as (
      update ${table} set claimed_until = ${until}, attempts = attempts + 1
      where text_hash in (
        select text_hash from ${table}
        where embedding is null and error is null and (claimed_until is null or claimed_until < ${now})
        order by attempts, text_hash
        limit ${limit}
        for update skip locked
      )
      returning text_hash, attempts
    )
    select claimed.text_hash, claimed.attempts, chunk.path, chunk.scope, chunk.symbols, chunk.content
    from claimed left join lateral (
      select path, scope, symbols, content from ${sql.id(schema, "code_chunks")} as chunk where chunk.text_hash = claimed.text_hash limit 1
    ) as chunk on true
  `;
  const { rows } = await withinTenant(database, vectors, {}, (transaction) => claim.execute(transaction));
  const gone = rows.filter((row) => row.path === null).map((row) => row.text_hash);
  if (gone.length > 0) {
    await forget(database, vectors, gone);
  }
  return rows.flatMap(({ text_hash: textHash, path, ...rest }) => (path === null ? [] : [{ textHash, path, ...rest }]));
}

async function forget(database: CodeIndexDatabase, vectors: Vectors, hashes: readonly string[]): Promise<void> {
  const { schema, embedderId } = vectors;
  const deletion = sql`
    delete from ${vectorsTable(schema, embedderId)} as vector where text_hash = any(${hashes}::uuid[]) and embedding is null
      and not exists (select from ${sql.id(schema, "code_chunks")} as chunk where chunk.text_hash = vector.text_hash)
  `;
  await withinTenant(database, vectors, {}, (transaction) => deletion.execute(transaction));
}

/** Says that the texts are still in hand. */
export async function keepTexts(
  database: CodeIndexDatabase,
  vectors: Vectors,
  { hashes, until }: { readonly hashes: readonly string[]; readonly until: Date },
): Promise<void> {
  const renewal = sql`
    update ${vectorsTable(vectors.schema, vectors.embedderId)} set claimed_until = ${until}
    where text_hash = any(${hashes}::uuid[]) and embedding is null and error is null
  `;
  await withinTenant(database, vectors, {}, (transaction) => renewal.execute(transaction));
}

/** What became of a text; with neither vector nor refusal it waits on. */
export type TextOutcome = {
  readonly textHash: string;
  readonly vector?: Float32Array;
  readonly refused?: string;
  /** Nobody takes it before. */
  readonly notBefore?: Date;
};

/** Writes what was made, and lets go of all of them. */
export async function saveOutcomes(database: CodeIndexDatabase, vectors: Vectors, outcomes: readonly TextOutcome[]): Promise<void> {
  const rows = outcomes.map(({ textHash, vector, refused, notBefore }) => ({
    text_hash: textHash,
    embedding: vector === undefined ? null : vectorText(vector),
    error: refused ?? null,
    claimed_until: notBefore ?? null,
  }));
  const saving = sql`
    update ${vectorsTable(vectors.schema, vectors.embedderId)} as vector
    set embedding = given.embedding::halfvec, error = given.error, claimed_until = given.claimed_until,
      made = case when given.embedding is null then vector.made else given.saved end
    from (
      select now() as saved, *
      from json_to_recordset(${JSON.stringify(rows)}::json) as outcome(text_hash uuid, embedding text, error text, claimed_until timestamptz)
    ) as given
    where vector.text_hash = given.text_hash and vector.embedding is null and vector.error is null
  `;
  await withinTenant(database, vectors, {}, (transaction) => saving.execute(transaction));
}

/** Chunks that one statement looks at. */
const CHUNKS_AT_ONCE = 20_000;

/** Has every text of the tenant that has no vector of the embedder wait for one. Returns how many are new. */
export async function awaitAllVectors(database: CodeIndexDatabase, { schema, embedderId }: Vectors): Promise<number> {
  const table = vectorsTable(schema, embedderId);
  let added = 0;
  for (let after = -1; ;) {
    const { rows } = await sql<{ last: number | null; added: number }>`
      with looked as (
        select chunk_id, text_hash from ${sql.id(schema, "code_chunks")} where chunk_id > ${after} order by chunk_id limit ${CHUNKS_AT_ONCE}
      ), inserted as (
        insert into ${table} (text_hash)
        select distinct text_hash from looked
        where text_hash is not null and not exists (select from ${table} as vector where vector.text_hash = looked.text_hash)
        order by text_hash
        on conflict (text_hash) do nothing
        returning text_hash
      )
      select (select max(chunk_id) from looked) as last, (select count(*) from inserted) as added
    `.execute(database.query);
    const [found] = rows;
    if (found === undefined || found.last === null) {
      return added;
    }
    added += found.added;
    after = found.last;
  }
}

/** Where nothing embeds any more, nothing waits. */
export async function forgetWaiting(database: CodeIndexDatabase, { schema }: Pick<Tenant, "schema">): Promise<void> {
  const embedders = await database.query.withSchema(schema).selectFrom("embedders").select("embedder_id").execute();
  for (const { embedder_id: embedderId } of embedders) {
    await sql`delete from ${vectorsTable(schema, embedderId)} where embedding is null and error is null`.execute(database.query);
  }
}
