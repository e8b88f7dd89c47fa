import { foldCase } from "@sightline/foundation/database/fold-case";
import { sql, type RawBuilder } from "kysely";

/** What tools of a team's CI found out about a commit: which symbol each name in the code is. */
export function scipTables(schema: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    create table ${schema}.scip_uploads (
      upload_id integer generated always as identity primary key,
      repo_id uuid not null,
      ref text not null,
      commit text not null,
      tool text not null,
      tool_version text not null,
      -- The folder of the repository that it is of; empty for the repository itself.
      root text not null,
      uploaded_at timestamptz not null
    );
    create index scip_uploads_repository on ${schema}.scip_uploads (repo_id, ref);

    -- Symbols that more than one document may use, numbered within an upload.
    create table ${schema}.scip_symbols (
      upload_id integer not null references ${schema}.scip_uploads on delete cascade,
      number integer not null,
      symbol text not null,
      name text not null,
      -- Numbers of the documents that define it, and of all that have it.
      definitions integer[] not null,
      documents integer[] not null,
      primary key (upload_id, number)
    );
    create index scip_symbols_name on ${schema}.scip_symbols (${foldCase(sql`name`)});
    create index scip_symbols_symbol on ${schema}.scip_symbols using hash (symbol);

    -- The content that a tool saw at a path, and what it found there.
    create table ${schema}.scip_documents (
      upload_id integer not null references ${schema}.scip_uploads on delete cascade,
      number integer not null,
      path text not null,
      blob text not null,
      -- The number of each of its symbols; -1 for one that only this document knows.
      symbols integer[] not null,
      -- What the tool says of them where they are defined; empty where it says nothing.
      signatures text[] not null,
      comments text[] not null,
      -- Packed by line and column.
      occurrences bytea not null,
      primary key (upload_id, number)
    );
    create index scip_documents_content on ${schema}.scip_documents (path, blob);
    alter table ${schema}.scip_documents alter column occurrences set storage external;
  `;
}
