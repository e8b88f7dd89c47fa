import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { isAfter, microsOf, type Position } from "#store/position.ts";
import { hasRole, hasRoleIn, roleOf, type ProjectRole, type Reader } from "#store/reader.ts";

type Query = Kysely<ObservabilitySchema>;

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
  readonly fixed_at: Date | null;
  readonly fixed_by: string | null;
  readonly replayed_at: Date | null;
  readonly replayed_by: string | null;
  readonly deleted_at: Date | null;
  readonly deleted_by: string | null;
  /** As it would be replayed: mended, if it was. */
  readonly entry: string;
  readonly entry_length: number;
  readonly position: string;
};

/** One dead letter, if it names a project that the reader owns; to the operator any. */
type Wanted = { readonly id: string; readonly reader: Reader };

type Deed = Wanted & { readonly by: string; readonly at: Date };

type ListWanted = {
  readonly reader: Reader;
  readonly projectId: string | undefined;
  readonly state: DeadLetterState | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
};

/** Newest first, of the reader's own projects. */
export async function listDeadLetters(query: Query, wanted: ListWanted): Promise<readonly DeadLetter[]> {
  const { reader, projectId, state, after, limit } = wanted;
  let rows = letters(query, ENTRY_LISTED).where(isOwn(reader));
  if (projectId !== undefined) {
    rows = rows.where("letter.project_id", "=", projectId);
  }
  if (state !== undefined) {
    rows = rows.where("letter.state", "=", state);
  }
  if (after !== undefined) {
    rows = rows.where(isAfter("letter.created_at", "letter.id", after));
  }
  return rows.orderBy("letter.created_at", "desc").orderBy("letter.id", "desc").limit(limit).execute();
}

export async function findDeadLetter(query: Query, { id, reader }: Wanted): Promise<DeadLetter | undefined> {
  return letters(query, ENTRY_SHOWN).where("letter.id", "=", id).where(isOwn(reader)).executeTakeFirst();
}

/** What the reader is in the project that it names; `undefined` when it names none that they may see. */
export async function findRoleByLetter(query: Query, { id, reader }: Wanted): Promise<ProjectRole | undefined> {
  const row = await query
    .selectFrom("observability.dead_letters as letter")
    .innerJoin("observability.projects as project", "project.id", "letter.project_id")
    .select(roleOf(reader).as("role"))
    .where("letter.id", "=", id)
    .executeTakeFirst();
  return row?.role ?? undefined;
}

/** The whole text of an open one, as it is to be replayed. */
export async function findOpenEntry(
  query: Query,
  { id, reader }: Wanted,
): Promise<{ readonly entry: string; readonly project_id: string | null } | undefined> {
  return query
    .selectFrom("observability.dead_letters as letter")
    .select([entryText().as("entry"), "letter.project_id"])
    .where("letter.id", "=", id)
    .where("letter.state", "=", "open")
    .where(isOwn(reader))
    .executeTakeFirst();
}

/** False when it is not open (any more), or the project that the mended entry names is not the reader's. */
export async function fixDeadLetter(
  query: Query,
  { id, reader, by, at, entry, projectId }: Deed & { readonly entry: string; readonly projectId: string },
): Promise<boolean> {
  const result = await query
    .updateTable("observability.dead_letters as letter")
    .set({ fixed_entry: entry, fixed_at: at, fixed_by: by, project_id: projectId, is_whole: true })
    .where("letter.id", "=", id)
    .where("letter.state", "=", "open")
    .where(isOwn(reader))
    .where(isOwnProject(reader, projectId))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function markReplayed(query: Query, { id, reader, by, at }: Deed): Promise<boolean> {
  const result = await query
    .updateTable("observability.dead_letters as letter")
    .set({ replayed_at: at, replayed_by: by })
    .where("letter.id", "=", id)
    .where("letter.state", "=", "open")
    .where(isOwn(reader))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Removes what was set aside; that it was, and who removed it, stays. */
export async function deleteDeadLetter(query: Query, { id, reader, by, at }: Deed): Promise<boolean> {
  const result = await query
    .updateTable("observability.dead_letters as letter")
    .set({ deleted_at: at, deleted_by: by, entry: "[]", fixed_entry: null })
    .where("letter.id", "=", id)
    .where("letter.state", "<>", "deleted")
    .where(isOwn(reader))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

function letters(query: Query, shown: number) {
  return query
    .selectFrom("observability.dead_letters as letter")
    .select([
      "letter.id",
      "letter.stream",
      "letter.entry_id",
      "letter.project_id",
      "letter.reason",
      "letter.created_at",
      "letter.state",
      "letter.is_whole",
      "letter.fixed_at",
      "letter.fixed_by",
      "letter.replayed_at",
      "letter.replayed_by",
      "letter.deleted_at",
      "letter.deleted_by",
      sql<string>`left(${entryText()}, ${shown})`.as("entry"),
      sql<number>`length(${entryText()})`.as("entry_length"),
      microsOf("letter.created_at").as("position"),
    ]);
}

function entryText() {
  return sql<string>`coalesce(letter.fixed_entry, letter.entry)`;
}

/** Only the operator sees what names no project that there is. */
function isOwn(reader: Reader) {
  return reader.kind === "operator"
    ? sql<boolean>`true`
    : sql<boolean>`letter.project_id in (select project.id from observability.projects as project where ${hasRole(reader, "owner")})`;
}

function isOwnProject(reader: Reader, projectId: string) {
  return reader.kind === "operator" ? sql<boolean>`true` : hasRoleIn(reader, "owner", projectId);
}
