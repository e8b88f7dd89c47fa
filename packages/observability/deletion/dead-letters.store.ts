import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";

export type RecordedDeletion = { readonly id: string; /** A user's id, or `operator`. */ readonly by: string };

type Chosen = {
  readonly projectId: string;
  /** Where they are counted, and who is recorded as having deleted them; none where contents go that nobody needs. */
  readonly deletion?: RecordedDeletion;
  /** Judges a `dead_letter` by its entry. */
  readonly isMeant: RawBuilder<boolean>;
};

const TRACE_ID = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})";
/** Contents are known by the first half of their hash. */
const CONTENT = "([0-9a-f]{32})[0-9a-f]{32}";

/** Empties dead letters of a project that say something, also where no more of them could be read than that; the record that there was one stays, so that its entry is not set aside anew. */
export async function deleteDeadLetters(query: Query, { projectId, deletion, isMeant }: Chosen): Promise<void> {
  const { numAffectedRows } = await sql`
    update observability.dead_letters as dead_letter
    set entry = '[]', reason = 'deleted with what it belonged to', deleted_at = now(), deleted_by = ${deletion?.by ?? null}::text
    where (dead_letter.project_id = ${projectId}::uuid or dead_letter.project_id is null) and dead_letter.state <> 'deleted' and ${isMeant}
      and (dead_letter.project_id is not null or strpos(lower(dead_letter.entry), ${projectId}::uuid::text) > 0)`.execute(query);
  const deadLetters = Number(numAffectedRows ?? 0n);
  if (deletion !== undefined && deadLetters > 0) {
    await sql`
      update observability.deletions set dead_letters = dead_letters + ${deadLetters}::bigint
      where project_id = ${projectId}::uuid and id = ${deletion.id}::uuid`.execute(query);
  }
}

export function namesTrace(ids: readonly string[]): RawBuilder<boolean> {
  return namesOne(TRACE_ID, ids);
}

export function namesBlob(contents: readonly string[]): RawBuilder<boolean> {
  return namesOne(
    CONTENT,
    contents.map((content) => content.replaceAll("-", "")),
  );
}

/**
 * Whether an event says that it is of this user. An entry is a JSON list of texts, one of which is the event's body, JSON too: so the id is written
 * twice over, and by an SDK with or without a blank before it, and with letters beyond ASCII as they are or as numbers.
 */
export function namesUser(userId: string): RawBuilder<boolean> {
  const json = JSON.stringify(userId);
  const spellings = [json, inAscii(json)].flatMap((id) => [`"user_id":${id}`, `"user_id": ${id}`]);
  const twice = spellings.map((text) => JSON.stringify(text).slice(1, -1));
  return sql<boolean>`exists (select from unnest(${twice}::text[]) as spelling where strpos(dead_letter.entry, spelling) > 0)`;
}

function namesOne(pattern: string, names: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from regexp_matches(lower(dead_letter.entry), ${pattern}::text, 'g') as named (texts) where named.texts[1] = any(${names}::text[])
  )`;
}

function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
