import { sql, type Transaction } from "kysely";
import { toEventId } from "#identifiers.ts";
import { findMentions, MAX_COMMENTS, type Comment, type CommentSubject } from "#contract.ts";
import { findRun, isOfRun } from "#query/steps/find-run.store.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRole, hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";
import { commentNotFound, subjectNotFound, tooManyComments } from "./comments.errors.ts";

export type CommentRow = Omit<Comment, "created_at" | "edited_at"> & { readonly created_at: Date; readonly edited_at: Date | null };
type InTransaction = Transaction<ObservabilitySchema>;
type About = InProject & CommentSubject;

/** @throws {AppError} when what it is about is not there, or has too many. */
export async function insertComment(query: Query, { reader, projectId, ...row }: InProject & CommentRow): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    if (!(await holdSubject(transaction, { ...row, reader, projectId }))) {
      throw subjectNotFound();
    }
    const { rows: known } = await sql<{ comments: number }>`
      select count(*)::int as comments from observability.comments where project_id = ${projectId}::uuid and within_id = ${row.within_id}::uuid`.execute(
      transaction,
    );
    if ((known[0]?.comments ?? 0) >= MAX_COMMENTS) {
      throw tooManyComments();
    }
    await sql`
      insert into observability.comments (project_id, id, subject, within_id, subject_id, text, author, created_at)
      select project.id, ${row.id}::uuid, ${row.subject}::text, ${row.within_id}::uuid, ${row.subject_id}::uuid, ${row.text}::text,
        ${row.author}::text, ${row.created_at}::timestamptz
      from observability.projects as project where project.id = ${projectId}::uuid and ${hasRole(reader, "editor")}`.execute(transaction);
    await insertMentions(transaction, { ...row, projectId, at: row.created_at, before: "" });
  });
}

/** Whoever deletes what is commented on locks these rows, and so either waits for the comment and takes it along, or came first. */
async function holdSubject(transaction: InTransaction, { subject, within_id: within, subject_id: id, ...of }: About): Promise<boolean> {
  const project = sql`project_id = ${of.projectId}::uuid`;
  const isThere = async (found: ReturnType<typeof sql>) => (await found.execute(transaction)).rows.length > 0;
  if (subject === "item" || subject === "run") {
    const table = subject === "item" ? sql`observability.item_revisions` : sql`observability.experiment_runs`;
    const isWithin = subject === "item" ? sql`dataset_id = ${within}::uuid` : sql`experiment_id = ${within}::uuid`;
    return isThere(sql`
      select 1 from ${table} where ${project} and ${isWithin} and item_id = ${id}::uuid and ${hasRoleIn(of.reader, "editor", of.projectId)}
      limit 1 for share`);
  }
  const run = await findRun(transaction, { ...of, traceId: within });
  if (run?.segments[0]?.id !== within) {
    return false;
  }
  const parts = run.segments.map((segment) => segment.id);
  if (!(await isThere(sql`select 1 from observability.traces where ${project} and id = any(${parts}::uuid[]) order by id for key share`))) {
    return false;
  }
  return subject === "trace"
    ? id === within
    : isThere(
        subject === "step"
          ? sql`select 1 from observability.observations where ${isOfRun(run)} and id = ${id}::uuid limit 1`
          : sql`select 1 from observability.scores where ${project} and trace_id = any(${parts}::uuid[]) and event_id = ${id}::uuid`,
      );
}

type Mentioning = Pick<CommentRow, "id" | "text" | "author"> & { readonly projectId: string; readonly at: Date; readonly before: string };

/** Those who were mentioned `before`, and whoever wrote it, are not told; each of the others once a comment, however often it is edited. */
async function insertMentions(transaction: InTransaction, { id, text, author, projectId, at, before }: Mentioning): Promise<void> {
  const told = new Set([...findMentions(before), author]);
  const mentioned = findMentions(text).filter((person) => !told.has(person));
  if (mentioned.length > 0) {
    await sql`
      insert into observability.comment_mentions (id, project_id, comment_id, user_id, next_try_at)
      select notice, ${projectId}::uuid, ${id}::uuid, person, ${at}::timestamptz
      from unnest(${mentioned.map((person) => toEventId(projectId, `mention ${id}`, person))}::uuid[], ${mentioned}::uuid[]) as given (notice, person)
      on conflict (id) do nothing`.execute(transaction);
  }
}

type Change = OneInProject & { readonly text: string; readonly author: string; readonly at: Date };

/** Changes a comment of the author's own, and tells those whom it mentions from then on. @throws {AppError} when it is not there. */
export async function changeComment(query: Query, { reader, projectId, id, text, author, at }: Change): Promise<CommentRow> {
  return query.transaction().execute(async (transaction) => {
    const isTheirs = sql`project_id = ${projectId}::uuid and id = ${id}::uuid and author = ${author}::text`;
    const { rows: found } = await sql<CommentRow>`
      select * from observability.comments where ${isTheirs} and ${hasRoleIn(reader, "editor", projectId)} for update`.execute(transaction);
    const [before] = found;
    if (before === undefined) {
      throw commentNotFound();
    }
    await sql`update observability.comments set text = ${text}::text, edited_at = ${at}::timestamptz where ${isTheirs}`.execute(
      transaction,
    );
    await insertMentions(transaction, { id, text, author, projectId, at, before: before.text });
    return { ...before, text, edited_at: at };
  });
}

/** People delete their own, owners any. @returns whether there was such a comment. */
export async function deleteComment(query: Query, { reader, projectId, id, author }: OneInProject & { readonly author: string }) {
  const { numAffectedRows = 0n } = await sql`
    delete from observability.comments where project_id = ${projectId}::uuid and id = ${id}::uuid and (
      ${hasRoleIn(reader, "owner", projectId)} or (author = ${author}::text and ${hasRoleIn(reader, "editor", projectId)})
    )`.execute(query);
  return numAffectedRows > 0n;
}

type Listed = InProject & { readonly within: string; readonly after: Position | undefined; readonly limit: number };

/** Those on a trace with its steps and scores, on a dataset's items, or on an experiment's runs; the newest first. */
export async function listComments(query: Query, { projectId, reader, within, after, limit }: Listed) {
  const { rows } = await sql<CommentRow & { readonly position: string }>`
    select *, ${selectMicros("created_at")} as position from observability.comments
    where project_id = ${projectId}::uuid and within_id = ${within}::uuid and ${hasRoleIn(reader, "viewer", projectId)}
      ${after === undefined ? sql`` : sql`and ${isAfter("created_at", "id", after)}`}
    order by created_at desc, id desc limit ${limit}`.execute(query);
  return rows;
}
