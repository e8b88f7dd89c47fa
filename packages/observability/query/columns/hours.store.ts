import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";
import { PACKED_NUMBERS } from "#counting/packed-columns.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import type { FieldRow, NumbersRow } from "./hour-columns.ts";

export type Span = { readonly from: Date; /** Exclusive. */ readonly to: Date };

export type HourRow = {
  readonly hour: Date;
  /** As it was packed; it may have been changed since. */
  readonly traces: number;
  readonly is_packed: boolean;
};

/** Columns of bytes as texts: two thirds of what they would be otherwise, and read four times as fast. */
export function inBase64(...columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`encode(${sql.ref(column)}, 'base64') as ${sql.ref(column)}`));
}

/** The hours in which traces began, the newest first. */
export async function listHours(query: Query, { projectId, reader, from, to }: InProject & Span): Promise<readonly HourRow[]> {
  const { rows } = await sql<HourRow>`
    select hour, traces, changed_at is null as is_packed from observability.trace_hours
    where project_id = ${projectId}::uuid and hour > ${from}::timestamptz - interval '1 hour' and hour < ${to}
      and ${hasRoleIn(reader, "viewer", projectId)}
    order by hour desc`.execute(query);
  return rows;
}

type Wanted = InProject & { readonly hours: readonly Date[] };

export async function readPackedFields(
  query: Query,
  { projectId, reader, hours, fields }: Wanted & { readonly fields: readonly string[] },
): Promise<readonly FieldRow[]> {
  const { rows } = await sql<FieldRow>`
    select hour, field, said as values, ${inBase64("counts", "places")} from observability.trace_hour_fields
    where project_id = ${projectId}::uuid and hour = any(${toTexts(hours)}::timestamptz[]) and field = any(${fields}::text[])
      and ${hasRoleIn(reader, "viewer", projectId)}`.execute(query);
  return rows;
}

export async function readPackedNumbers(query: Query, { projectId, reader, hours }: Wanted): Promise<readonly NumbersRow[]> {
  const { rows } = await sql<NumbersRow>`
    select hour, traces, ${inBase64("statuses", ...PACKED_NUMBERS)} from observability.trace_hours
    where project_id = ${projectId}::uuid and hour = any(${toTexts(hours)}::timestamptz[]) and ${hasRoleIn(reader, "viewer", projectId)}`.execute(
    query,
  );
  return rows;
}

function toTexts(hours: readonly Date[]): readonly string[] {
  return hours.map((hour) => hour.toISOString());
}

/** How many traces of the project have one of the values, as the facets count them. */
export async function countWithValues(
  query: Query,
  { projectId, field, values }: { readonly projectId: string; readonly field: string; readonly values: readonly string[] },
): Promise<number> {
  const { rows } = await sql<{ traces: number | null }>`
    select sum(traces)::bigint as traces from observability.trace_groups
    where project_id = ${projectId}::uuid and field = ${field} and value = any(${values}::text[])`.execute(query);
  return rows[0]?.traces ?? 0;
}
