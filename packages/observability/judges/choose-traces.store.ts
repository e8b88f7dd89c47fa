import { hash } from "node:crypto";
import { isDatabaseAway } from "@sightline/foundation/database-unavailable";
import { AppError, errorCode } from "@sightline/foundation/errors";
import { sql } from "kysely";
import { pairedRuns } from "#preferences/preferences.store.ts";
import { listSought, sqlConditions } from "#query/conditions/conditions.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { boundSearch } from "#store/bound-search.ts";
import type { Query } from "#schema.ts";
import { listLiveRules, noteProblem, type OneRule, type RuleRow } from "./rules.store.ts";

/** Marks that one transaction reads, and the traces that it chooses among: every time a trace is counted, it is marked. */
const MARKS = 5_000;
const TRACES = 500;
/** After a query that was not answered; and until words that were not read yet are looked for once more. */
const RETRY_MS = 300_000;
const UNREAD_MS = 2_000;

/** Finds all projects with live traces that ended, and have rules. */
export async function findMarkedProjects(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select project_id from observability.judge_marks where due_at <= now() group by project_id`.execute(query);
  return rows.map((row) => row.project_id);
}

/** Has each live rule of a project choose among some of its marked traces: once each, however often they are counted. @returns whether there are marks left. */
export async function chooseAmongMarked(query: Query, projectId: string, now: Date): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    const { rows: marked } = await sql<{ trace_id: string; rule_id: string | null }>`
      with read as materialized (
        select ctid, trace_id, rule_id from observability.judge_marks where project_id = ${projectId}::uuid and due_at <= now()
        order by due_at limit ${MARKS} for update skip locked
      ), chosen as materialized (
        select distinct trace_id from read order by trace_id limit ${TRACES}
      ), taken as (
        delete from observability.judge_marks as mark using read join chosen using (trace_id)
        where mark.project_id = ${projectId}::uuid and mark.ctid = read.ctid
      )
      select distinct trace_id, rule_id from read join chosen using (trace_id)`.execute(transaction);
    if (marked.length === 0) {
      return false;
    }
    for (const rule of await listLiveRules(transaction, projectId)) {
      const meant = marked.filter(({ rule_id: id }) => id === null || id === rule.id).map(({ trace_id: id }) => id);
      const sampled = [...new Set(meant)].filter((id) => isSampled(id, rule.sampling));
      await chooseOrWait(transaction, rule, { ids: sampled, now });
    }
    const { rows: left } = await sql`
      select from observability.judge_marks where project_id = ${projectId}::uuid and due_at <= now() limit 1`.execute(transaction);
    return left.length > 0;
  });
}

type Choosing = { readonly ids: readonly string[]; readonly now: Date };

/** A rule whose query can't be answered stops no other: it is told why, and looks at these traces later. */
async function chooseOrWait(transaction: Query, rule: RuleRow, choosing: Choosing): Promise<void> {
  const { ids, now } = choosing;
  if (rule.retry_at !== null && rule.retry_at > now) {
    return lookLater(transaction, rule, ids, rule.retry_at);
  }
  await sql`savepoint of_rule`.execute(transaction);
  try {
    await choose(transaction, rule, choosing);
  } catch (error) {
    if (isDatabaseAway(error)) {
      throw error;
    }
    await sql`rollback to savepoint of_rule`.execute(transaction);
    const retryAt = new Date(now.getTime() + RETRY_MS);
    await noteProblem(transaction, rule, describeProblem(error), retryAt);
    return lookLater(transaction, rule, ids, retryAt);
  }
  return rule.problem === null ? undefined : noteProblem(transaction, rule, null, null);
}

async function choose(transaction: Query, rule: RuleRow, { ids, now }: Choosing): Promise<void> {
  const projectId = rule.project_id;
  const terms = readListTerms({ q: rule.q });
  // Before they are looked for: words that are read in between are found.
  const unread = terms.some((term) => listSought(term).length > 0) ? await listUnread(transaction, projectId, ids) : [];
  const conditions = await sqlConditions(terms, { query: transaction, projectId, now, isCounted: false, isByTime: false });
  const read = ids.filter((id) => !unread.includes(id));
  const { rows: found } = await sql<{ trace_id: string }>`
    select entry.trace_id from observability.trace_entries as entry
    where entry.project_id = ${projectId}::uuid and entry.trace_id = any(${read}::uuid[]) and entry.status in ('success', 'failure')
      and entry.sort_at >= ${rule.created_at}::timestamptz - interval '1 hour' and ${sql.join([sql`true`, ...conditions], sql` and `)}`.execute(
    transaction,
  );
  await insertTraces(
    transaction,
    { projectId, evaluatorId: rule.evaluator_id, ruleId: rule.id },
    found.map((row) => row.trace_id),
  );
  await lookLater(transaction, rule, unread, new Date(now.getTime() + UNREAD_MS));
}

/** Those of which a run's texts are not read yet. */
async function listUnread(transaction: Query, projectId: string, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ trace_id: string }>`
    select distinct run.trace_id from (
      select trace_id, unnest(runs) as id from observability.trace_entries where project_id = ${projectId}::uuid and trace_id = any(${ids}::uuid[])
    ) as run
    join observability.text_marks as mark on mark.project_id = ${projectId}::uuid and mark.trace_id = run.id`.execute(transaction);
  return rows.map((row) => row.trace_id);
}

async function lookLater(transaction: Query, { project_id: projectId, id }: RuleRow, ids: readonly string[], at: Date): Promise<void> {
  await sql`
    insert into observability.judge_marks (project_id, trace_id, rule_id, due_at)
    select ${projectId}::uuid, trace_id, ${id}::uuid, ${at}::timestamptz from unnest(${ids}::uuid[]) as given (trace_id)`.execute(
    transaction,
  );
}

function describeProblem(error: unknown): string {
  const isTooSlow = errorCode(error) === "57014";
  const told = isTooSlow ? "it takes more than 10 seconds; make a rule with a narrower one" : "the database refuses it";
  return error instanceof AppError ? error.message : `The query is not answered: ${told}.`;
}

/** By the trace alone, so that judges with the same sampling judge the same traces, and whoever asks gets the same answer. */
export function isSampled(traceId: string, sampling: number): boolean {
  return hash("sha256", traceId, "buffer").readUInt32BE() < sampling * 2 ** 32;
}

type OfRule = Pick<OneRule, "projectId" | "evaluatorId" | "ruleId">;

/** Those that the rule has chosen before stay as they are. @returns how many are new. */
export async function insertTraces(
  transaction: Query,
  { projectId, evaluatorId, ruleId }: OfRule,
  ids: readonly string[],
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into observability.judgements (project_id, rule_id, evaluator_id, subject, trace_id)
    select ${projectId}::uuid, ${ruleId}::uuid, ${evaluatorId}::uuid, id::text, id from unnest(${ids}::uuid[]) as given (id)
    on conflict do nothing`.execute(transaction);
  return Number(numAffectedRows);
}

