import { foldCase, isAlike } from "@sightline/foundation/database/fold-case";
import { likeContaining } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import type { SearchResult } from "#contract.ts";
import type { Compared } from "#store/index/read-vectors.store.ts";
import { vectorsTable, vectorText } from "#store/index/vectors.store.ts";
import type { TenantSchema } from "#store/tenancy/tenant.ts";
import { countSeen } from "./read-postings.store.ts";
import {
  isInFiles,
  isVisible,
  matchesFile,
  matchesPath,
  visibleBuilds,
  type Scope,
  type TenantQuery,
} from "#store/tenancy/read-scope.store.ts";

/** A chunk that was found, without its text. */
export type FoundChunk = Pick<SearchResult, "repo" | "ref" | "commit" | "path" | "language" | "start_line" | "end_line"> & {
  readonly chunk_id: number;
  readonly symbols: readonly string[];
  /** Those of them that are types or modules, where `typesOf` asked for one; else empty. */
  readonly types: readonly string[];
};

type DescribedChunk = FoundChunk & {
  /** The cosine of its vector and the query's, from -1 to 1; null where there are no two vectors. */
  readonly likeness: number | null;
  /** The words of the subjects of its file's commits; null where none is known. */
  readonly subject_words: string | null;
  /** How many of `segments` some build still sees. */
  readonly seen: number;
};

type Describing = {
  readonly compared?: Compared | undefined;
  readonly typesOf?: string | undefined;
  /** Segments that the search went through. */
  readonly segments?: readonly number[];
};

/** Each of the chunks that the scope sees, once, without its text: of several repositories that hold it the first by name. */
export async function readChunks(
  query: TenantQuery,
  scope: Scope,
  chunkIds: readonly number[],
  { compared, typesOf, segments = [] }: Describing = {},
): Promise<readonly DescribedChunk[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<DescribedChunk>`
    select chunk_id, repo, found.ref, commit, found.path, language, start_line, end_line, symbols, ${likeness(schema, compared)} as likeness,
      said.words as subject_words, ${typesIn(schema, typesOf)} as types, (${countSeen(schema, segments)}) as seen
    from (
      select distinct on (chunk.chunk_id) chunk.chunk_id, build.id as repo_id, build.repo, build.ref, build.commit, chunk.path, chunk.language,
        chunk.start_line, chunk.end_line, chunk.symbols, chunk.text_hash, chunk.document_id
      from ${sql.id(schema, "code_chunks")} as chunk
      join ${sql.id(schema, "files")} as file on file.document_id = chunk.document_id
      join ${visibleBuilds(scope)} as build on build.generation = file.generation
      where chunk.chunk_id = any(${chunkIds}::bigint[])
      order by chunk.chunk_id, build.repo
    ) as found
    left join ${sql.id(schema, "subject_words")} as said on said.repo_id = found.repo_id and said.ref = found.ref and said.path = found.path
  `.execute(query);
  return rows;
}

/** Of the places that define a name with `part` in it. */
function typesIn(schema: TenantSchema, part: string | undefined): RawBuilder<readonly string[]> {
  return part === undefined
    ? sql`'{}'::text[]`
    : sql`case when position(${part} in array_to_string(symbols, ' ')) = 0 then '{}'::text[] else array(
    select symbol.name from ${sql.id(schema, "symbols")} as symbol
    where symbol.document_id = found.document_id and symbol.start_line between found.start_line and found.end_line
      and symbol.kind in ('class', 'interface', 'type', 'enum', 'module')
  ) end`;
}

function likeness(schema: TenantSchema, compared: Compared | undefined): RawBuilder<number | null> {
  if (compared === undefined) {
    return sql`null::float8`;
  }
  const { vector, embedder } = compared;
  return sql`(
    select 1 - (embedding <=> ${vectorText(vector)}::halfvec) from ${vectorsTable(schema, embedder.embedder_id)} as vector
    where vector.text_hash = found.text_hash
  )`;
}

export type LiteralHit = {
  readonly chunk_id: number;
  /** It defines one of the names. */
  readonly defines: boolean;
  /** It holds one of the literals letter for letter. */
  readonly same_case: boolean;
};

