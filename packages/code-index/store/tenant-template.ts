import { sql, type RawBuilder } from "kysely";

/**
 * What a tenant's schema holds, as revisions applied in order. A change is a new
 * revision at the end; those that were released never change.
 */
export const TENANT_REVISIONS: readonly ((schema: RawBuilder<unknown>) => RawBuilder<unknown>)[] = [firstRevision, chunksKnowTheirScope];

function firstRevision(schema: RawBuilder<unknown>): RawBuilder<unknown> {
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

function chunksKnowTheirScope(schema: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`alter table ${schema}.code_chunks add column scope text not null default ''`;
}
