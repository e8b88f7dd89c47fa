import { likeBeginning } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import type { FoundSymbol, Precision } from "#contract.ts";
import { matchesFile, visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { lastName } from "#store/tenancy/tenant-template.ts";

/** A definition, and the document it is in. */
export type SymbolRow = Omit<FoundSymbol, "signature" | "comment" | "precision" | "reason"> & {
  readonly document_id: number;
  /** By name when left out. */
  readonly precision?: Precision;
  /** Where in its first line the name is, from 1, as far as it is known. */
  readonly column?: number;
  /** Why it is meant at the position that was asked about. */
  readonly reason?: string;
  /** What an uploaded index says of it; texts are empty where it says nothing. */
  readonly description?: Pick<FoundSymbol, "signature" | "comment">;
};

type SymbolQuery = {
  /** In lower case, without what the name is inside of. */
  readonly names: readonly string[];
  readonly how: "whole" | "beginning";
  readonly kind?: string | undefined;
  readonly limit: number;
};

/** Definitions of a name, however its letters are cased, up to `limit`, by repository, path and line. */
export async function findSymbolRows(query: TenantQuery, scope: Scope, symbolQuery: SymbolQuery): Promise<readonly SymbolRow[]> {
  const { schema } = scope.tenant;
  const last = lastName(sql.ref("symbol.name"));
  const isNamed =
    symbolQuery.how === "whole"
      ? sql`${last} = any(${symbolQuery.names}::text[])`
      : sql`(${sql.join(
          symbolQuery.names.map((name) => sql`${last} like ${likeBeginning(name)}`),
          sql` or `,
        )})`;
  const isKind = symbolQuery.kind === undefined ? sql`true` : sql`symbol.kind = ${symbolQuery.kind}`;
  const { rows } = await sql<SymbolRow>`
    with ${builds(scope)}, named as materialized (
      select * from ${sql.id(schema, "symbols")} as symbol where ${isNamed} and ${isKind}
    )
    select ${fileColumns}, named.name, named.kind, named.scope, named.start_line, named.end_line
    from named ${inFilesOf(scope, sql`named.document_id`)}
    order by build.repo, document.path, named.start_line, named.name
    limit ${symbolQuery.limit}
  `.execute(query);
  return rows;
}

/** A type of Go, and those of its methods that an interface has, too. */
export type TypeWithMethods = {
  readonly type: string;
  readonly place: string;
  readonly methods: readonly Pick<SymbolRow, "document_id" | "name" | "start_line" | "end_line">[];
};

/** Types of Go that have all methods of an interface, by the names of those, up to `limit`: each with the place of one of them. */
export async function typesWithMethodsOf(
  query: TenantQuery,
  scope: Scope,
  { document_id: document, name, scope: outer }: SymbolRow,
  limit: number,
): Promise<readonly TypeWithMethods[]> {
  const symbols = sql.id(scope.tenant.schema, "symbols");
  const whole = outer === "" ? name : `${outer} › ${name}`;
  const last = lastName(sql.ref("symbol.name"));
  const { rows } = await sql<TypeWithMethods>`
    with ${builds(scope)}, wanted as materialized (
      select distinct symbol.name, ${last} as last from ${symbols} as symbol
      where symbol.document_id = ${document} and symbol.kind = 'method' and symbol.scope = ${whole}
    ), method as materialized (
      select symbol.* from ${symbols} as symbol
      where ${last} = any(array(select last from wanted)) and symbol.name in (select name from wanted) and symbol.kind = 'method'
        and not exists (
          select from ${symbols} as other
          where other.document_id = symbol.document_id and other.kind = 'interface' and other.name = symbol.scope
        )
    )
    select method.scope as type, min(document.path || ':' || method.start_line) as place,
      json_agg(json_build_object(
        'document_id', method.document_id, 'name', method.name, 'start_line', method.start_line, 'end_line', method.end_line
      )) as methods
    from method ${inFilesOf(scope, sql`method.document_id`)}
    where document.language = 'go' and method.scope <> ''
    group by build.repo, substring(document.path from '^.*/'), method.scope
    having count(distinct method.name) = (select count(*) from wanted)
    order by place
    limit ${limit}
  `.execute(query);
  return rows;
}

/** Names of the scope that begin like one and are spelt nearly so, the likest first. */
export async function nearNames(query: TenantQuery, scope: Scope, name: string): Promise<readonly string[]> {
  const last = lastName(sql.ref("symbol.name"));
  const likeness = sql`similarity(${last}, ${name})`;
  const { rows } = await sql<{ name: string }>`
    with ${builds(scope)}, near as materialized (
      select symbol.name, symbol.document_id, ${likeness} as likeness from ${sql.id(scope.tenant.schema, "symbols")} as symbol
      where ${last} like ${likeBeginning(name.slice(0, 2))} and ${likeness} > 0.35
      order by likeness desc limit 100
    )
    select near.name from near ${inFilesOf(scope, sql`near.document_id`)}
    group by near.name order by max(near.likeness) desc, near.name limit 3
  `.execute(query);
  return rows.map((row) => row.name);
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

/** Which of some documents use a name, as far as their grammars say. */
export async function documentsUsing(
  query: TenantQuery,
  scope: Scope,
  name: string,
  documents: readonly number[],
): Promise<ReadonlySet<number>> {
  const references = sql.id(scope.tenant.schema, "symbol_references");
  const { rows } = await sql<{ document_id: number }>`
    select using_it.document_id from ${references} as using_it
    where using_it.names @> ${[name]}::text[] and ${isAmong(scope, "using_it", documents)}
  `.execute(query);
  return new Set(rows.map((row) => row.document_id));
}

export type HoldingChunk = { readonly document_id: number; readonly start_line: number; readonly content: string };

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

function isAmong(scope: Scope, alias: "using_it" | "symbol", documents: readonly number[]): RawBuilder<unknown> {
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
