import { foldCase } from "@sightline/foundation/database/fold-case";
import { sql, type RawBuilder } from "kysely";
import { matchesFile, visibleBuilds, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { TextFile } from "#retrieval/grep/read-texts.store.ts";

/** A symbol of an upload. */
export type ExactSymbol = {
  readonly upload_id: number;
  readonly number: number;
  readonly symbol: string;
  readonly name: string;
  readonly definitions: readonly number[];
  readonly documents: readonly number[];
};

/** Which symbols an upload has where in a document that is as it saw it. */
export type KnownDocument = Pick<TextFile, "repo" | "path" | "document_id"> & {
  readonly upload_id: number;
  readonly number: number;
  readonly symbols: readonly number[];
  readonly occurrences: Buffer;
};

/** The same of a file, with what the upload says of its symbols. */
export type ExactDocument = TextFile & KnownDocument & { readonly signatures: readonly string[]; readonly comments: readonly string[] };

const MAX_SYMBOLS = 1_000;

/** The symbols that have one of the names, however its letters are cased. */
export async function exactSymbolsNamed(query: TenantQuery, scope: Scope, names: readonly string[]): Promise<readonly ExactSymbol[]> {
  return exactSymbols(query, scope, sql`${foldCase(sql`symbol.name`)} = any(${names}::text[])`);
}

/** The same symbols in every upload that may be seen. */
export async function sameSymbols(
  query: TenantQuery,
  scope: Scope,
  of: readonly { readonly upload_id: number; readonly number: number }[],
): Promise<readonly ExactSymbol[]> {
  const table = sql.id(scope.tenant.schema, "scip_symbols");
  return exactSymbols(
    query,
    scope,
    sql`symbol.symbol = any(array(
      select same.symbol from json_to_recordset(${JSON.stringify(of)}::json) as given(upload_id integer, number integer)
      join ${table} as same on same.upload_id = given.upload_id and same.number = given.number
    ))`,
  );
}

type Related = { readonly of: readonly ExactSymbol[]; readonly how: "implemented" | "implementing" };

/** The symbols that others implement or override, or those that implement or override them, over any number of steps. */
export async function relatedSymbols(query: TenantQuery, scope: Scope, { of, how }: Related): Promise<readonly ExactSymbol[]> {
  const table = sql.id(scope.tenant.schema, "scip_symbols");
  const given = JSON.stringify(of.map(({ upload_id, number }) => ({ upload_id, number })));
  const isNext =
    how === "implemented"
      ? sql`known.upload_id = related.upload_id and known.number = related.number and next.number = any(known.bases)`
      : sql`known.upload_id = related.upload_id and known.number = related.number and known.number = any(next.bases)`;
  return exactSymbols(
    query,
    scope,
    sql`(symbol.upload_id, symbol.number) in (
      with recursive given as (select upload_id, number from json_to_recordset(${given}::json) as given(upload_id integer, number integer)),
      related as (
        select upload_id, number from given
        union
        select next.upload_id, next.number
        from related join ${table} as known on true join ${table} as next on next.upload_id = related.upload_id
        where ${isNext}
      )
      select upload_id, number from related except select upload_id, number from given
    )`,
  );
}

async function exactSymbols(query: TenantQuery, scope: Scope, condition: RawBuilder<unknown>): Promise<readonly ExactSymbol[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<ExactSymbol>`
    select symbol.upload_id, symbol.number, symbol.symbol, symbol.name, symbol.definitions, symbol.documents
    from ${sql.id(schema, "scip_symbols")} as symbol join ${sql.id(schema, "scip_uploads")} as upload on upload.upload_id = symbol.upload_id
    where ${condition} and upload.repo_id = any(array(select id from ${visibleBuilds(scope)} as build))
    order by cardinality(symbol.definitions) > 0 desc, symbol.upload_id desc, symbol.number
    limit ${MAX_SYMBOLS}
  `.execute(query);
  return rows;
}

/** What is known of a file of the scope, by its whole path. */
export async function exactDocumentsAt(query: TenantQuery, scope: Scope, path: string): Promise<readonly ExactDocument[]> {
  return exactDocuments(query, { ...scope, path: undefined, lang: undefined }, sql`file.path = ${path}`);
}

/** Documents of uploads that files of the scope still are. */
export async function readExactDocuments(
  query: TenantQuery,
  scope: Scope,
  of: readonly { readonly upload_id: number; readonly number: number }[],
): Promise<readonly ExactDocument[]> {
  return exactDocuments(
    query,
    scope,
    sql`(scip.upload_id, scip.number) in (
      select upload_id, number from json_to_recordset(${JSON.stringify(of)}::json) as given(upload_id integer, number integer)
    )`,
  );
}

async function exactDocuments(query: TenantQuery, scope: Scope, condition: RawBuilder<unknown>): Promise<readonly ExactDocument[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<ExactDocument>`
    select build.repo, build.ref, build.commit, file.path, document.language, document.document_id, document.bytes,
      scip.upload_id, scip.number, scip.symbols, scip.signatures, scip.comments, scip.occurrences
    from ${sql.id(schema, "scip_documents")} as scip ${joinUnchangedFiles(scope)}
    where ${condition} and ${matchesFile(scope, "document")}
    order by build.repo, file.path
  `.execute(query);
  return rows;
}

/** What uploads know of those of these documents that they saw as they are. */
export async function knownDocumentsAmong(
  query: TenantQuery,
  scope: Scope,
  { uploads, documents }: { readonly uploads: readonly number[]; readonly documents: readonly number[] },
): Promise<readonly KnownDocument[]> {
  const { rows } = await sql<KnownDocument>`
    select build.repo, file.path, document.document_id, scip.upload_id, scip.number, scip.symbols, scip.occurrences
    from ${sql.id(scope.tenant.schema, "scip_documents")} as scip ${joinUnchangedFiles(scope)}
    where scip.upload_id = any(${uploads}::integer[]) and document.document_id = any(${documents}::bigint[])
  `.execute(query);
  return rows;
}

/** The files of the scope that have the content an upload of their repository saw. */
function joinUnchangedFiles(scope: Scope): RawBuilder<unknown> {
  const { schema } = scope.tenant;
  return sql`
    join ${sql.id(schema, "scip_uploads")} as upload on upload.upload_id = scip.upload_id
    join ${visibleBuilds(scope)} as build on build.id = upload.repo_id
    join ${sql.id(schema, "files")} as file on file.generation = build.generation and file.path = scip.path and file.blob = scip.blob
    join ${sql.id(schema, "documents")} as document on document.document_id = file.document_id
  `;
}
