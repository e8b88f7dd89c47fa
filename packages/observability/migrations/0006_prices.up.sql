-- What figures are made of, derived once. All input of a model call is uncached input, cache reads and cache writes.
alter table observability.observations
  add column model text generated always as (coalesce(end_model, start_model)) stored,
  add column uncached_tokens bigint generated always as (
    greatest(input_tokens - coalesce(cache_read_tokens, 0) - coalesce(cache_write_tokens, 0), 0)
  ) stored,
  -- The hour it counts for.
  add column hour timestamptz not null generated always as (
    date_bin('1 hour', coalesce(started_at, seen_at), timestamptz '1970-01-01 00:00:00+00')
  ) stored;

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

-- The name under which a model has its price: without the provider before it and the date or version behind it.
create function observability.priced_name(model text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
    regexp_replace(lower(model), '^(.*/)?((us|eu|apac|global|jp)\.)?((anthropic|amazon|meta|mistral|cohere|deepseek)\.)?', ''),
    '(-v[0-9]+(:[0-9]+)?|-latest|[-@][0-9]{8}(-v[0-9]+(:[0-9]+)?)?|-[0-9]{4}-[0-9]{2}-[0-9]{2})$', ''
  )
$$;

-- A project's own price goes before a default one, the whole name before the shortened one.
create function observability.price_of(project uuid, called text, at timestamptz)
returns table (input double precision, output double precision, cache_read double precision, cache_write double precision)
language sql stable parallel safe as $$
  select price.input, price.output, coalesce(price.cache_read, price.input), coalesce(price.cache_write, price.input)
  from (
    select 1 as rank, model, valid_from, prices.input, prices.output, prices.cache_read, prices.cache_write
    from observability.prices where project_id = project
    union all
    select 2, model, valid_from, defaults.input, defaults.output, defaults.cache_read, defaults.cache_write
    from observability.default_prices as defaults
  ) as price
  where price.model in (lower(called), observability.priced_name(called)) and price.valid_from <= at
  order by price.rank, length(price.model) desc, price.valid_from desc
  limit 1
$$;
