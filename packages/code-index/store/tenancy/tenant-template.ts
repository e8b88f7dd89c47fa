import { foldCase } from "@sightline/foundation/database/fold-case";
import { sql, type RawBuilder } from "kysely";
import { historyTables } from "./history-tables.ts";
import { scipTables } from "./scip-tables.ts";

/** `tenantId` is a literal of the SQL's own: it stands where no parameter can. */
type TenantTemplate = { readonly schema: RawBuilder<unknown>; readonly tenantId: RawBuilder<unknown> };

/**
 * What a tenant's schema holds, as revisions applied in order. A change is a new
 * revision at the end; those that were released never change.
 *
 * No table refers to one of the service by a foreign key: to make or drop one, PostgreSQL locks the table it refers to,
 * and a tenant that comes or goes would stop all the others.
 */
export const TENANT_REVISIONS: readonly ((template: TenantTemplate) => RawBuilder<unknown>)[] = [
  firstRevision,
  secondRevision,
  thirdRevision,
  fourthRevision,
  fifthRevision,
  sixthRevision,
];

/** A name without what it is inside of, in lower case: `Server::start` is `start`. The index is made of the very same words. */
export function lastName(name: RawBuilder<unknown>): RawBuilder<string> {
  return foldCase(sql`coalesce(substring(${name} from '[^.:#]+$'), ${name})`);
}

/**
 * Contents are kept once, whatever branches and repositories hold them; a build is a set of them. The tables of most rows have no foreign
 * keys, as to check a row takes longer than to write it: whoever writes them holds the document or segment, and who deletes one deletes
 * its rows.
 */
