-- Cost

-- The name under which a model has its price: that of the model it was tuned from, without the provider before it and the date or version
-- behind it; and Claude's versions with dashes, where routers have dots. Small letters are those of ASCII whatever the database's collation: in a
-- Turkish one that of I is ı.
create function observability.priced_name(model text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
    regexp_replace(
      regexp_replace(regexp_replace(lower(model collate "C"), '^(.*/)?ft:([^:]+)(:.*)?$', '\2'), '(claude-[a-z0-9-]+)\.', '\1-'),
      '^(.*/)?((us|eu|apac|global|jp)\.)?((anthropic|amazon|meta|mistral|cohere|deepseek)\.)?', ''
    ),
    '(-v[0-9]+(:[0-9]+)?|-latest|[-@][0-9]{8}(-v[0-9]+(:[0-9]+)?)?|-[0-9]{4}-[0-9]{2}-[0-9]{2})$', ''
  )
$$;

-- Dollars of the tokens that were used at such a price. All readers take it from here; it is simple enough to become part of their statements.
create function observability.cost_of(
  uncached double precision, cache_read double precision, cache_write double precision, output double precision,
  uncached_price double precision, cache_read_price double precision, cache_write_price double precision, output_price double precision
) returns double precision language sql immutable parallel safe as $$
  select (
    coalesce(uncached, 0) * uncached_price + coalesce(cache_read, 0) * cache_read_price
    + coalesce(cache_write, 0) * cache_write_price + coalesce(output, 0) * output_price
  ) / 1000000
$$;
