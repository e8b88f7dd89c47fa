import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRole, selectRole, type ProjectRole, type Reader } from "#store/reader.ts";

const ENTRY_LISTED = 4_000;
const ENTRY_SHOWN = 1024 * 1024;

export type DeadLetterState = "open" | "replayed" | "deleted";

export type DeadLetter = {
  readonly id: string;
  readonly stream: string;
  readonly entry_id: string;
  readonly project_id: string | null;
  readonly reason: string;
  readonly created_at: Date;
  readonly state: DeadLetterState;
  readonly is_whole: boolean;
  readonly replayed_at: Date | null;
  readonly replayed_by: string | null;
  readonly deleted_at: Date | null;
  readonly deleted_by: string | null;
  readonly entry: string;
  readonly entry_length: number;
  readonly position: string;
};

/** Selects one dead letter, if it names a project that the reader owns; the operator may read any. */
type DeadLetterQuery = { readonly id: string; readonly reader: Reader };

type Deed = DeadLetterQuery & { readonly by: string; readonly at: Date };

type DeadLetterListQuery = {
  readonly reader: Reader;
  readonly projectId: string | undefined;
  readonly state: DeadLetterState | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
};

/** Lists dead letters of the reader's own projects, newest first. */
export async function listDeadLetters(query: Query, wanted: DeadLetterListQuery): Promise<readonly DeadLetter[]> {
  const { reader, projectId, state, after, limit } = wanted;
  let rows = deadLetters(query, ENTRY_LISTED).where(isOwn(reader));
  if (projectId !== undefined) {
    rows = rows.where("dead_letter.project_id", "=", projectId);
  }
  if (state !== undefined) {
    rows = rows.where("dead_letter.state", "=", state);
  }
  if (after !== undefined) {
    rows = rows.where(isAfter("dead_letter.created_at", "dead_letter.id", after));
  }
  return rows.orderBy("dead_letter.created_at", "desc").orderBy("dead_letter.id", "desc").limit(limit).execute();
}

export async function findDeadLetter(query: Query, { id, reader }: DeadLetterQuery): Promise<DeadLetter | undefined> {
  return deadLetters(query, ENTRY_SHOWN).where("dead_letter.id", "=", id).where(isOwn(reader)).executeTakeFirst();
}

/** Finds the reader's role in the project that the dead letter names; `undefined` when it names none that they may see. */
export async function findRoleByDeadLetter(query: Query, { id, reader }: DeadLetterQuery): Promise<ProjectRole | undefined> {
  const row = await query
    .selectFrom("observability.dead_letters as dead_letter")
    .innerJoin("observability.projects as project", "project.id", "dead_letter.project_id")
    .select(selectRole(reader).as("role"))
    .where("dead_letter.id", "=", id)
    .executeTakeFirst();
  return row?.role ?? undefined;
}

/** Reads the whole entry of an open dead letter, as it is to be replayed. */
export async function findOpenEntry(
  query: Query,
  { id, reader }: DeadLetterQuery,
): Promise<{ readonly entry: string; readonly project_id: string | null } | undefined> {
  return query
    .selectFrom("observability.dead_letters as dead_letter")
    .select(["dead_letter.entry", "dead_letter.project_id"])
    .where("dead_letter.id", "=", id)
    .where("dead_letter.state", "=", "open")
    .where(isOwn(reader))
    .executeTakeFirst();
}

export async function markReplayed(query: Query, { id, reader, by, at }: Deed): Promise<boolean> {
  const result = await query
    .updateTable("observability.dead_letters as dead_letter")
    .set({ replayed_at: at, replayed_by: by })
    .where("dead_letter.id", "=", id)
    .where("dead_letter.state", "=", "open")
    .where(isOwn(reader))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes the entry of a dead letter; the record of it, and who deleted it, stays. */
export async function deleteDeadLetter(query: Query, { id, reader, by, at }: Deed): Promise<boolean> {
  const result = await query
    .updateTable("observability.dead_letters as dead_letter")
    .set({ deleted_at: at, deleted_by: by, entry: "[]" })
    .where("dead_letter.id", "=", id)
    .where("dead_letter.state", "<>", "deleted")
    .where(isOwn(reader))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

function deadLetters(query: Query, shown: number) {
  return query
    .selectFrom("observability.dead_letters as dead_letter")
    .select([
      "dead_letter.id",
      "dead_letter.stream",
      "dead_letter.entry_id",
      "dead_letter.project_id",
      "dead_letter.reason",
      "dead_letter.created_at",
      "dead_letter.state",
      "dead_letter.is_whole",
      "dead_letter.replayed_at",
      "dead_letter.replayed_by",
      "dead_letter.deleted_at",
      "dead_letter.deleted_by",
      sql<string>`left(dead_letter.entry, ${shown})`.as("entry"),
      sql<number>`length(dead_letter.entry)`.as("entry_length"),
      selectMicros("dead_letter.created_at").as("position"),
    ]);
}

/** Selects the reader's own dead letters; only the operator sees those that name no existing project. */
function isOwn(reader: Reader) {
  return reader.kind === "operator"
    ? sql<boolean>`true`
    : sql<boolean>`dead_letter.project_id in (select project.id from observability.projects as project where ${hasRole(reader, "owner")})`;
}
