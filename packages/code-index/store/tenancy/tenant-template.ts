import { sql, type RawBuilder } from "kysely";
import { historyIsKept, type TenantTemplate } from "./tenant-histories.ts";
import { trigramsKnowSigns } from "./tenant-trigrams.ts";

/** New schemas begin with this one: what those before made, it drops. */
export const FIRST_REVISION = 2;

/**
 * What a tenant's schema holds, as revisions applied in order. A change is a new
 * revision at the end; those that were released never change.
 *
 * No table refers to one of the service by a foreign key: to make or drop one, PostgreSQL locks the table it refers to,
 * and a tenant that comes or goes would stop all the others.
 */
export const TENANT_REVISIONS: readonly ((template: TenantTemplate) => RawBuilder<unknown>)[] = [
  firstRevision,
  chunksKnowTheirScope,
  contentsAreShared,
  trigramsAreOurs,
  historyIsKept,
  nearestAreIndexed,
  trigramsKnowSigns,
];

function firstRevision({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    create schema if not exists ${schema};

    create table ${schema}.files (
      repo_id uuid not null references codeindex.repositories on delete cascade,
      generation integer not null,
      path text not null,
      blob text not null,
      language text not null,
      bytes bigint not null,
      lines integer not null,
      skip_reason text,
      primary key (repo_id, generation, path)
    );

    create table ${schema}.segments (
      segment_id integer generated always as identity primary key,
      repo_id uuid not null references codeindex.repositories on delete cascade,
      generation integer not null,
      chunks integer not null,
      average_length real not null
    );
    create index segments_repository on ${schema}.segments (repo_id, generation);

    create table ${schema}.code_chunks (
      chunk_id bigint primary key,
      repo_id uuid not null references codeindex.repositories on delete cascade,
      generation integer not null,
      segment_id integer not null,
      ordinal integer not null,
      path text not null,
      language text not null,
      start_line integer not null,
      end_line integer not null,
      start_byte integer not null,
      end_byte integer not null,
      symbols text[] not null,
      content text not null
    );
    create index code_chunks_file on ${schema}.code_chunks (repo_id, generation, path, start_byte);
    create index code_chunks_symbols on ${schema}.code_chunks using gin (symbols);
    create index code_chunks_content_trigrams on ${schema}.code_chunks using gin (content gin_trgm_ops);
    create index code_chunks_path_trigrams on ${schema}.code_chunks using gin (path gin_trgm_ops);

    create table ${schema}.postings (
      term text collate "C" not null,
      segment_id integer not null references ${schema}.segments on delete cascade,
      df integer not null,
      docs bytea not null,
      primary key (term, segment_id)
    );
    create index postings_segment on ${schema}.postings (segment_id);
    -- They are packed already: compressing them again costs more than it saves.
    alter table ${schema}.postings alter column docs set storage external;

    create table ${schema}.code_vectors_hash_v1 (
      chunk_id bigint primary key references ${schema}.code_chunks on delete cascade,
      repo_id uuid not null,
      generation integer not null,
      embedding halfvec(256) not null
    );
    create index code_vectors_hash_v1_repository on ${schema}.code_vectors_hash_v1 (repo_id, generation);
  `;
}

function chunksKnowTheirScope({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`alter table ${schema}.code_chunks add column scope text not null default ''`;
}

/** Contents are kept once, whatever branches and repositories hold them; a build is a set of them. */
function contentsAreShared({ schema, tenantId }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    create schema if not exists ${schema};
    drop table if exists ${schema}.code_vectors_hash_v1, ${schema}.postings, ${schema}.code_chunks, ${schema}.segments, ${schema}.files;

    -- What of the service's tables is this tenant's: all that its searches join with.
    create view ${schema}.repositories as
      select id, full_name, default_branch, index_status, last_error
      from codeindex.repositories where tenant_id = ${tenantId} and deleting_at is null;
    create view ${schema}.refs as
      select ref.repo_id, ref.name, ref.is_default, ref.generation, ref.indexed_commit, ref.indexed_at,
        ref.files, ref.chunks, ref.pushes_received - ref.pushes_indexed as behind, ref.vectors_pending, ref.vectors_error
      from codeindex.refs as ref join codeindex.repositories as repository on repository.id = ref.repo_id
      where ref.tenant_id = ${tenantId} and repository.deleting_at is null;

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
      document_id bigint not null references ${schema}.documents on delete cascade,
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
    create index code_chunks_symbols on ${schema}.code_chunks using gin (symbols);
    create index code_chunks_content_trigrams on ${schema}.code_chunks using gin (content gin_trgm_ops);
    create index code_chunks_path_trigrams on ${schema}.code_chunks using gin (path gin_trgm_ops);

    create table ${schema}.postings (
      term text collate "C" not null,
      segment_id integer not null references ${schema}.segments on delete cascade,
      df integer not null,
      docs bytea not null,
      primary key (term, segment_id)
    );
    create index postings_segment on ${schema}.postings (segment_id);
    -- They are packed already: compressing them again costs more than it saves.
    alter table ${schema}.postings alter column docs set storage external;

    create table ${schema}.symbols (
      document_id bigint not null references ${schema}.documents on delete cascade,
      name text not null,
      kind text not null,
      start_line integer not null,
      end_line integer not null,
      scope text not null
    );
    create index symbols_document on ${schema}.symbols (document_id);
    create index symbols_name on ${schema}.symbols (name);

    -- Names that a document uses; where, its chunks tell.
    create table ${schema}.symbol_references (
      document_id bigint primary key references ${schema}.documents on delete cascade,
      names text[] not null
    );
    create index symbol_references_names on ${schema}.symbol_references using gin (names);

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
      last_error text,
      last_error_at timestamptz
    );
  `;
}

/**
 * What finds literals is kept with the other postings, at a tenth of the cost of an index of the database. Segments from before have
 * none and are gone through chunk by chunk until their files are split anew. Names are indexed as they are written: what an index
 * puts aside takes megabytes even where there is little.
 */
function trigramsAreOurs({ schema }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    create table ${schema}.trigrams (
      segment_id integer not null references ${schema}.segments on delete cascade,
      first integer not null,
      lists bytea not null,
      primary key (segment_id, first)
    );
    alter table ${schema}.trigrams alter column lists set storage external;

    -- Segment by segment, as they are written and deleted: what is written goes to the end of the index and fills its pages.
    alter table ${schema}.postings drop constraint postings_pkey, add primary key (segment_id, term);
    drop index ${schema}.postings_segment;

    drop index ${schema}.code_chunks_content_trigrams;
    drop index ${schema}.code_chunks_path_trigrams;

    drop index ${schema}.code_chunks_symbols;
    create index code_chunks_symbols on ${schema}.code_chunks using gin (symbols) with (fastupdate = off);
    drop index ${schema}.symbol_references_names;
    create index symbol_references_names on ${schema}.symbol_references using gin (names) with (fastupdate = off);
  `;
}

/**
 * Vectors know when they were made: those up to a moment are in an index that finds the nearest. It is made in one go, and what comes
 * later is compared one by one until there is another: adding to such an index is the slowest write of all.
 */
function nearestAreIndexed({ schema, schemaName }: TenantTemplate): RawBuilder<unknown> {
  return sql`
    -- The vectors made until then are in the index vectors_<embedder_id>_near_<its milliseconds>; null when there is none.
    alter table ${schema}.embedders add column near_until timestamptz;

    select set_config('sightline.schema', ${schemaName}, true);
    do $$
      declare vectors regclass;
      begin
        for vectors in
          select pg_class.oid from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where nspname = current_setting('sightline.schema') and relkind = 'r' and relname ~ '^vectors_[0-9]+$'
        loop
          execute format('alter table %s add column made timestamptz not null default ''-infinity''', vectors);
          execute format('create index on %s (made) where made > ''-infinity''', vectors);
        end loop;
      end
    $$;
  `;
}
