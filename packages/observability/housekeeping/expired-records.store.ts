import type { EachOwner } from "@sightline/foundation/each-owner";
import { sql } from "kysely";
import type { Query } from "#schema.ts";

type Deleting = { readonly each: EachOwner; readonly signal?: AbortSignal | undefined };

/** The most rows of one project and statement; more are left for the next sweep. */
const AT_ONCE = 10_000;

/** More days than any request can cover. */
const CODE_DAYS = 92;

const NOW_AND_THEN = sql`now() - (project.retention_days + 2) * interval '1 day'`;

const TABLES = [
  { table: "dead_letters", column: "created_at", before: NOW_AND_THEN },
  { table: "scores", column: "received_at", before: NOW_AND_THEN },
  { table: "ingest_gaps", column: "found_at", before: NOW_AND_THEN },
  { table: "producers", column: "heard_at", before: NOW_AND_THEN },
  { table: "code_hours", column: "hour", before: sql`now() - ${CODE_DAYS} * interval '1 day'` },
] as const;

/**
 * Deletes expired rows that belong to no trace: dead letters, scores of traces that never came, producers and their gaps.
 * Rows about which code ran go after three months, the others two days after the traces of their time: traces are deleted
 * by the day.
 */
export async function deleteExpiredRecords(query: Query, { each, signal }: Deleting): Promise<void> {
  for (const { table, column, before } of TABLES) {
    const name = sql.table(`observability.${table}`);
    const expired = sql`
      from observability.projects as project join ${name} as row on row.project_id = project.id
      where row.${sql.ref(column)} < ${before}`;
    const { rows } = await sql<{ project_id: string }>`select row.project_id ${expired} group by row.project_id`.execute(query);
    const work = async (projectId: string) => {
      const deleted = sql`
        delete from ${name} where project_id = ${projectId}::uuid and ctid = any(array(
          select row.ctid ${expired} and row.project_id = ${projectId}::uuid limit ${AT_ONCE} for update of row skip locked
        ))`;
      // A trace that came long after its score is to be counted without it.
      await (
        table === "scores"
          ? sql`with gone as (${deleted} returning project_id, trace_id)
          insert into observability.trace_marks (project_id, trace_id) select distinct project_id, trace_id from gone`
          : deleted
      ).execute(query);
    };
    await each(
      rows.map((row) => row.project_id),
      { idOf: (projectId) => `${table} of ${projectId}`, work, signal },
    );
  }
}
