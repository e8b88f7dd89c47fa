import { likeBeginning } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import type { FoundSymbol } from "#contract.ts";
import { matchesFile, visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { lastName } from "#store/tenancy/tenant-template.ts";

/** A definition, and the document it is in. */
export type SymbolRow = Omit<FoundSymbol, "signature"> & { readonly document_id: number };

/** A file of a build that was looked at. */
type SymbolFile = Pick<SymbolRow, "repo" | "ref" | "commit" | "document_id" | "path" | "language">;

type Asked = {
  /** In lower case, without what the name is inside of. */
  readonly names: readonly string[];
  readonly how: "whole" | "beginning";
  readonly kind?: string | undefined;
  readonly limit: number;
};

/** Definitions of a name, however its letters are cased, up to `limit`, by repository, path and line. */
export async function findSymbolRows(query: TenantQuery, scope: Scope, asked: Asked): Promise<readonly SymbolRow[]> {
  const { schema } = scope.tenant;
  const last = lastName(sql.ref("symbol.name"));
  const isNamed =
    asked.how === "whole"
      ? sql`${last} = any(${asked.names}::text[])`
      : sql`(${sql.join(
          asked.names.map((name) => sql`${last} like ${likeBeginning(name)}`),
          sql` or `,
        )})`;
  const isKind = asked.kind === undefined ? sql`true` : sql`symbol.kind = ${asked.kind}`;
  const { rows } = await sql<SymbolRow>`
    with ${builds(scope)}, named as materialized (
      select * from ${sql.id(schema, "symbols")} as symbol where ${isNamed} and ${isKind}
    )
    select ${fileColumns}, named.name, named.kind, named.scope, named.start_line, named.end_line
    from named ${inFilesOf(scope, sql`named.document_id`)}
    order by build.repo, document.path, named.start_line, named.name
    limit ${asked.limit}
  `.execute(query);
  return rows;
}

const fileColumns = sql`build.repo, build.ref, build.commit, document.document_id, document.path, document.language`;

function builds(scope: Scope): RawBuilder<unknown> {
  return sql`build as materialized (select * from ${visibleBuilds(scope)} as visible)`;
}

/**
 * Joins the files of `build` that a document is, with its path and language. `offset 0` makes the planner
 * go document by document: an index finds few, but it takes them for many and would read all files.
 */
function inFilesOf(scope: Scope, document: RawBuilder<unknown>): RawBuilder<unknown> {
  const { schema } = scope.tenant;
  return sql`
    cross join lateral (
      select document.document_id, document.path, document.language, file.generation
      from ${sql.id(schema, "files")} as file join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
      where file.document_id = ${document} and file.generation = any(array(select generation from build)) and ${matchesFile(scope, "document")}
      offset 0
    ) as document
    join build on build.generation = document.generation
  `;
}

export type UsingFile = SymbolFile & {
  /** Whether the file also uses the name of the outer definition. */
  readonly uses_outer: boolean;
};

/** Most names kept for a document; one with this many may use others, too. */
const MAX_NAMES = 500;

type Used = { readonly name: string; readonly outer?: string | undefined; readonly limit: number };

/**
 * The files that use a name, up to `limit`, by repository and path: what their grammars say, and of files that use more names than
 * are kept those that hold it letter for letter.
 */
export async function findUsingFiles(query: TenantQuery, scope: Scope, used: Used): Promise<readonly UsingFile[]> {
  const { schema } = scope.tenant;
  const references = sql.id(schema, "symbol_references");
  const usesOuter = used.outer === undefined ? sql`false` : sql`names @> ${[used.outer]}::text[]`;
  const { rows } = await sql<UsingFile>`
    with ${builds(scope)}, using_it as materialized (
      select document_id, ${usesOuter} as uses_outer from ${references} where names @> ${[used.name]}::text[]
      union all
      select document_id, ${usesOuter} from ${references} as crowded
      where cardinality(names) >= ${sql.lit(MAX_NAMES)} and not names @> ${[used.name]}::text[] and exists (
        select from ${sql.id(schema, "code_chunks")} as chunk
        where chunk.document_id = crowded.document_id and strpos(chunk.content, ${used.name}) > 0
        offset 0
      )
    )
    select ${fileColumns}, using_it.uses_outer
    from using_it ${inFilesOf(scope, sql`using_it.document_id`)}
    order by build.repo, document.path
    limit ${used.limit}
  `.execute(query);
  return rows;
}

export type HoldingChunk = { readonly document_id: number; readonly start_line: number; readonly content: string };

/** The chunks of documents in scope that hold a text, in the order of each file. */
export async function readChunksHolding(
  query: TenantQuery,
  scope: Scope,
  { documents, text }: { readonly documents: readonly number[]; readonly text: string },
): Promise<readonly HoldingChunk[]> {
  const { rows } = await sql<HoldingChunk>`
    select chunk.document_id, chunk.start_line, chunk.content from ${sql.id(scope.tenant.schema, "code_chunks")} as chunk
    where ${isAmong(scope, "chunk", documents)} and strpos(chunk.content, ${text}) > 0
    order by chunk.document_id, chunk.start_byte
  `.execute(query);
  return rows;
}

export type OutlineRow = Pick<SymbolRow, "document_id" | "name" | "kind" | "scope" | "start_line" | "end_line">;

/** All that documents in scope define. */
export async function readOutlines(query: TenantQuery, scope: Scope, documents: readonly number[]): Promise<readonly OutlineRow[]> {
  const { rows } = await sql<OutlineRow>`
    select symbol.document_id, symbol.name, symbol.kind, symbol.scope, symbol.start_line, symbol.end_line
    from ${sql.id(scope.tenant.schema, "symbols")} as symbol
    where ${isAmong(scope, "symbol", documents)}
    order by symbol.document_id, symbol.start_line, symbol.end_line desc
  `.execute(query);
  return rows;
}

/** The chunks that lines of documents in scope are in. */
export async function readChunksAt(
  query: TenantQuery,
  scope: Scope,
  places: readonly { readonly document_id: number; readonly line: number; readonly lines: number }[],
): Promise<readonly HoldingChunk[]> {
  const { rows } = await sql<HoldingChunk>`
    select distinct on (chunk.document_id, chunk.start_byte) chunk.document_id, chunk.start_line, chunk.content
    from json_to_recordset(${JSON.stringify(places)}::json) as place(document_id bigint, line integer, lines integer)
    join ${sql.id(scope.tenant.schema, "code_chunks")} as chunk on chunk.document_id = place.document_id
      and chunk.end_line >= place.line and chunk.start_line < place.line + place.lines
    where ${isSeen(scope, sql.ref("place.document_id"))}
    order by chunk.document_id, chunk.start_byte
  `.execute(query);
  return rows;
}

function isAmong(scope: Scope, alias: "chunk" | "symbol", documents: readonly number[]): RawBuilder<unknown> {
  const document = sql.ref(`${alias}.document_id`);
  return sql`(${document} = any(${documents}::bigint[]) and ${isSeen(scope, document)})`;
}

function isSeen(scope: Scope, document: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (
    select from ${sql.id(scope.tenant.schema, "files")} as file
    where file.document_id = ${document} and file.generation = any(array(select generation from ${visibleBuilds(scope)} as build))
    offset 0
  )`;
}
