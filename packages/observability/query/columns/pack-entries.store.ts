import { randomBytes } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";
import { TEXT_COLUMNS } from "#counting/entry-columns.ts";
import { hourOf, PACKED_NUMBERS, packReal, STATUSES_PACKED, VALUES_PACKED } from "#counting/packed-columns.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import type { FieldRow, NumbersRow } from "./hour-columns.ts";
import { inBase64, type Span } from "./hours.store.ts";

type Wanted = InProject & {
  readonly spans: readonly Span[];
  readonly conditions: readonly RawBuilder<boolean>[];
  /** The field whose values are told. */
  readonly by: string | undefined;
  readonly limit: number;
};

/** Places are numbers among all of them here, from the oldest on: that of an hour's first trace is `first`. */
type NumberedRow = NumbersRow & { readonly first: number };

/** Packs the newest entries that meet the conditions as hours are packed, for one answer. */
export async function packEntries(
  query: Query,
  { projectId, reader, spans, conditions, by, limit }: Wanted,
): Promise<{ readonly numbers: readonly NumberedRow[]; readonly fields: readonly FieldRow[] }> {
  const numbers = (table: string) => sql.join(PACKED_NUMBERS.map((name) => sql.ref(`${table}.${name}`)));
  const isWithin = sql.join(
    spans.map(({ from, to }) => sql`(entry.sort_at >= ${from} and entry.sort_at < ${to})`),
    sql` or `,
  );
  const { texts, value, nth } = selectValues(by);
  const { rows } = await sql<NumberedRow | FieldRow>`
    with member as materialized (
      select ${hourOf(sql`entry.sort_at`)} as hour, entry.place, entry.status, ${numbers("entry")},
        ${value} as value, ${nth} as nth
      from (
        select newest.*, row_number() over (order by sort_at, trace_id)::int as place
        from (
          select entry.sort_at, entry.trace_id, entry.status, ${numbers("entry")}, ${texts} as texts
          from observability.trace_entries as entry
          where entry.project_id = ${projectId}::uuid and (${isWithin})
            and ${sql.join([hasRoleIn(reader, "viewer", projectId), ...conditions], sql` and `)}
          order by entry.sort_at desc, entry.trace_id desc limit ${limit}
        ) as newest
      ) as entry
    ), packed_numbers as (
      select hour, count(*)::int as traces, min(place) as first, ${STATUSES_PACKED}, ${sql.join(PACKED_NUMBERS.map(packReal))}
      from member where nth = 1 group by hour
    ), by_value as (
      select hour, ${by ?? ""}::text as field, value, count(*)::int as traces, string_agg(int4send(place), '') as places
      from member where value <> '' and ${by !== undefined} group by hour, value
    ), packed_fields as (
      select hour, field, ${VALUES_PACKED} from by_value group by hour, field
    )
    select hour, traces, first, ${inBase64("statuses", ...PACKED_NUMBERS)}, null::text as field, null::json as values, null::text as counts, null::text as places
    from packed_numbers
    union all
    select hour, null, null, null, ${sql.join(PACKED_NUMBERS.map(() => sql`null`))}, field, said, ${inBase64("counts", "places")} from packed_fields`.execute(
    query,
  );
  return { numbers: rows.filter((row): row is NumberedRow => !isField(row)), fields: rows.filter(isField) };
}

function isField(row: NumberedRow | FieldRow): row is FieldRow {
  return "field" in row && row.field !== null;
}

/**
 * Stands between the fields of a trace: a field is found in one text several times as fast as by going through an array.
 * A value may hold any character, so it is drawn anew by each process: no value has it.
 */
const SEPARATOR = sql`${`\u001F${randomBytes(6).toString("base64")}`}::text`;

/** The texts of an entry, and of those each value, an empty one where there is none, with its number. */
function selectValues(by: string | undefined): Readonly<Record<"texts" | "value" | "nth", RawBuilder<unknown>>> {
  const column = TEXT_COLUMNS[by ?? ""];
  if (by === undefined || column !== undefined) {
    const texts = column === undefined ? sql`''` : sql`coalesce(${sql.ref(`entry.${column}`)}, '')`;
    return { texts, value: sql`texts`, nth: sql`1` };
  }
  const all = sql`${SEPARATOR} || array_to_string(entry.fields, ${SEPARATOR})`;
  return {
    // Each value with all fields behind it.
    texts: sql`coalesce(nullif((string_to_array(${all}, ${SEPARATOR} || ${`${by}:`}))[2:], '{}'), array[''])`,
    value: sql`split_part(unnest(texts), ${SEPARATOR}, 1)`,
    nth: sql`generate_series(1, cardinality(texts))`,
  };
}
