-- What every process that serves /mcp has to know of the calls of the others. Worth nothing after a crash of the server, so
-- neither is written to its log.

-- A caller has all calls of a minute left at `full_at`, and fewer before.
create unlogged table codeindex.mcp_allowances (
  caller text primary key,
  full_at timestamptz not null
) with (fillfactor = 50);

-- Calls that were cancelled where they don't run.
create unlogged table codeindex.mcp_cancellations (
  call text primary key,
  cancelled_at timestamptz not null
);
