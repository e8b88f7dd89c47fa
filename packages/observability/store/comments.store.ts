import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "./reader.ts";

/** Takes comments away in the transaction that deletes what they are about. @param isMeant Of a `comment`. */
export async function deleteComments(transaction: Query, projectId: string, isMeant: RawBuilder<boolean>): Promise<void> {
  await sql`
    delete from observability.comments as comment where comment.project_id = ${projectId}::uuid and ${isMeant}`.execute(transaction);
}

/** By id of the trace: comments on it, its steps and its scores. */
export async function countCommentsOfTraces(
  query: Query,
  { projectId, reader }: InProject,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ within_id: string; comments: number }>`
    select within_id, count(*)::int as comments from observability.comments
    where project_id = ${projectId}::uuid and within_id = any(${ids}::uuid[]) and ${hasRoleIn(reader, "viewer", projectId)}
    group by within_id`.execute(query);
  return new Map(rows.map((row) => [row.within_id, row.comments]));
}
