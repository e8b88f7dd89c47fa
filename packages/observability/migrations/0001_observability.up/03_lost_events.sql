-- What was lost or set aside on the way

-- Loss is found by counting: a producer's events are numbered from 1 without holes.
create table observability.producers (
  project_id uuid not null,
  producer_id uuid not null,
  first_event_at timestamptz not null,
  last_event_at timestamptz not null,
  -- By the database's clock.
  heard_at timestamptz not null default now(),
  -- When it was noticed that nothing comes from it any more. Whatever comes from it then clears this.
  gone_at timestamptz,
  -- Every number that arrived, set-aside events included.
  seen int8multirange not null,
  -- The highest number the producer says it has sent.
  announced_seq bigint,
  hello json,
  -- Events the producer says it dropped itself, by reason; the newest report.
  dropped json,
  dropped_seq bigint,
  ended_at timestamptz,
  holes int8multirange not null generated always as (
    int8multirange(int8range(1, greatest(upper(seen), announced_seq + 1))) - seen
  ) stored,
  -- Holes, apart by when each was first noticed, the oldest first. What is still a hole a reorder window later is lost.
  suspects int8multirange[] not null default '{}',
  suspected_at timestamptz[] not null default '{}',
  checked_at timestamptz,
  lost int8multirange not null default '{}',
  primary key (project_id, producer_id)
);
create index producers_unsettled on observability.producers (project_id, producer_id) where holes <> lost;
create index producers_living on observability.producers (heard_at) where gone_at is null;
-- What changed of late, for watchers whom no message reaches.
create index producers_gone on observability.producers (gone_at) where gone_at is not null;

create table observability.ingest_gaps (
  id uuid not null default gen_random_uuid(),
  project_id uuid not null,
  producer_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  found_at timestamptz not null default now(),
  primary key (project_id, producer_id, first_seq)
);
-- In the order in which gaps are found, so that a million of one moment are appended; lists read them backwards.
create index ingest_gaps_by_time on observability.ingest_gaps (found_at, project_id, producer_id, first_seq);
create index ingest_gaps_by_project on observability.ingest_gaps (project_id, found_at, producer_id, first_seq);

-- Entries that could not be written, what became of them, and who saw to it. Rows stay, so that an entry that is delivered
-- once more after it was dealt with is not set aside anew.
create table observability.dead_letters (
  id uuid primary key,
  stream text not null,
  entry_id text not null,
  -- As the entry claims, when that much of it could be read.
  project_id uuid,
  reason text not null,
  -- The entry's fields as a JSON list: name, value, name, value, …
  entry text not null,
  -- False when the entry was longer than any event can be, and only its beginning is here.
  is_whole boolean not null default true,
  created_at timestamptz not null default now(),
  replayed_at timestamptz,
  replayed_by text,
  -- The texts are gone then.
  deleted_at timestamptz,
  deleted_by text,
  state text not null generated always as (
    case when deleted_at is not null then 'deleted' when replayed_at is not null then 'replayed' else 'open' end
  ) stored,
  unique (stream, entry_id)
);
create index dead_letters_by_time on observability.dead_letters (created_at desc, id desc);
create index dead_letters_by_state on observability.dead_letters (state, created_at desc, id desc);
create index dead_letters_by_project on observability.dead_letters (project_id, created_at desc, id desc);
