-- What became of an entry that was set aside, and who saw to it. Rows stay, so that an entry that is delivered once more
-- after it was dealt with is not set aside anew.
alter table observability.dead_letters
  -- False when the entry was longer than any event can be, and only its beginning is here.
  add column is_whole boolean not null default true,
  -- The entry as somebody mended it; `entry` stays what it was.
  add column fixed_entry text,
  add column fixed_at timestamptz,
  add column fixed_by text,
  add column replayed_at timestamptz,
  add column replayed_by text,
  -- The texts are gone then.
  add column deleted_at timestamptz,
  add column deleted_by text,
  add column state text not null generated always as (
    case when deleted_at is not null then 'deleted' when replayed_at is not null then 'replayed' else 'open' end
  ) stored;
create index dead_letters_by_state on observability.dead_letters (state, created_at desc, id desc);
create index dead_letters_by_project on observability.dead_letters (project_id, created_at desc, id desc);

alter table observability.ingest_gaps add column id uuid not null default gen_random_uuid();
create unique index ingest_gaps_by_id on observability.ingest_gaps (id);
create index ingest_gaps_by_time on observability.ingest_gaps (found_at desc, id desc);
