import { hash } from "node:crypto";
import { sql } from "kysely";
import { parseTraceQuery } from "#contract.ts";
import { sqlConditions } from "#query/conditions/conditions.ts";
import { boundSearch } from "#store/bound-search.ts";
import type { Query } from "#schema.ts";
import { listLiveRules, type OneRule } from "./rules.store.ts";

/** Marks that one transaction reads, and the traces that it chooses among: every time a trace is counted, it is marked. */
const MARKS = 5_000;
const TRACES = 500;

/** Finds all projects with live traces that ended, and have rules. */
export async function findMarkedProjects(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`select distinct project_id from observability.judge_marks`.execute(query);
  return rows.map((row) => row.project_id);
}

/** Has each live rule of a project choose among some of its marked traces: once each, however often they are counted. @returns whether there are marks left. */
export async function chooseAmongMarked(query: Query, projectId: string, now: Date): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    const { rows: marked } = await sql<{ trace_id: string }>`
      with read as materialized (
        select ctid, trace_id from observability.judge_marks where project_id = ${projectId}::uuid order by trace_id limit ${MARKS} for update skip locked
      ), chosen as materialized (
        select distinct trace_id from read order by trace_id limit ${TRACES}
      ), taken as (
        delete from observability.judge_marks as mark using read join chosen using (trace_id)
        where mark.project_id = ${projectId}::uuid and mark.ctid = read.ctid
      )
      select trace_id from chosen`.execute(transaction);
    const ids = marked.map((row) => row.trace_id);
    if (ids.length === 0) {
      return false;
    }
    for (const rule of await listLiveRules(transaction, projectId)) {
      const sampled = ids.filter((id) => isSampled(id, rule.sampling));
      const { terms } = parseTraceQuery(rule.q);
      const conditions = await sqlConditions(terms, { query: transaction, projectId, now, isCounted: false, isByTime: false });
      const { rows: found } = await sql<{ trace_id: string }>`
        select entry.trace_id from observability.trace_entries as entry
        where entry.project_id = ${projectId}::uuid and entry.trace_id = any(${sampled}::uuid[]) and entry.status in ('success', 'failure')
          and entry.sort_at >= ${rule.created_at}::timestamptz - interval '1 hour' and ${sql.join([sql`true`, ...conditions], sql` and `)}`.execute(
        transaction,
      );
      await insertTraces(
        transaction,
        { projectId, evaluatorId: rule.evaluator_id, ruleId: rule.id },
        found.map((row) => row.trace_id),
      );
    }
    const { rows: left } = await sql`select from observability.judge_marks where project_id = ${projectId}::uuid limit 1`.execute(
      transaction,
    );
    return left.length > 0;
  });
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

/** The newest attempts of the runs of an experiment, but for those that are missing. @returns how many. */
export async function insertRuns(transaction: Query, { projectId, evaluatorId, ruleId }: OfRule, experimentId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into observability.judgements (project_id, rule_id, evaluator_id, subject, trace_id, experiment_id, item_id, repetition, attempt)
    select run.project_id, ${ruleId}::uuid, ${evaluatorId}::uuid, concat_ws(' ', run.item_id, run.repetition, run.attempt), run.trace_id,
      run.experiment_id, run.item_id, run.repetition, run.attempt
    from observability.experiment_runs as run
    where run.project_id = ${projectId}::uuid and run.experiment_id = ${experimentId}::uuid and run.is_newest and run.state <> 'missing'
    on conflict do nothing`.execute(transaction);
  return Number(numAffectedRows);
}
