import { sql, type RawBuilder } from "kysely";
import { TEXT_COLUMNS } from "./entry-columns.ts";

/** Numbers of a trace that are packed; those of the first list are whole. */
const WHOLE = ["input_tokens", "output_tokens"] as const;
const REAL = ["duration_ms", "time_to_first_token_ms", "cost"] as const;
export const PACKED_NUMBERS = [...REAL, ...WHOLE] as const;
export type PackedNumber = (typeof PACKED_NUMBERS)[number];

/** What is packed of an entry. */
export const PACKED_COLUMNS: readonly string[] = ["sort_at", "status", ...PACKED_NUMBERS, ...Object.values(TEXT_COLUMNS), "fields"];

export function hourOf(time: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`date_bin('1 hour', ${time}, timestamptz '1970-01-01 00:00:00+00')`;
}

/** The greatest number that `int4send` holds. */
const MAX_INT4 = 2_147_483_647;

/**
 * The common table expressions that pack the entries of one hour as `trace_hours` and `trace_hour_fields` hold them: `packed_numbers`, a row
 * or none, and `packed_fields`, a row for each field.
 *
 * @param entries Selects {@link PACKED_COLUMNS} and `trace_id` of them.
 */
export function packing(entries: RawBuilder<unknown>): RawBuilder<unknown> {
  const columns = Object.entries(TEXT_COLUMNS).map(([field, column]) => sql`(${sql.lit(field)}, ${sql.ref(column)})`);
  return sql`
    placed as materialized (
      select entry.*, (row_number() over (order by sort_at, trace_id) - 1)::int as place from (${entries}) as entry
    ), packed_numbers as (
      select count(*)::int as traces, ${STATUSES_PACKED}, ${sql.join([...REAL.map(packReal), ...WHOLE.map(packWhole)])} from placed having count(*) > 0
    ), by_value as (
      select field, value, count(*)::int as traces, string_agg(int4send(place), '') as places
      from (
        select place, field, value from placed cross join lateral (values ${sql.join(columns)}) as each (field, value)
        union all
        select place, split_part(text, ':', 1), substr(text, strpos(text, ':') + 1)
        from (select place, unnest(fields) as text from placed) as entry
      ) as each
      where value <> '' group by field, value
    ), packed_fields as (
      select field, ${VALUES_PACKED} from by_value group by field
    )`;
}

/** The first letters of a group of rows, in the order of `place`. */
export const STATUSES_PACKED = sql`string_agg(convert_to(left(status, 1), 'UTF8'), '' order by place) as statuses`;

/** The columns of `trace_hour_fields`, of rows with a `value`, how many `traces` have it, and their `places`. */
export const VALUES_PACKED = sql`json_agg(value order by value) as said, string_agg(int4send(traces), '' order by value) as counts,
  string_agg(places, '' order by value) as places`;

/** The numbers of a group of rows, in the same order. */
export function packReal(name: string): RawBuilder<unknown> {
  const column = sql.ref(name);
  return sql`case when count(${column}) = 0 then '' else string_agg(float8send(coalesce(${column}::double precision, 'NaN')), '' order by place) end as ${column}`;
}

function packWhole(name: string): RawBuilder<unknown> {
  const column = sql.ref(name);
  return sql`case when count(${column}) = 0 then '' when max(${column}) > ${MAX_INT4}::bigint
    then string_agg(float8send(coalesce(${column}::double precision, 'NaN')), '' order by place)
    else string_agg(int4send(least(coalesce(${column}, -1), ${MAX_INT4}::bigint)::int), '' order by place) end as ${column}`;
}
