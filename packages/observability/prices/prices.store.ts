import { sql } from "kysely";
import type { Query } from "#schema.ts";
import type { DefaultPrice } from "./default-prices.ts";
import { pricedAs } from "./select-price.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

export type PriceRow = {
  readonly model: string;
  readonly valid_from: Date;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
  /** The source of a default price; null for a project's own. */
  readonly source: string | null;
};

/** Updates the default prices to those of the file. They are valid for all time; a project's own prices take precedence. */
export async function seedDefaultPrices(query: Query, prices: readonly DefaultPrice[]): Promise<void> {
  const given = JSON.stringify(prices);
  await query.transaction().execute(async (transaction) => {
    const { rows } = await sql`
    insert into observability.default_prices as t (model, valid_from, input, output, cache_read, cache_write, source)
    select model, timestamptz 'epoch', input, output, cache_read, cache_write, source
    from json_to_recordset(${given}) as given (
      model text, input double precision, output double precision, cache_read double precision, cache_write double precision, source text
    )
    order by model
    on conflict (model, valid_from) do update set
      input = excluded.input, output = excluded.output, cache_read = excluded.cache_read, cache_write = excluded.cache_write,
      source = excluded.source
    where (t.input, t.output, t.cache_read, t.cache_write, t.source)
      is distinct from (excluded.input, excluded.output, excluded.cache_read, excluded.cache_write, excluded.source)
    returning model`.execute(transaction);
    if (rows.length > 0) {
      await sql`
        insert into observability.repricings as repricing (project_id, before)
        select id, ${FROM_THE_BEGINNING}::uuid from observability.projects
        on conflict (project_id) do update set before = excluded.before`.execute(transaction);
    }
  });
}

/** Traces are priced anew from the highest id down. */
const FROM_THE_BEGINNING = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Lists a project's own prices and the default ones, by model, the newest version first. */
export async function listPrices(query: Query, { projectId, reader }: InProject): Promise<readonly PriceRow[]> {
  const { rows } = await sql<PriceRow>`
    select model, valid_from, input, output, cache_read, cache_write, null as source
    from observability.prices where project_id = ${projectId} and ${hasRoleIn(reader, "viewer", projectId)}
    union all
    select model, valid_from, input, output, cache_read, cache_write, source from observability.default_prices
    order by model, source nulls first, valid_from desc`.execute(query);
  return rows;
}

type PriceChange = InProject & {
  readonly model: string;
  readonly validFrom: Date;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly changedBy: string;
};

/**
 * A version that begins at the same hour is replaced.
 *
 * @returns false when the project has as many prices as it may.
 */
export async function putPrice(query: Query, change: PriceChange): Promise<boolean> {
  const { rows } = await sql`
    with put as (
    insert into observability.prices (project_id, model, valid_from, input, output, cache_read, cache_write, changed_by)
    select ${change.projectId}::uuid, ${pricedAs(change.model)}, ${change.validFrom}::timestamptz, ${change.input}::double precision,
      ${change.output}::double precision, ${change.cacheRead}::double precision, ${change.cacheWrite}::double precision, ${change.changedBy}::text
    where (
      select count(*) from observability.prices
      where project_id = ${change.projectId} and (model, valid_from) <> (${pricedAs(change.model)}, ${change.validFrom}::timestamptz)
    ) < ${MAX_PRICES} and ${hasRoleIn(change.reader, "owner", change.projectId)}
    on conflict (project_id, model, valid_from) do update set
      input = excluded.input, output = excluded.output, cache_read = excluded.cache_read, cache_write = excluded.cache_write,
      changed_at = excluded.changed_at, changed_by = excluded.changed_by
    returning project_id, model
    ), ${repricingOf("put")}
    select model from put`.execute(query);
  return rows.length > 0;
}

export const MAX_PRICES = 2_000;

/** @returns whether there was one. */
export async function deletePrice(
  query: Query,
  { projectId, reader, model, validFrom }: InProject & { readonly model: string; readonly validFrom: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      delete from observability.prices
      where project_id = ${projectId} and model = ${pricedAs(model)} and valid_from = ${validFrom}
        and ${hasRoleIn(reader, "owner", projectId)}
      returning project_id, model
    ), ${repricingOf("gone")}
    select model from gone`.execute(query);
  return rows.length > 0;
}

/** Records of each project with rows in `changed` that its traces are to be priced anew. */
function repricingOf(changed: "put" | "gone") {
  return sql`repriced as (
    insert into observability.repricings as repricing (project_id, before)
    select distinct project_id, ${FROM_THE_BEGINNING}::uuid from ${sql.table(changed)}
    on conflict (project_id) do update set before = excluded.before
  )`;
}
