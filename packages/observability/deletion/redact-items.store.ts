import { randomUUID } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import type { ItemSource } from "#contract.ts";
import type { Query } from "#schema.ts";
import { deleteComments } from "#store/comments.store.ts";
import { forgetJudgements, noteDeleted } from "#store/forget-judgements.store.ts";
import { selectBeginning } from "#store/segments.ts";

/** Items with all their revisions and runs, in one transaction. */
const ITEMS_AT_ONCE = 50;
const TRACES_AT_ONCE = 500;
/** Instead of an error: that there was one still counts. */
const REDACTED = "deleted with the user whose it was";

type Item = { readonly dataset_id: string; readonly item_id: string };
type Revision = Item & {
  readonly version: number;
  readonly cluster: string | null;
  readonly source: ItemSource | null;
  readonly content_hash: string;
};

/** Empties items that hold data of a user, and their runs in every experiment. How they were scored stays, and where they are of. */
export async function redactItemsOfUser(
  query: Query,
  { projectId, userId, signal }: { readonly projectId: string; readonly userId: string; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted && (await redactSome(query, projectId, sql<boolean>`revision.subject = ${userId}::text`))) {
    // The next ones.
  }
}

/** Empties items that were made of traces, whoever they say that they are of, and runs that were these traces; before the traces go, since it is found by them. */
export async function redactItemsOfTraces(query: Query, projectId: string, entries: readonly string[]): Promise<void> {
  for (let first = 0; first < entries.length; first += TRACES_AT_ONCE) {
    const ids = await listParts(query, projectId, entries.slice(first, first + TRACES_AT_ONCE));
    const isOfTrace = sql<boolean>`revision.trace_id = any(${ids}::uuid[]) and revision.redacted_at is null`;
    while (await redactSome(query, projectId, isOfTrace)) {
      // The next ones.
    }
    await query.transaction().execute(async (transaction) => {
      await redactRuns(transaction, projectId, sql`observability.experiment_runs as run where run.trace_id = any(${ids}::uuid[])`);
    });
  }
}

/** With what resumed them; and what they went on with, since an item of that has their words too. */
async function listParts(query: Query, projectId: string, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ ids: readonly (string | null)[] }>`
    select array[trace.id, ${selectBeginning(sql`${projectId}::uuid`, sql`trace.id`)}] as ids
    from observability.traces as trace where trace.project_id = ${projectId}::uuid and trace.id in (
      select unnest(${ids}::uuid[])
      union select unnest(runs) from observability.trace_entries where project_id = ${projectId}::uuid and trace_id = any(${ids}::uuid[])
    )`.execute(query);
  return [...new Set([...ids, ...rows.flatMap((row) => row.ids.flatMap((id) => id ?? []))])];
}

/** @returns whether there were any. Somebody else who finds the same ones waits, and then empties them once more. */
async function redactSome(query: Query, projectId: string, isMeant: RawBuilder<boolean>): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { rows: items } = await sql<Item>`
      select distinct revision.dataset_id, revision.item_id from observability.item_revisions as revision
      where revision.project_id = ${projectId}::uuid and ${isMeant} limit ${ITEMS_AT_ONCE}`.execute(transaction);
    if (items.length === 0) {
      return false;
    }
    const given = sql`unnest(${items.map((item) => item.dataset_id)}::uuid[], ${items.map((item) => item.item_id)}::uuid[]) as given (dataset_id, item_id)`;
    // All revisions of each: contents were taken over from one to the next, whatever these say whose they are. Locked first, as whoever reports runs does.
    const { rows: revisions } = await sql<Revision>`
      select revision.dataset_id, revision.item_id, revision.version, revision.cluster, revision.source, revision.content_hash
      from observability.item_revisions as revision
      where revision.project_id = ${projectId}::uuid and (revision.dataset_id, revision.item_id) in (select dataset_id, item_id from ${given})
      order by revision.dataset_id, revision.item_id, revision.version for update`.execute(transaction);
    await redactRevisions(transaction, projectId, revisions);
    await deleteComments(transaction, projectId, sql`comment.subject_id = any(${items.map((item) => item.item_id)}::uuid[])`);
    await redactRuns(
      transaction,
      projectId,
      sql`${given}
        join observability.experiments as experiment on experiment.project_id = ${projectId}::uuid and experiment.dataset_id = given.dataset_id
        join observability.experiment_runs as run on run.project_id = ${projectId}::uuid and run.experiment_id = experiment.id and run.item_id = given.item_id
      where true`,
    );
    // Items that the playground has yet to run wait on, so that their experiment ends; what their tries said goes.
    const { rows: tried } = await sql<{ judge_traces: readonly string[] }>`
      select judgement.judge_traces from ${given}
      join observability.experiments as experiment on experiment.project_id = ${projectId}::uuid and experiment.dataset_id = given.dataset_id
      join observability.judgements as judgement on judgement.project_id = ${projectId}::uuid and judgement.experiment_id = experiment.id
        and judgement.item_id = given.item_id and judgement.state = 'waiting'`.execute(transaction);
    await noteDeleted(
      transaction,
      { projectId, isOfUser: true },
      tried.flatMap((row) => row.judge_traces),
    );
    return true;
  });
}