type Names = { readonly names: readonly string[]; readonly limit: number };

/** Chunks that define one of the names, up to `limit`, in no order. */
export async function findDefining(query: TenantQuery, scope: Scope, { names, limit }: Names): Promise<readonly LiteralHit[]> {
  const { rows } = await sql<LiteralHit>`
    select chunk.chunk_id, true as defines, true as same_case from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    where chunk.symbols && ${names}::text[] and ${matchesFile(scope)} and ${isVisible(scope)} limit ${limit}
  `.execute(query);
  return rows;
}

type Literals = {
  readonly literals: readonly string[];
  /** Which chunks to look into, all of them in scope but for path and language; the scope's when left out. */
  readonly among?: readonly number[];
  readonly limit: number;
};

/** Chunks that hold one of the literals in either case, up to `limit`, in no order. */
export async function findLiterals(query: TenantQuery, scope: Scope, { literals, among, limit }: Literals): Promise<readonly LiteralHit[]> {
  const content = sql`chunk.content`;
  const holds = (isLike: (pattern: string) => RawBuilder<boolean>) =>
    sql.join(
      literals.map((literal) => isLike(likeContaining(literal))),
      sql` or `,
    );
  const isAmong = among === undefined ? isInFiles(scope) : sql`chunk.chunk_id = any(${among}::bigint[])`;
  // A text is unpacked once, and most hold what is looked for in the same case, which is told in a fraction of the time.
  const { rows } = await sql<LiteralHit>`
    select chunk_id, false as defines, same_case from (
      select chunk_id, content, (${holds((pattern) => sql`${content} like ${pattern}`)}) as same_case from (
        select chunk.chunk_id, chunk.content || '' as content from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
        where ${isAmong} and ${matchesFile(scope)} offset 0
      ) as chunk offset 0
    ) as chunk
    where same_case or (${holds((pattern) => isAlike(content, pattern))}) limit ${limit}
  `.execute(query);
  return rows;
}

/** A text without the end of a line, and how it is to be held. */
export type HeldText = { readonly text: string; readonly as: "a whole word" | "letter for letter" | "in either case" };

/**
 * Those of the chunks that hold the text, or the end of a line that the chunk before began and that may hold it; in either case too many
 * rather than too few.
 */
export async function chunksHolding(
  query: TenantQuery,
  { tenant: { schema } }: Scope,
  { held, among }: { readonly held: HeldText; readonly among: readonly number[] },
): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${sql.id(schema, "code_chunks")} as chunk
    where chunk.chunk_id = any(${among}::bigint[]) and (${holdsText(held)} or ${continuesLine(schema)})
    order by chunk.chunk_id
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

/** Whether the first line of a chunk, of the alias `chunk`, begins in the one before. */
function continuesLine(schema: TenantSchema): RawBuilder<boolean> {
  return sql`coalesce((
    select other.end_line = chunk.start_line from ${sql.id(schema, "code_chunks")} as other
    where other.document_id = chunk.document_id and other.start_byte < chunk.start_byte order by other.start_byte desc limit 1
  ), false)`;
}

export function holdsText({ text, as }: HeldText): RawBuilder<boolean> {
  if (as === "in either case") {
    // Other letters than these of ASCII may have a case of which the database knows nothing; k and s are also the Kelvin sign and the long s.
    const pattern = Array.from(text, (letter) => (/[^\0-\x7F]|[ks]/iu.test(letter) ? "_" : letter.replace(/[\\%_]/, "\\$&"))).join("");
    return sql`lower(chunk.content collate "C") like ${`%${pattern.toLowerCase()}%`}`;
  }
  const isThere = sql<boolean>`strpos(chunk.content, ${text}) > 0`;
  // Most chunks are told by the faster of the two.
  return as === "a whole word" ? sql`(${isThere} and chunk.content ~ ${wordExpression(text)})` : isThere;
}

