-- Which branches' commits were fetched, and who is doing so: what an indexer takes its work from. The commits are the tenant's.
create table codeindex.histories (
  ref_id uuid primary key references codeindex.refs on delete cascade,
  -- The indexed commit they were fetched for, and how many were wanted.
  commit text,
  depth integer not null default 0,
  worker_id text,
  heartbeat_at timestamptz,
  tried_at timestamptz,
  -- Failures in a row, and when to try again.
  failures integer not null default 0,
  not_before timestamptz
);
