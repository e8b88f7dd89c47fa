import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { deleteDeadLetters, namesBlob } from "./dead-letters.store.ts";

/** How many contents one short transaction judges. */
const AT_ONCE = 500;
const PROJECTS_AT_ONCE = 100;

/** The projects with contents of which producers are not told yet. */
export async function listUntoldProjects(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct project_id from observability.released_blobs where told_at is null limit ${PROJECTS_AT_ONCE}`.execute(query);
  return rows.map((row) => row.project_id);
}

/**
 * Takes some contents of a project off the list that traces refer to after all; the others are those that producers are to be told of as `version`.
 *
 * @returns whether there are any such, and whether there may be more to look at.
 */
export async function claimUntold(
  query: Query,
  { projectId, version }: { readonly projectId: string; readonly version: string },
): Promise<{ readonly isAny: boolean; readonly isMore: boolean }> {
  return query.transaction().execute(async (transaction) => {
    // Locked before references are looked for: whoever takes one meanwhile waits, and writes a row anew.
    const { rows: held } = await sql<{ sha256: string }>`
      select sha256 from observability.released_blobs
      where project_id = ${projectId}::uuid and told_at is null and told_version is distinct from ${version}::uuid
      order by sha256 limit ${AT_ONCE} for update skip locked`.execute(transaction);
    const hashes = held.map(({ sha256 }) => sha256);
    await sql`
      delete from observability.released_blobs as blob
      where blob.project_id = ${projectId}::uuid and blob.sha256 = any(${hashes}::text[]) and ${isNeeded()}`.execute(transaction);
    const { numAffectedRows } = await sql`
      update observability.released_blobs set told_version = ${version}::uuid
      where project_id = ${projectId}::uuid and sha256 = any(${hashes}::text[])`.execute(transaction);
    return { isAny: (numAffectedRows ?? 0n) > 0n, isMore: hashes.length === AT_ONCE };
  });
}

/** Notes that producers have been told; of those that were released again meanwhile they are to be told once more. */
export async function noteTold(query: Query, projectId: string, version: string): Promise<void> {
  await sql`
    update observability.released_blobs set told_at = now()
    where project_id = ${projectId}::uuid and told_version = ${version}::uuid and told_at is null`.execute(query);
}

/** The projects with contents of which producers were told so many seconds ago. */
export async function listDueProjects(query: Query, settledSeconds: number): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct project_id from observability.released_blobs where ${isDue(settledSeconds)} limit ${PROJECTS_AT_ONCE}`.execute(query);
  return rows.map((row) => row.project_id);
}

type Due = { readonly projectId: string; readonly settledSeconds: number };

/** Deletes those of some due contents that no trace refers to, and dead letters that hold them. @returns how many, and whether more are due. */
export async function deleteUnneeded(
  query: Query,
  { projectId, settledSeconds }: Due,
): Promise<{ readonly deleted: number; readonly isMore: boolean }> {
  return query.transaction().execute(async (transaction) => {
    const { rows: due } = await sql<{ sha256: string }>`
      select sha256 from observability.released_blobs where project_id = ${projectId}::uuid and ${isDue(settledSeconds)}
      order by told_at limit ${AT_ONCE}`.execute(transaction);
    const hashes = due.map(({ sha256 }) => sha256);
    // A writer that has such a content holds its row until it commits, so that what it wrote is seen below; or it waits here, and writes the content anew.
    await sql`
      select from observability.blobs where project_id = ${projectId}::uuid and sha256 = any(${hashes}::text[])
      order by sha256 for update`.execute(transaction);
    const { rows } = await sql<{ sha256: string; is_needed: boolean }>`
      delete from observability.released_blobs as blob
      where blob.project_id = ${projectId}::uuid and blob.sha256 = any(${hashes}::text[]) and ${isDue(settledSeconds)}
      returning blob.sha256, ${isNeeded()} as is_needed`.execute(transaction);
    const unneeded = rows.filter((row) => !row.is_needed).map(({ sha256 }) => sha256);
    await sql`
      delete from observability.blobs where project_id = ${projectId}::uuid and sha256 = any(${unneeded}::text[])`.execute(transaction);
    await deleteDeadLetters(transaction, { projectId, isMeant: namesBlob(unneeded) });
    return { deleted: unneeded.length, isMore: hashes.length === AT_ONCE };
  });
}

function isDue(settledSeconds: number) {
  return sql`told_at <= now() - ${settledSeconds} * interval '1 second'`;
}

/** Of a row that goes by the name `blob`. */
function isNeeded() {
  return sql`exists (
    select from observability.blob_references as reference where reference.project_id = blob.project_id and reference.sha256 = blob.sha256
  )`;
}
