import { foldCase } from "@sightline/foundation/database/fold-case";
import { sql } from "kysely";
import { vectorsTable } from "#store/index/vectors.store.ts";
import { lastName } from "#store/tenancy/tenant-template.ts";
import type { Outline } from "#contract.ts";
import { visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";

/** A scope of exactly one repository. */
export type RepositoryScope = Pick<Scope, "tenant" | "repositories" | "ref"> & { readonly repo: string };

/** A file of a build; one that is not searchable has no language, bytes or lines when nobody looked into it. */
export type FileRow = {
  readonly ref: string;
  readonly commit: string;
  readonly path: string;
  readonly language: string | null;
  readonly bytes: number;
  readonly lines: number;
  readonly chunks: number;
  readonly skip_reason: string | null;
  /** Its encoding, where that is no Unicode that says so itself. */
  readonly encoding: { readonly name: string; readonly guessed: boolean } | null;
};

const fileColumns = sql`
  build.ref, build.commit, file.path, document.language, file.bytes,
  coalesce(document.lines, 0) as lines, coalesce(document.chunks, 0) as chunks,
  coalesce(file.skip_reason, document.skip_reason) as skip_reason,
  case when document.encoding is not null then json_build_object('name', document.encoding, 'guessed', document.encoding_guessed) end as encoding
`;

function filesOf(scope: RepositoryScope) {
  const { schema } = scope.tenant;
  return sql`${visibleBuilds(scope)} as build
    join ${sql.id(schema, "files")} as file on file.generation = build.generation
    left join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id`;
}

export async function findFile(query: TenantQuery, scope: RepositoryScope, path: string): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    select ${fileColumns} from ${filesOf(scope)} where file.path = ${path}
  `.execute(query);
  return rows[0];
}

/** A build's files by path, up to `limit`. */
export async function listFiles(query: TenantQuery, scope: RepositoryScope, limit: number): Promise<readonly FileRow[]> {
  const { rows } = await sql<FileRow>`
    select ${fileColumns} from ${filesOf(scope)} order by file.path limit ${limit}
  `.execute(query);
  return rows;
}

type Under = {
  /** A folder or a file; everything when empty. */
  readonly path: string;
  readonly limit: number;
};

/** A build's files in a folder, or the file of that path, by path. */
export async function listFilesUnder(query: TenantQuery, scope: RepositoryScope, { path, limit }: Under): Promise<readonly FileRow[]> {
  const isUnder = sql`(file.path = ${path} or file.path collate "C" >= ${`${path}/`} and file.path collate "C" < ${`${path}0`})`;
  const { rows } = await sql<FileRow>`
    select ${fileColumns} from ${filesOf(scope)} where ${path === "" ? sql`true` : isUnder} order by file.path collate "C" limit ${limit}
  `.execute(query);
  return rows;
}

/** Paths of the build that begin so, in either case. */
export async function pathsBeginning(
  query: TenantQuery,
  scope: RepositoryScope,
  { beginning, limit }: { readonly beginning: string; readonly limit: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ path: string }>`
    select file.path from ${filesOf(scope)}
    where starts_with(${foldCase(sql`file.path`)}, ${foldCase(beginning)}) order by length(file.path), file.path limit ${limit}
  `.execute(query);
  return rows.map((row) => row.path);
}

/** Whether files of the build are below a path. */
export async function holdsFilesUnder(query: TenantQuery, scope: RepositoryScope, path: string): Promise<boolean> {
  const { rows } = await sql`select from ${filesOf(scope)} where starts_with(file.path, ${`${path}/`}) limit 1`.execute(query);
  return rows.length > 0;
}

/** Paths of the build that end alike or, where there are none, files and folders whose last part is spelt nearly so: for people who mistyped one. */
export async function similarPaths(query: TenantQuery, scope: RepositoryScope, name: string): Promise<readonly string[]> {
  const folded = foldCase(sql`file.path`);
  const { rows } = await sql<{ path: string }>`
    select file.path from ${filesOf(scope)}
    where ${folded} = ${foldCase(name)} or right(${folded}, length(${name}) + 1) = '/' || ${foldCase(name)}
    order by file.path
    limit 5
  `.execute(query);
  return rows.length > 0 ? rows.map((row) => row.path) : nearPaths(query, scope, name);
}

async function nearPaths(query: TenantQuery, scope: RepositoryScope, name: string): Promise<readonly string[]> {
  const likeness = sql`similarity(substring(${foldCase(sql`path`)} from '[^/]*$'), ${foldCase(name)})`;
  const folder = sql`regexp_replace(file.path, '/[^/]*$', '')`;
  const { rows } = await sql<{ path: string }>`
    select path from (select file.path from ${filesOf(scope)} union select ${folder} from ${filesOf(scope)}) as known
    where ${likeness} > 0.3 order by ${likeness} desc, path limit 3
  `.execute(query);
  return rows.map((row) => row.path);
}

export type FilePiece = { readonly start_line: number; readonly content: string };

type Lines = { readonly path: string; readonly start: number; readonly end: number };

/** The chunks that hold lines `start` to `end` of a file, in the file's order: joined they are the text, without a gap. */
export async function readPieces(query: TenantQuery, scope: RepositoryScope, lines: Lines): Promise<readonly FilePiece[]> {
  const { rows } = await sql<FilePiece>`
    select chunk.start_line, chunk.content
    from ${filesOf(scope)}
    join ${sql.id(scope.tenant.schema, "code_chunks")} as chunk on chunk.document_id = file.document_id
    where file.path = ${lines.path} and chunk.end_line >= ${lines.start} and chunk.start_line <= ${lines.end}
    order by chunk.start_byte
  `.execute(query);
  return rows;
}

/** What a file defines, from top to bottom, the outer before the inner. */
export async function readOutline(
  query: TenantQuery,
  scope: RepositoryScope,
  path: string,
): Promise<readonly Outline["symbols"][number][]> {
  const { rows } = await sql<Outline["symbols"][number]>`
    select symbol.name, symbol.kind, symbol.scope, symbol.start_line, symbol.end_line
    from ${filesOf(scope)}
    join ${sql.id(scope.tenant.schema, "symbols")} as symbol on symbol.document_id = file.document_id
    where file.path = ${path}
    order by symbol.start_line, symbol.end_line desc, symbol.name
  `.execute(query);
  return rows;
}

/** Which of the names that a file uses its build defines, written alike. */
export async function namesDefined(query: TenantQuery, scope: RepositoryScope, path: string): Promise<readonly string[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<{ name: string }>`
    with used as materialized (
      select distinct name from ${filesOf(scope)}
      join ${sql.id(schema, "symbol_references")} as using_it on using_it.document_id = file.document_id, unnest(using_it.names) as name
      where file.path = ${path}
    )
    select used.name from used where exists (
      select from ${sql.id(schema, "symbols")} as symbol
      where ${lastName(sql.ref("symbol.name"))} = ${foldCase(sql`used.name`)} and right(symbol.name, length(used.name)) = used.name
        and exists (select from ${filesOf(scope)} where file.document_id = symbol.document_id)
      offset 0
    )
    order by used.name
  `.execute(query);
  return rows.map((row) => row.name);
}

/** How many of a file's chunks have a vector of the embedder. */
export async function countEmbedded(
  query: TenantQuery,
  scope: RepositoryScope,
  { path, embedderId }: { readonly path: string; readonly embedderId: number },
): Promise<number> {
  const { rows } = await sql<{ embedded: number }>`
    select count(*) as embedded
    from ${filesOf(scope)}
    join ${sql.id(scope.tenant.schema, "code_chunks")} as chunk on chunk.document_id = file.document_id
    join ${vectorsTable(scope.tenant.schema, embedderId)} as vector on vector.text_hash = chunk.text_hash
    where file.path = ${path} and vector.embedding is not null
  `.execute(query);
  return rows[0]?.embedded ?? 0;
}