function firstRevision({ schema, tenantId }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    create schema if not exists ${schema};

    -- What of the service's tables is this tenant's: all that its searches join with.
    create view ${schema}.repositories as
      select id, full_name, default_branch, index_status, last_error
      from codeindex.repositories where tenant_id = ${tenantId} and deleting_at is null;
    create view ${schema}.refs as
      select ref.repo_id, ref.name, ref.is_default, ref.generation, ref.indexed_commit, ref.indexed_at,
        ref.files, ref.chunks, ref.pushes_received - ref.pushes_indexed as behind, ref.vectors_pending, ref.vectors_error
      from codeindex.refs as ref join codeindex.repositories as repository on repository.id = ref.repo_id
      where ref.tenant_id = ${tenantId} and repository.deleting_at is null;

    -- A set of files that was written, is being written, or was left by a worker that died.
    create table ${schema}.builds (
      generation integer primary key,
      repo_id uuid not null,
      ref text not null,
      job_id uuid not null,
      begun_at timestamptz not null
    );
    create index builds_repository on ${schema}.builds (repo_id);

    -- One content at one path, split by one revision of the splitter.
    create table ${schema}.documents (
      document_id bigint generated always as identity primary key,
      blob text not null,
      path text not null,
      -- SPLITTER_REVISION of what split it; negative where .gitattributes say that nobody wrote it here.
      splitter integer not null,
      language text not null,
      bytes bigint not null,
      lines integer not null,
      chunks integer not null,
      -- Why the content has no chunks, for people; null when it is searchable.
      skip_reason text,
      -- False while its chunks and postings are being written.
      complete boolean not null default false,
      unique (blob, path, splitter)
    );

    -- Every file of a build, also those that are not searchable: for those either row says why.
    create table ${schema}.files (
      generation integer not null references ${schema}.builds on delete cascade,
      path text not null,
      blob text not null,
      bytes bigint not null,
      document_id bigint references ${schema}.documents,
      -- Why this repository does not have the path searched, whatever its content is.
      skip_reason text,
      primary key (generation, path)
    );
    create index files_document on ${schema}.files (document_id);

    -- A run of chunks whose postings were written together.
    create table ${schema}.segments (
      segment_id integer generated always as identity primary key,
      -- The build that writes it; the postings are readable once it is complete.
      generation integer not null,
      chunks integer not null,
      -- Of those, the ones whose documents were deleted.
      dead integer not null default 0,
      complete boolean not null default false
    );

    -- The chunks of a segment that a generation sees.
    create table ${schema}.visible (
      generation integer not null references ${schema}.builds on delete cascade,
      segment_id integer not null references ${schema}.segments on delete cascade,
      chunks integer not null,
      -- Bit n of byte n >> 3, the least significant first; null when it sees all of them.
      ordinals bytea,
      primary key (generation, segment_id)
    );
    create index visible_segment on ${schema}.visible (segment_id);
    alter table ${schema}.visible alter column ordinals set storage external;

    create table ${schema}.code_chunks (
      chunk_id bigint primary key,
      segment_id integer not null,
      ordinal integer not null,
      document_id bigint not null,
      path text not null,
      language text not null,
      start_line integer not null,
      end_line integer not null,
      start_byte integer not null,
      end_byte integer not null,
      symbols text[] not null,
      scope text not null,
      content text not null,
      -- The first half of the SHA-256 of the text that is embedded.
      text_hash uuid not null
    );
    create index code_chunks_document on ${schema}.code_chunks (document_id, start_byte);
    create index code_chunks_text on ${schema}.code_chunks (text_hash);
    -- Names are indexed as they are written: what an index puts aside takes megabytes even where there is little.
    create index code_chunks_symbols on ${schema}.code_chunks using gin (symbols) with (fastupdate = off);

    create table ${schema}.postings (
      term text collate "C" not null,
      segment_id integer not null,
      df integer not null,
      docs bytea not null,
      -- Segment by segment, as they are written and deleted: what is written goes to the end of the index and fills its pages.
      primary key (segment_id, term)
    );
    -- They are packed already: compressing them again costs more than it saves.
    alter table ${schema}.postings alter column docs set storage external;

    -- What finds literals, at a tenth of the cost of an index of the database.
    create table ${schema}.trigrams (
      segment_id integer not null references ${schema}.segments on delete cascade,
      first integer not null,
      lists bytea not null,
      primary key (segment_id, first)
    );
    alter table ${schema}.trigrams alter column lists set storage external;

    create table ${schema}.symbols (
      document_id bigint not null,
      name text not null,
      kind text not null,
      start_line integer not null,
      end_line integer not null,
      scope text not null
    );
    create index symbols_document on ${schema}.symbols (document_id);
    -- Names are found in either case and without what they are inside of.
    create index symbols_last_name on ${schema}.symbols (${lastName(sql.ref("name"))} text_pattern_ops);

    -- Names that a document uses; where, its chunks tell.
    create table ${schema}.symbol_references (
      document_id bigint primary key,
      names text[] not null
    );
    create index symbol_references_names on ${schema}.symbol_references using gin (names) with (fastupdate = off);
    -- Documents that use more names than are kept.
    create index symbol_references_crowded on ${schema}.symbol_references (document_id) where cardinality(names) >= 500;

    -- Each has a table of its own, vectors_<embedder_id>.
    create table ${schema}.embedders (
      embedder_id integer generated always as identity primary key,
      identity text not null unique,
      provider text not null,
      model text not null,
      dimensions integer not null,
      created_at timestamptz not null default now(),
      -- When every chunk had a vector of it for the first time: from then on queries use it.
      complete_at timestamptz,
      -- The vectors made until then are in the index vectors_<embedder_id>_near_<its milliseconds>; null when there is none. It is
      -- made in one go, and what comes later is compared one by one until there is another: adding to it is the slowest write of all.
      near_until timestamptz,
      last_error text,
      last_error_at timestamptz
    );

    -- What is known of a branch's history.
    ${historyTables(schema)}
    ${scipTables(schema)}
  `;
}

/** The files that searches leave out are counted for each answer that says it is complete. What nobody asks for by its words has no text to embed. */
function secondRevision({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    create index files_left_out on ${schema}.files (generation) where skip_reason is not null;
    create index documents_left_out on ${schema}.documents (document_id) where skip_reason is not null;
    -- Null where a chunk has neither postings nor vectors, and its trigrams alone find it.
    alter table ${schema}.code_chunks alter column text_hash drop not null;
  `;
}

/** The answer of git to somebody who waits for it, which takes it away. So of what commits changed the names alone are kept. */
function thirdRevision({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    create table ${schema}.git_answers (
      id uuid primary key,
      answer json not null,
      answered_at timestamptz not null default now()
    );
    insert into ${schema}.changes (repo_id, ref, position, path, status, added, deleted)
      select repo_id, ref, position, old_path, 'deleted', 0, 0 from ${schema}.changes where old_path is not null
      on conflict do nothing;
    alter table ${schema}.changes drop column old_path, drop column status, drop column blob, drop column added, drop column deleted,
      drop column patch, drop column left_out;
    alter table ${schema}.histories drop column rules;
  `;
}

/** What an uploaded symbol implements or overrides, by numbers of its upload. */
function fourthRevision({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`alter table ${schema}.scip_symbols add column bases integer[] not null default '{}'`;
}

function fifthRevision({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    -- What a content is written in, where that is no Unicode that says so itself.
    alter table ${schema}.documents add column encoding text, add column encoding_guessed boolean not null default false;
  `;
}

/** Lines that were added and match a watched search, by the alert that tells of them. */
function sixthRevision({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`create table ${schema}.watch_lines (alert_id uuid primary key, lines json not null)`;
}