/** As `git grep -w` finds a word: letters beyond ASCII end it. */
function wordExpression(word: string): string {
  return `(^|[^A-Za-z0-9_])${word.replaceAll(/[!-/:-@[-^`{-~]/g, "\\$&")}($|[^A-Za-z0-9_])`;
}

type Listing = {
  readonly limit: number;
  /** Every chunk of a file, and not only its first. */
  readonly everyChunk: boolean;
};

/** The chunks that the scope's filters let through, by repository, path and line, for queries of nothing but filters. */
export async function listChunks(query: TenantQuery, scope: Scope, { limit, everyChunk }: Listing): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${chunksOfFiles(scope)}
    where ${matchesFile(scope)} and ${everyChunk ? sql`true` : sql`chunk.start_byte = 0`}
    order by build.repo, file.path, chunk.start_byte
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

/** The texts of those of the chunks, all of them in scope, that the scope's filters let through. */
export async function readContents(
  query: TenantQuery,
  scope: Scope,
  chunkIds: readonly number[],
): Promise<readonly { readonly chunk_id: number; readonly content: string }[]> {
  const { rows } = await sql<{ chunk_id: number; content: string }>`
    select chunk.chunk_id, chunk.content from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    where chunk.chunk_id = any(${chunkIds}::bigint[]) and ${matchesFile(scope)}
    order by chunk.chunk_id
  `.execute(query);
  return rows;
}

type PathQuery = { readonly path: string; readonly line: number | undefined; readonly limit: number };

/** The chunks at a line, or the first ones, of the files whose path ends with, or else holds, the one given. */
export async function findByPath(query: TenantQuery, scope: Scope, { path, line = 1, limit }: PathQuery): Promise<readonly number[]> {
  const { rows } = await sql<{ chunk_id: number }>`
    select chunk.chunk_id from ${chunksOfFiles(scope)}
    where ${isAlike(sql`file.path`, likeContaining(path))} and ${matchesFile(scope)} and chunk.start_line <= ${line} and chunk.end_line >= ${line}
    order by right('/' || ${foldCase(sql`file.path`)}, length(${path}) + 1) = '/' || ${foldCase(path)} desc, length(file.path), chunk.chunk_id
    limit ${limit}
  `.execute(query);
  return rows.map((row) => row.chunk_id);
}

function chunksOfFiles(scope: Scope) {
  const { schema } = scope.tenant;
  return sql`${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "code_chunks")} as chunk on chunk.document_id = file.document_id`;
}

/** Whether the scope lets any searchable file through. */
export async function hasFiles(query: TenantQuery, scope: Scope): Promise<boolean> {
  const { schema } = scope.tenant;
  const { rows } = await sql`
    select from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    where document.chunks > 0 and ${matchesFile(scope, "document")}
    limit 1
  `.execute(query);
  return rows.length > 0;
}

const LANGUAGES = 50;

/** The languages of all files in the scope's repositories and branches, whatever its other filters are. */
export async function indexedLanguages(query: TenantQuery, scope: Scope): Promise<readonly string[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<{ language: string }>`
    select distinct document.language from ${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
    where document.chunks > 0
    order by document.language
    limit ${LANGUAGES}
  `.execute(query);
  return rows.map((row) => row.language);
}

export type LeftOut = { readonly reason: string; readonly files: number };

/** What holds no text that anybody could miss. */
const NO_TEXT = ["binary", "a symlink", "a submodule", "a pointer to a Git LFS object"];

/** The files in the scope that are not searched though they hold text, by the reason, most first. Of which language one is that nobody looked into is not known: it counts. */
export async function countLeftOut(query: TenantQuery, scope: Scope): Promise<readonly LeftOut[]> {
  const { schema } = scope.tenant;
  const [files, documents] = [sql.id(schema, "files"), sql.id(schema, "documents")];
  const isSeen = sql`file.generation = any(array(select generation from ${visibleBuilds(scope)} as build)) and ${matchesPath(scope, "file")}`;
  const { rows } = await sql<LeftOut>`
    select reason, count(*) as files from (
      select file.skip_reason as reason from ${files} as file where file.skip_reason is not null and ${isSeen}
      union all
      select document.skip_reason from ${documents} as document join ${files} as file on file.document_id = document.document_id
      where document.skip_reason is not null and file.skip_reason is null and ${isSeen} and ${matchesFile(scope, "document")}
    ) as left_out
    where reason <> all(${NO_TEXT}::text[])
    group by reason order by files desc, reason
  `.execute(query);
  return rows;
}
