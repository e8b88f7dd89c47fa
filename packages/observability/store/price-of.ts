import { sql, type RawBuilder } from "kysely";

/** Selects the price of a model at a time, a row or none: a project's own price goes before a default one, the whole name before the shortened one. */
export function priceOf(project: RawBuilder<unknown>, called: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select price.input, price.output, coalesce(price.cache_read, price.input) as cache_read, coalesce(price.cache_write, price.input) as cache_write
    from (
      select 1 as rank, own.model, own.valid_from, own.input, own.output, own.cache_read, own.cache_write
      from observability.prices as own where own.project_id = ${project}
      union all
      select 2, defaults.model, defaults.valid_from, defaults.input, defaults.output, defaults.cache_read, defaults.cache_write
      from observability.default_prices as defaults
    ) as price
    where price.model in (lower(${called}), observability.priced_name(${called})) and price.valid_from <= ${at}
    order by price.rank, length(price.model) desc, price.valid_from desc
    limit 1
  )`;
}
