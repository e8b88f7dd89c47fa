import { sql } from "kysely";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";

type Multiplying = {
  readonly tenant: Tenant;
  readonly embedderId: number;
  /** How many copies there are of every repository already. */
  readonly copies: number;
};

/** Numbers of one copy never meet those of another. */
const APART = { documents: 10_000_000, segments: 10_000, generations: 100_000 };

/**
 * Adds another copy of every repository that is no copy: the same texts and names, in segments of their own, with other vectors near
 * those of the first. As fast as the database copies rows, where an indexer splits and packs.
 */
export async function addCopy(database: CodeIndexDatabase, { tenant, embedderId, copies }: Multiplying): Promise<void> {
  const { schema } = tenant;
  const number = sql.lit(copies + 1);
  const table = (name: string) => sql.id(schema, name);
  const vectors = table(`vectors_${embedderId}`);
  const [documents, segments, generations] = [APART.documents, APART.segments, APART.generations].map((apart) =>
    sql.lit(apart * (copies + 1)),
  );
  const bits = sql.lit(2 ** 22);
  const original = (column: string, apart: number) => sql`${sql.ref(column)} < ${sql.lit(apart)}`;
  const statements = [
    sql`
      insert into codeindex.repositories (id, tenant_id, full_name, clone_url, default_branch, index_status)
      select md5(id::text || ${number})::uuid, tenant_id, full_name || '-copy-' || ${number}, clone_url, default_branch, index_status
      from codeindex.repositories where full_name !~ '-copy-[0-9]+$'
    `,
    sql`
      insert into ${table("builds")} (generation, repo_id, ref, job_id, begun_at)
      select generation + ${generations}, md5(repo_id::text || ${number})::uuid, ref, job_id, begun_at from ${table("builds")}
      where ${original("generation", APART.generations)}
    `,
    sql`
      insert into codeindex.refs (ref_id, repo_id, tenant_id, name, is_default, generation, indexed_commit, indexed_at, files, chunks)
      select md5(ref_id::text || ${number})::uuid, md5(repo_id::text || ${number})::uuid, tenant_id, name, is_default, generation + ${generations},
        indexed_commit, indexed_at, files, chunks
      from codeindex.refs where ${original("generation", APART.generations)}
    `,
    sql`
      insert into ${table("documents")} (document_id, blob, path, splitter, language, bytes, lines, chunks, skip_reason, complete)
      overriding system value
      select document_id + ${documents}, md5(blob || ${number}), path, splitter, language, bytes, lines, chunks, skip_reason, complete
      from ${table("documents")} where ${original("document_id", APART.documents)}
    `,
    sql`
      insert into ${table("files")} (generation, path, blob, bytes, document_id, skip_reason)
      select generation + ${generations}, path, md5(blob || ${number}), bytes, document_id + ${documents}, skip_reason
      from ${table("files")} where ${original("generation", APART.generations)}
    `,
    sql`
      insert into ${table("segments")} (segment_id, generation, chunks, dead, complete) overriding system value
      select segment_id + ${segments}, generation + ${generations}, chunks, dead, complete from ${table("segments")}
      where ${original("segment_id", APART.segments)}
    `,
    sql`
      insert into ${table("visible")} (generation, segment_id, chunks, ordinals)
      select generation + ${generations}, segment_id + ${segments}, chunks, ordinals from ${table("visible")}
      where ${original("generation", APART.generations)}
    `,
    sql`
      insert into ${table("code_chunks")} (chunk_id, segment_id, ordinal, document_id, path, language, start_line, end_line, start_byte, end_byte,
        symbols, scope, content, text_hash)
      select chunk_id + ${segments}::bigint * ${bits}, segment_id + ${segments}, ordinal, document_id + ${documents}, path, language,
        start_line, end_line, start_byte, end_byte, symbols, scope, content, md5(text_hash::text || ${number})::uuid
      from ${table("code_chunks")} where ${original("segment_id", APART.segments)} order by chunk_id
    `,
    sql`
      insert into ${table("postings")} (term, segment_id, df, docs)
      select term, segment_id + ${segments}, df, docs from ${table("postings")} where ${original("segment_id", APART.segments)}
      order by segment_id, term
    `,
    sql`
      insert into ${table("trigrams")} (segment_id, first, lists)
      select segment_id + ${segments}, first, lists from ${table("trigrams")} where ${original("segment_id", APART.segments)}
      order by segment_id, first
    `,
    sql`
      insert into ${table("symbols")} (document_id, name, kind, start_line, end_line, scope)
      select document_id + ${documents}, name, kind, start_line, end_line, scope from ${table("symbols")}
      where ${original("document_id", APART.documents)}
    `,
    sql`
      insert into ${table("symbol_references")} (document_id, names)
      select document_id + ${documents}, names from ${table("symbol_references")} where ${original("document_id", APART.documents)}
    `,
    sql`
      with noise as materialized (
        select kind, array_agg(((random() - 0.5) * 0.05)::real)::vector as vector
        from generate_series(0, 255) as kind, ${table("embedders")} as embedder, generate_series(1, embedder.dimensions)
        where embedder.embedder_id = ${sql.lit(embedderId)} group by kind
      )
      insert into ${vectors} (text_hash, embedding)
      select md5(vector.text_hash::text || ${number})::uuid, (vector.embedding::vector + noise.vector)::halfvec
      from ${vectors} as vector
      join noise on noise.kind = get_byte(uuid_send(vector.text_hash), 0)
      where vector.text_hash in (select text_hash from ${table("code_chunks")} where ${original("segment_id", APART.segments)})
    `,
  ];
  await database.query.transaction().execute(async (transaction) => {
    for (const statement of statements) {
      await statement.execute(transaction);
    }
  });
}

/** Makes the schema's indexes after the work instead of along with it; those that keys need stay. */
export async function withoutIndexes(database: CodeIndexDatabase, { schema }: Tenant, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select index.relname as name, pg_get_indexdef(index.oid) as definition
    from pg_index join pg_class as index on index.oid = pg_index.indexrelid
    where index.relnamespace = ${schema}::text::regnamespace and not indisunique
  `.execute(database.query);
  for (const { name } of rows) {
    await sql`drop index ${sql.id(schema, name)}`.execute(database.query);
  }
  await work();
  await database.query.connection().execute(async (connection) => {
    await sql`set maintenance_work_mem = '1GB'`.execute(connection);
    for (const { definition } of rows) {
      await sql.raw(definition).execute(connection);
    }
  });
}