/** The newest attempts of the runs of an experiment, but for those that are missing; with a baseline each pair, both ways round. @returns how many. */
export async function insertRuns(
  transaction: Query,
  { projectId, reader, evaluatorId, ruleId }: OneRule,
  experimentId: string,
  baselineId: string | null,
): Promise<number> {
  const runs = sql`observability.experiment_runs as run
    where run.project_id = ${projectId}::uuid and run.experiment_id = ${experimentId}::uuid and run.is_newest and run.state <> 'missing'`;
  const sides = baselineId === null ? [false] : [false, true];
  const { numAffectedRows = 0n } = await sql`
    insert into observability.judgements (project_id, rule_id, evaluator_id, subject, trace_id, experiment_id, item_id, repetition, attempt, baseline_id,
      is_swapped)
    select run.project_id, ${ruleId}::uuid, ${evaluatorId}::uuid,
      concat_ws(' ', run.item_id, run.repetition, run.attempt, case when side.is_swapped then 'swapped' end), run.trace_id, run.experiment_id,
      run.item_id, run.repetition, run.attempt, ${baselineId}::uuid, side.is_swapped
    from unnest(${sides}::boolean[]) as side (is_swapped)
    cross join ${baselineId === null ? runs : pairedRuns({ projectId, reader, experimentId, baselineId }, "editor")}
    on conflict do nothing`.execute(transaction);
  return Number(numAffectedRows);
}
