-- Prices

-- US dollars for a million tokens. A price counts from its hour on until the next one of the same model; what a call cost
-- is worked out when it is read, from the tokens that are kept.
create table observability.default_prices (
  model text not null,
  valid_from timestamptz not null,
  input double precision not null check (input >= 0),
  output double precision not null check (output >= 0),
  -- Without one of their own these tokens cost what other input does.
  cache_read double precision check (cache_read >= 0),
  cache_write double precision check (cache_write >= 0),
  source text not null,
  primary key (model, valid_from)
);

-- What a project says instead.
create table observability.prices (
  project_id uuid not null,
  model text not null,
  valid_from timestamptz not null check (valid_from = date_bin('1 hour', valid_from, timestamptz '1970-01-01 00:00:00+00')),
  input double precision not null check (input >= 0),
  output double precision not null check (output >= 0),
  cache_read double precision check (cache_read >= 0),
  cache_write double precision check (cache_write >= 0),
  changed_at timestamptz not null default now(),
  changed_by text,
  primary key (project_id, model, valid_from)
);
