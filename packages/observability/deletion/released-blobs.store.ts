import { sql } from "kysely";
import { MASKED } from "#contract.ts";
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
    const { rows: held } = await sql<{ content: string }>`
      select content from observability.released_blobs
      where project_id = ${projectId}::uuid and told_at is null and told_version is distinct from ${version}::uuid
      order by content limit ${AT_ONCE} for update skip locked`.execute(transaction);
    const needed = await findNeeded(transaction, projectId, contentsOf(held));
    await sql`
      delete from observability.released_blobs where project_id = ${projectId}::uuid and content = any(${needed}::uuid[])`.execute(
      transaction,
    );
    const { numAffectedRows } = await sql`
      update observability.released_blobs set told_version = ${version}::uuid
      where project_id = ${projectId}::uuid and content = any(${contentsOf(held)}::uuid[])`.execute(transaction);
    return { isAny: (numAffectedRows ?? 0n) > 0n, isMore: held.length === AT_ONCE };
  });
}

/** Notes that producers have been told; of those that were released again meanwhile they are to be told once more. */
export async function noteTold(query: Query, projectId: string, version: string): Promise<void> {
  await sql`
    update observability.released_blobs set told_at = now()
    where project_id = ${projectId}::uuid and told_version = ${version}::uuid and told_at is null`.execute(query);
}

/** The projects with contents of which producers were told before a moment. */
export async function listDueProjects(query: Query, settledBefore: Date): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct project_id from observability.released_blobs where ${isDue(settledBefore)} limit ${PROJECTS_AT_ONCE}`.execute(query);
  return rows.map((row) => row.project_id);
}

type Due = { readonly projectId: string; readonly settledBefore: Date };

/** Deletes those of some due contents that no trace refers to, and dead letters that hold them. @returns how many, and whether more are due. */
export async function deleteUnneeded(
  query: Query,
  { projectId, settledBefore }: Due,
): Promise<{ readonly deleted: number; readonly isMore: boolean }> {
  return query.transaction().execute(async (transaction) => {
    const { rows: due } = await sql<{ content: string }>`
      select content from observability.released_blobs where project_id = ${projectId}::uuid and ${isDue(settledBefore)}
      order by told_at limit ${AT_ONCE}`.execute(transaction);
    const contents = contentsOf(due);
    // A writer that has such a content holds its row until it commits, so that what it wrote is seen below; or it waits here, and writes the content anew.
    await sql`
      select from observability.blobs as blob join ${named(contents)} on ${isNamed(projectId)} order by blob.sha256 for update of blob`.execute(
      transaction,
    );
    const { rows } = await sql<{ content: string }>`
      delete from observability.released_blobs
      where project_id = ${projectId}::uuid and content = any(${contents}::uuid[]) and ${isDue(settledBefore)}
      returning content`.execute(transaction);
    const needed = new Set(await findNeeded(transaction, projectId, contentsOf(rows)));
    const unneeded = contentsOf(rows).filter((content) => !needed.has(content));
    // One that stood under a masked name says nothing, and stays so for whoever sends it again.
    await sql`
      delete from observability.blobs as blob using ${named(unneeded)}
      where ${isNamed(projectId)} and blob.content::text <> ${JSON.stringify(MASKED)}::text`.execute(transaction);
    await deleteDeadLetters(transaction, { projectId, isMeant: namesBlob(unneeded) });
    return { deleted: unneeded.length, isMore: contents.length === AT_ONCE };
  });
}

/** Finds which of the contents traces refer to. */
async function findNeeded(transaction: Query, projectId: string, contents: readonly string[]): Promise<readonly string[]> {
  // Nothing tells a plan how many traces refer to a content: it might go through all rows for each, in the belief that the first few do.
  await sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`.execute(transaction);
  const { rows } = await sql<{ content: string }>`
    select given.content from unnest(${contents}::uuid[]) as given (content)
    where exists (
      select from observability.blob_references as row
      where row.project_id = ${projectId}::uuid and row.contents @> array[given.content]
    )`.execute(transaction);
  return contentsOf(rows);
}

function contentsOf(rows: readonly { readonly content: string }[]): readonly string[] {
  return rows.map(({ content }) => content);
}

function isDue(settledBefore: Date) {
  return sql`told_at <= ${settledBefore}::timestamptz`;
}

/** How the hash of each of the contents begins. */
function named(contents: readonly string[]) {
  return sql`(select replace(content::text, '-', '') as beginning from unnest(${contents}::uuid[]) as content) as given`;
}

function isNamed(projectId: string) {
  return sql`blob.project_id = ${projectId}::uuid and blob.sha256 >= given.beginning and blob.sha256 < given.beginning || 'g'`;
}