async function redactRevisions(transaction: Query, projectId: string, revisions: readonly Revision[]): Promise<void> {
  // A hash would confirm a guess of what it was of; equal ones stay equal, since items are compared by them.
  const replaced = new Map<string, string>();
  const replace = (text: string) => replaced.get(text) ?? replaced.set(text, randomUUID()).get(text) ?? text;
  const cluster = ({ cluster: name, source }: Revision) => (name === null || name === source?.issue_id ? name : replace(name));
  const sources = revisions.map(({ source }) => {
    // It names fields of the input.
    const { incomplete: _fields, ...rest } = source ?? {};
    return source === null ? null : JSON.stringify(rest);
  });
  await sql`
    update observability.item_revisions as revision
    set input = 'null', expected = 'null', checks = '[]', metadata = '{}', subject = null, cluster = given.cluster, source = given.source,
      content_hash = given.content_hash, revision_hash = given.revision_hash, redacted_at = now()
    from unnest(
      ${revisions.map((each) => each.dataset_id)}::uuid[], ${revisions.map((each) => each.item_id)}::uuid[],
      ${revisions.map((each) => each.version)}::int[], ${revisions.map(cluster)}::text[], ${sources}::json[],
      ${revisions.map((each) => replace(each.content_hash))}::text[], ${revisions.map(() => randomUUID())}::text[]
    ) as given (dataset_id, item_id, version, cluster, source, content_hash, revision_hash)
    where revision.project_id = ${projectId}::uuid and revision.dataset_id = given.dataset_id and revision.item_id = given.item_id
      and revision.version = given.version`.execute(transaction);
}

/** `chosen`: where the runs come from, as `run`. */
async function redactRuns(transaction: Query, projectId: string, chosen: RawBuilder<unknown>): Promise<void> {
  const isChosen = sql`from (
      select run.experiment_id, run.item_id, run.repetition, run.attempt from ${chosen} and run.project_id = ${projectId}::uuid
    ) as chosen
    where row.project_id = ${projectId}::uuid and row.experiment_id = chosen.experiment_id and row.item_id = chosen.item_id
      and row.repetition = chosen.repetition and row.attempt = chosen.attempt`;
  const error = sql`case when row.error is null then null else ${REDACTED}::text end`;
  await sql`update observability.experiment_runs as row set output = 'null', error = ${error}, checks = '[]', nodes = '[]' ${isChosen}`.execute(
    transaction,
  );
  await sql`update observability.run_scores as row set explanation = null, error = ${error} ${isChosen}`.execute(transaction);
  await sql`
    update observability.preferences as row set reason = null
    from (select run.experiment_id, run.item_id from ${chosen} and run.project_id = ${projectId}::uuid) as chosen
    where row.project_id = ${projectId}::uuid and chosen.experiment_id in (row.newer_id, row.older_id) and row.item_id = chosen.item_id`.execute(
    transaction,
  );
  const isOfRun = sql<boolean>`exists (
    select from ${chosen} and run.project_id = ${projectId}::uuid and run.experiment_id in (judgement.experiment_id, judgement.baseline_id)
      and run.item_id = judgement.item_id
  )`;
  await forgetJudgements(transaction, { projectId, isOfUser: true }, isOfRun);
  const isOnRun = sql<boolean>`(comment.within_id, comment.subject_id) in (
    select run.experiment_id, run.item_id from ${chosen} and run.project_id = ${projectId}::uuid
  )`;
  await deleteComments(transaction, projectId, isOnRun);
}
