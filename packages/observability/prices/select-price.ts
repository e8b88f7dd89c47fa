import { sql, type RawBuilder } from "kysely";

/** A model's name in small letters: of ASCII whatever the database's collation, as `observability.priced_name` has them. */
export function pricedAs(model: RawBuilder<unknown> | string): RawBuilder<string> {
  return sql`lower(${model}::text collate "C") collate "default"`;
}

/** Selects the price of a model at a time, a row or none: a project's own price goes before a default one, the whole name before the shortened one. */
export function selectPrice(project: RawBuilder<unknown>, called: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select price.input, price.output, coalesce(price.cache_read, price.input) as cache_read, coalesce(price.cache_write, price.input) as cache_write,
      price.rank = 1 as is_own
    from (
      select 1 as rank, own.model, own.valid_from, own.input, own.output, own.cache_read, own.cache_write
      from observability.prices as own where own.project_id = ${project}
      union all
      select 2, defaults.model, defaults.valid_from, defaults.input, defaults.output, defaults.cache_read, defaults.cache_write
      from observability.default_prices as defaults
    ) as price
    where price.model in (${pricedAs(called)}, observability.priced_name(${called})) and price.valid_from <= ${at}
    order by price.rank, length(price.model) desc, price.valid_from desc
    limit 1
  )`;
}

/**
 * Dollars of the tokens in `tokens`, a row with `uncached_tokens`, `cache_read_tokens`, `cache_write_tokens`, `output_tokens` and
 * `reported_cost`, of all its calls or null, at the `price` that `selectPrice` selects. What was reported goes before a default price; null
 * without either.
 */
export function selectCost(tokens: string, price: string) {
  const counts = ["uncached_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"].map((name) => `${tokens}.${name}`);
  const prices = ["input", "cache_read", "cache_write", "output"].map((name) => `${price}.${name}`);
  const reported = sql.ref(`${tokens}.reported_cost`);
  return sql<number | null>`case when ${reported} is not null and ${sql.ref(`${price}.is_own`)} is not true then ${reported}
    else observability.cost_of(${sql.join([...counts, ...prices].map((name) => sql.ref(name)))}) end`;
}
