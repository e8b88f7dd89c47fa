import { sql } from "kysely";
import { readPostings } from "#testing/packed-postings.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";

/** What a branch's index says, without the numbers that rows have by chance: equal for equal trees, however they were built. */
export type LogicalIndex = {
  readonly files: readonly object[];
  readonly chunks: readonly object[];
  readonly symbols: readonly object[];
  readonly references: readonly object[];
  /** For each term the chunks that hold it and are seen, as `path:start_byte impact`. */
  readonly postings: Readonly<Record<string, readonly string[]>>;
  /** Texts without a vector. */
  readonly vectorless: number;
};

type Branch = { readonly tenant: Tenant; readonly repoId: string; readonly ref?: string };

/** @throws {Error} when what a row of `visible` says is not what the branch's files are made of. */
export async function readLogicalIndex(database: CodeIndexDatabase, { tenant, repoId, ref }: Branch): Promise<LogicalIndex> {
  const table = (name: string) => sql.id(tenant.schema, name);
  const branch = await database.query
    .selectFrom("codeindex.refs")
    .select(["generation", "files", "chunks"])
    .where("repo_id", "=", repoId)
    .$if(ref === undefined, (query) => query.where("is_default", "=", true))
    .$if(ref !== undefined, (query) => query.where("name", "=", ref ?? ""))
    .executeTakeFirstOrThrow();
  const select = async (columns: string, from: string) => {
    const { rows } = await sql<object>`
      select ${sql.raw(columns)} from ${table("files")} as file ${sql.raw(from.replaceAll("SCHEMA", `"${tenant.schema}"`))}
    `.execute(database.query);
    return rows;
  };
  const of = `where file.generation = ${branch.generation}`;
  const files = await select(
    `file.path, file.blob, file.bytes, file.skip_reason, document.splitter, document.language, document.lines, document.chunks,
      document.skip_reason as content_reason`,
    `left join SCHEMA.documents as document using (document_id) ${of} order by file.path collate "C"`,
  );
  const chunks = await select(
    "chunk.path, start_line, end_line, start_byte, end_byte, symbols, scope, content, text_hash, language",
    `join SCHEMA.code_chunks as chunk using (document_id) ${of} order by chunk.path collate "C", start_byte`,
  );
  const symbols = await select(
    "file.path, name, kind, start_line, end_line, scope",
    `join SCHEMA.symbols as symbol using (document_id) ${of}
      order by file.path collate "C", start_line, end_line, name collate "C", kind collate "C", scope collate "C"`,
  );
  const references = await select(
    "file.path, names",
    `join SCHEMA.symbol_references as reference using (document_id) ${of} order by file.path collate "C"`,
  );
  const seen = await readSeen(database, tenant, branch.generation ?? -1);
  if (branch.chunks !== chunks.length || seen.size !== chunks.length) {
    throw new Error(`${branch.chunks} chunks by the branch, ${seen.size} visible, ${chunks.length} of its files`);
  }
  return { files, chunks, symbols, references, postings: await readTerms(database, tenant, seen), vectorless: await vectorless() };

  async function vectorless(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${table("files")} as file join ${table("code_chunks")} as chunk using (document_id)
      left join ${table("vectors_1")} as vector using (text_hash)
      where file.generation = ${branch.generation} and text_hash is not null and vector.embedding is null
    `.execute(database.query);
    return rows[0]?.count ?? -1;
  }
}

/** By segment and ordinal, the chunks that `visible` shows, which are those of the generation's files. */
async function readSeen(database: CodeIndexDatabase, { schema }: Tenant, generation: number): Promise<ReadonlyMap<string, string>> {
  const { rows: segments } = await sql<{ segment_id: number; chunks: number; ordinals: Buffer | null }>`
    select segment_id, chunks, ordinals from ${sql.id(schema, "visible")} where generation = ${generation}
  `.execute(database.query);
  const { rows } = await sql<{ segment_id: number; ordinal: number; place: string }>`
    select chunk.segment_id, chunk.ordinal, chunk.path || ':' || chunk.start_byte as place
    from ${sql.id(schema, "files")} as file join ${sql.id(schema, "code_chunks")} as chunk using (document_id)
    where file.generation = ${generation}
  `.execute(database.query);
  const bitmaps = new Map(segments.map((segment) => [segment.segment_id, segment]));
  const seen = new Map<string, string>();
  for (const { segment_id: segmentId, ordinal, place } of rows) {
    const segment = bitmaps.get(segmentId);
    if (segment === undefined || (segment.ordinals !== null && ((segment.ordinals[ordinal >> 3] ?? 0) & (1 << (ordinal & 7))) === 0)) {
      throw new Error(`${place} is not visible`);
    }
    seen.set(`${segmentId} ${ordinal}`, place);
  }
  const visible = segments.reduce((sum, { chunks }) => sum + chunks, 0);
  if (visible !== seen.size) {
    throw new Error(`${visible} chunks are visible, ${seen.size} are the files'`);
  }
  return seen;
}

async function readTerms(
  database: CodeIndexDatabase,
  { schema }: Tenant,
  seen: ReadonlyMap<string, string>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await sql<{ term: string; segment_id: number; df: number; docs: Buffer }>`
    select term, segment_id, df, docs from ${sql.id(schema, "postings")}
  `.execute(database.query);
  const terms = new Map<string, string[]>();
  for (const { term, segment_id: segmentId, df, docs } of rows) {
    for (const { ordinal, impact } of readPostings(docs, df)) {
      const place = seen.get(`${segmentId} ${ordinal}`);
      if (place !== undefined) {
        const places = terms.get(term) ?? [];
        terms.set(term, places);
        places.push(`${place} ${impact}`);
      }
    }
  }
  return Object.fromEntries(
    [...terms].map(([term, places]) => [term, places.toSorted()] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** What {@link readLeftovers} says, but for the builds, where no row is left over. */
export const NO_LEFTOVERS = { documents: 0, chunks: 0, vectors: 0, segments: 0, postings: 0, symbols: 0, references: 0 } as const;

/** How many builds a tenant has, and rows that none of them needs. */
export async function readLeftovers(database: CodeIndexDatabase, { schema }: Tenant): Promise<Readonly<Record<string, number>>> {
  const table = (name: string) => sql.id(schema, name);
  const { rows } = await sql<Record<string, number>>`
    select
      (select count(*) from ${table("builds")}) as builds,
      (select count(*) from ${table("documents")} as document
        where not complete or not exists (select from ${table("files")} as file where file.document_id = document.document_id)) as documents,
      (select count(*) from ${table("code_chunks")} as chunk
        where not exists (select from ${table("files")} as file where file.document_id = chunk.document_id)) as chunks,
      (select count(*) from ${table("vectors_1")} as vector
        where not exists (select from ${table("code_chunks")} as chunk where chunk.text_hash = vector.text_hash)) as vectors,
      (select count(*) from ${table("segments")} as segment
        where not complete or not exists (select from ${table("code_chunks")} as chunk where chunk.segment_id = segment.segment_id)) as segments,
      (select count(*) from ${table("postings")} where segment_id not in (select segment_id from ${table("segments")})) as postings,
      (select count(*) from ${table("symbols")} where document_id not in (select document_id from ${table("documents")})) as symbols,
      (select count(*) from ${table("symbol_references")} where document_id not in (select document_id from ${table("documents")})) as "references"
  `.execute(database.query);
  return rows[0] ?? {};
}
