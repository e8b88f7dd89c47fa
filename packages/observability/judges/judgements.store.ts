import { sql } from "kysely";
import { toEventId } from "#identifiers.ts";
import type { EvaluatorSource, Judgement, JudgementCounts, JudgementState, ScoreValue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { writePreference } from "#preferences/preferences.store.ts";
import { selectInstant, selectMicros } from "#store/position.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import type { OneRule } from "./rules.store.ts";

/*
 * What becomes of a trace or run that a rule chose, and who changes it:
 *
 *   (chosen) ──▶ waiting ──(a replica takes it, for as long as its lease)──▶ judged · skipped · failed · over_budget
 *                waiting ──(the try failed, and may succeed later)──▶ waiting, due later
 *                waiting ──(a person cancels the rule)──▶ skipped
 *   skipped, failed, over_budget ──(a person makes up for them)──▶ waiting
 *
 * `claim` names the try that holds it, and whoever no longer holds it settles nothing but what its call cost.
 */

export type Claimed = {
  readonly project_id: string;
  readonly rule_id: string;
  readonly evaluator_id: string;
  readonly subject: string;
  readonly trace_id: string | null;
  readonly tries: number;
  readonly experiment_id: string | null;
  readonly item_id: string | null;
  readonly repetition: number | null;
  readonly attempt: number | null;
  /** The experiment of the other run of a pair, and whether that stands first. */
  readonly baseline_id: string | null;
  readonly is_swapped: boolean;
  /** The id of this try and of its trace. */
  readonly claim: string;
};

/** Projects with something to be judged now, in no order, so that none is always the last. */
export async function listDueProjects(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select project_id from observability.judgements where state = 'waiting' and due_at <= now() group by project_id order by random() limit 100`.execute(
    query,
  );
  return rows.map((row) => row.project_id);
}

/** Takes what waits for longest, for so many seconds; somebody else takes it afterwards. */
export async function claimJudgement(
  query: Query,
  { projectId, claim, leaseSeconds }: { readonly projectId: string; readonly claim: string; readonly leaseSeconds: number },
): Promise<Claimed | undefined> {
  const { rows } = await sql<Claimed>`
    with chosen as materialized (
      select rule_id, subject from observability.judgements
      where project_id = ${projectId}::uuid and state = 'waiting' and due_at <= now() order by due_at limit 1 for update skip locked
    )
    update observability.judgements as judgement set claim = ${claim}::uuid, tries = tries + 1,
      due_at = now() + ${leaseSeconds} * interval '1 second', judge_traces = judge_traces || ${claim}::uuid
    from chosen
    where judgement.project_id = ${projectId}::uuid and judgement.rule_id = chosen.rule_id and judgement.subject = chosen.subject
    returning judgement.project_id, judgement.rule_id, judgement.evaluator_id, judgement.subject, judgement.trace_id, judgement.experiment_id,
      judgement.item_id, judgement.repetition, judgement.attempt, judgement.baseline_id, judgement.is_swapped, judgement.tries, judgement.claim`.execute(
    query,
  );
  return rows[0];
}

export type Settling = {
  readonly state: JudgementState;
  readonly reason: string | null;
  readonly version: number | null;
  readonly cost: number;
  /** Of one that waits: when it is tried again. */
  readonly retryInMs: number;
  /** Whether tries have traces, which checks have not. */
  readonly hasTraces: boolean;
};

/** Writes what came of a try. @returns false when it holds the judgement no longer. */
export async function settleJudgement(
  transaction: Query,
  { project_id: projectId, ...held }: Claimed,
  settling: Settling,
): Promise<boolean> {
  const { state, reason, version, cost, retryInMs, hasTraces } = settling;
  const { numAffectedRows = 0n } = await sql`
    update observability.judgements set state = ${state}::text, reason = ${reason}::text, version = ${version}::int, claim = null,
      cost = cost + ${cost}::double precision, due_at = now() + ${retryInMs}::double precision * interval '1 millisecond',
      judge_traces = ${hasTraces ? sql`judge_traces` : sql`'{}'`}, ended_at = ${state === "waiting" ? sql`null` : sql`now()`}
    where project_id = ${projectId}::uuid and rule_id = ${held.rule_id}::uuid and subject = ${held.subject}::text and claim = ${held.claim}::uuid
      and state = 'waiting'`.execute(transaction);
  return numAffectedRows > 0n;
}

/** Whether the trace is there, which nobody deletes until the transaction ends. */
export async function holdTrace(transaction: Query, projectId: string, traceId: string): Promise<boolean> {
  const { rows } = await sql`
    select from observability.traces where project_id = ${projectId}::uuid and id = ${traceId}::uuid for key share`.execute(transaction);
  return rows.length > 0;
}

/** Holds a run, and the one that it is compared with; one whose contents went with a user is there no more. */
export async function holdRun(transaction: Query, held: Claimed): Promise<boolean> {
  const { rows } = await sql`
    select from observability.experiment_runs as run
    join observability.experiments as experiment on experiment.project_id = run.project_id and experiment.id = run.experiment_id
    join observability.item_revisions as item on item.project_id = run.project_id and item.dataset_id = experiment.dataset_id and item.item_id = run.item_id
      and item.version <= experiment.dataset_version and (item.until_version is null or item.until_version > experiment.dataset_version)
    where run.project_id = ${held.project_id}::uuid and run.item_id = ${held.item_id}::uuid and run.repetition = ${held.repetition}::int
      and ((run.experiment_id = ${held.experiment_id}::uuid and run.attempt = ${held.attempt}::int)
        or (run.experiment_id = ${held.baseline_id}::uuid and run.is_newest))
      and item.redacted_at is null and not exists (
        select from observability.deleted_traces as gone
        where gone.project_id = ${held.project_id}::uuid and gone.trace_id = run.trace_id and gone.is_of_user
      )
    for share of run`.execute(transaction);
  return rows.length === (held.baseline_id === null ? 1 : 2);
}

/** In the place of an evaluator: no rule chose it. What waits so is an item that the playground asks a model of. */
export const NOBODY = "00000000-0000-0000-0000-000000000000";

/** Has the judge's trace of a draft go with the trace that it read, which is held. */
export async function noteTry(transaction: Query, projectId: string, traceId: string, judgeTraceId: string): Promise<void> {
  await sql`
    insert into observability.judgements (project_id, rule_id, evaluator_id, subject, trace_id, state, judge_traces)
    values (${projectId}::uuid, ${NOBODY}::uuid, ${NOBODY}::uuid, ${judgeTraceId}::text, ${traceId}::uuid, 'skipped', array[${judgeTraceId}::uuid])`.execute(
    transaction,
  );
}

type Scoring = {
  readonly name: string;
  readonly version: number;
  readonly source: EvaluatorSource;
  readonly value: ScoreValue;
  readonly explanation: string;
};

/** One score of a trace for each version of an evaluator: judged once more, it is replaced. */
export async function scoreTrace(transaction: Query, held: Claimed, { name, version, source, value, explanation }: Scoring): Promise<void> {
  const id = toEventId(held.project_id, `judge ${held.evaluator_id} ${version}`, held.trace_id ?? "");
  await sql`
    with given as (
      insert into observability.scores as score (project_id, trace_id, event_id, name, data_type, value, text_value, comment, source, evaluator_version,
        judge_trace_id, scored_at)
      values (${held.project_id}::uuid, ${held.trace_id}::uuid, ${id}::uuid, ${name}::text, ${value.data_type}::text, ${value.value}::double precision,
        ${value.text_value}::text, ${explanation}::text, ${source}::text, ${version}::int,
        ${source === "judge" ? held.claim : null}::uuid, now())
      on conflict (project_id, trace_id, event_id) do update set data_type = excluded.data_type, value = excluded.value,
        text_value = excluded.text_value, comment = excluded.comment, judge_trace_id = excluded.judge_trace_id, scored_at = excluded.scored_at
      returning score.project_id, score.trace_id
    )
    insert into observability.trace_marks (project_id, trace_id) select project_id, trace_id from given`.execute(transaction);
}

/** The same of a run. */
export async function scoreRun(transaction: Query, held: Claimed, { name, version, source, value, explanation }: Scoring): Promise<void> {
  await sql`
    insert into observability.run_scores as score (project_id, experiment_id, item_id, repetition, attempt, source, name, evaluator_version, value, text_value,
      is_boolean, explanation)
    values (${held.project_id}::uuid, ${held.experiment_id}::uuid, ${held.item_id}::uuid, ${held.repetition}::int, ${held.attempt}::int, ${source}::text,
      ${name}::text, ${String(version)}::text, ${value.value}::double precision, ${value.text_value}::text,
      ${value.data_type === "boolean"}::boolean, ${explanation}::text)
    on conflict (project_id, experiment_id, item_id, repetition, attempt, source, name, evaluator_version)
    do update set value = excluded.value, text_value = excluded.text_value, is_boolean = excluded.is_boolean, explanation = excluded.explanation`.execute(
    transaction,
  );
}

/** Which of two runs is better, as it was asked this way round. */
export async function scorePair(transaction: Query, held: Claimed, { name, version, value, explanation }: Scoring): Promise<void> {
  const [experimentId, baselineId] = [held.experiment_id ?? "", held.baseline_id ?? ""];
  const isCandidate = (value.text_value === "first") !== held.is_swapped;
  await writePreference(
    transaction,
    { projectId: held.project_id, reader: { kind: "operator" }, experimentId, baselineId },
    {
      item_id: held.item_id ?? "",
      source: "judge",
      author: name,
      version,
      repetition: held.repetition ?? 0,
      // Whether the older of the two stood second, whichever is the candidate: both ways round are two answers, and no third.
      is_swapped: held.is_swapped !== experimentId < baselineId,
      preferred: value.text_value === "tie" ? null : isCandidate ? experimentId : baselineId,
      is_skipped: false,
      reason: explanation,
    },
  );
}

/** Whether nothing that the rule chose waits any more. */
export async function isDone(query: Query, { project_id: projectId, rule_id: ruleId }: Claimed): Promise<boolean> {
  const { rows } = await sql`
    select from observability.judgements where project_id = ${projectId}::uuid and rule_id = ${ruleId}::uuid and state = 'waiting' limit 1`.execute(
    query,
  );
  return rows.length === 0;
}

/** By rule, how many there are in each state; of a million 0.3 s, and of one evaluator's 100,000 of them 0.03 s. */
export async function countJudgements(
  query: Query,
  { projectId, reader, evaluatorId }: InProject & { readonly evaluatorId: string | undefined },
): Promise<ReadonlyMap<string, JudgementCounts>> {
  const ofOne = evaluatorId === undefined ? sql`true` : sql`evaluator_id = ${evaluatorId}::uuid`;
  const { rows } = await sql<{ rule_id: string; state: JudgementState; count: number }>`
    select rule_id, state, count(*)::int as count from observability.judgements
    where project_id = ${projectId}::uuid and ${ofOne} and ${hasRoleIn(reader, "viewer", projectId)} group by rule_id, state`.execute(
    query,
  );
  return new Map(
    [...Map.groupBy(rows, (row) => row.rule_id)].map(([ruleId, counted]) => [
      ruleId,
      { ...NONE, ...Object.fromEntries(counted.map(({ state, count }) => [state, count])) },
    ]),
  );
}

export const NONE: JudgementCounts = { waiting: 0, judged: 0, skipped: 0, failed: 0, over_budget: 0 };

/** What a cancelled rule has chosen is judged no more; a call that runs ends without a score. */
export async function skipWaiting(transaction: Query, { projectId, ruleId }: OneRule): Promise<void> {
  await sql`
    update observability.judgements set state = 'skipped', reason = 'the rule was cancelled', claim = null, ended_at = now()
    where project_id = ${projectId}::uuid and rule_id = ${ruleId}::uuid and state = 'waiting'`.execute(transaction);
}

/** @returns how many wait again. */
export async function makeUp(query: Query, { projectId, reader, ruleId, evaluatorId }: OneRule): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update observability.judgements set state = 'waiting', reason = null, tries = 0, due_at = now(), ended_at = null
    where project_id = ${projectId}::uuid and rule_id = ${ruleId}::uuid and evaluator_id = ${evaluatorId}::uuid
      and state in ('skipped', 'failed', 'over_budget') and ${hasRoleIn(reader, "editor", projectId)}`.execute(query);
  return Number(numAffectedRows);
}

export type JudgementRow = Omit<Judgement, "chosen_at" | "ended_at"> & {
  readonly chosen_at: Date;
  readonly ended_at: Date | null;
  readonly micros: string;
};

type Listing = InProject & {
  readonly evaluatorId: string;
  /** The evaluator's, which its scores have. */
  readonly name: string;
  readonly source: EvaluatorSource;
  readonly ruleId: string | undefined;
  readonly state: JudgementState | undefined;
  readonly after: { readonly micros: string; readonly subject: string } | undefined;
  readonly limit: number;
};

/** Those that were chosen last come first. */
export async function listJudgements(
  query: Query,
  { projectId, reader, evaluatorId, name, source, ...wanted }: Listing,
): Promise<readonly JudgementRow[]> {
  const { ruleId, state, after, limit } = wanted;
  const conditions = [
    ...(ruleId === undefined ? [] : [sql`judgement.rule_id = ${ruleId}::uuid`]),
    ...(state === undefined ? [] : [sql`judgement.state = ${state}::text`]),
    ...(after === undefined
      ? []
      : [sql`(judgement.chosen_at, judgement.subject) < (${selectInstant(after.micros)}, ${after.subject}::text)`]),
  ];
  const { rows } = await sql<JudgementRow>`
    select judgement.rule_id, judgement.subject, judgement.trace_id, judgement.experiment_id, judgement.state, judgement.reason, judgement.version,
      judgement.tries, judgement.cost, judgement.chosen_at, judgement.ended_at, ${selectMicros("judgement.chosen_at")} as micros,
      case when judgement.cost > 0 or judgement.state = 'judged' then judgement.judge_traces[cardinality(judgement.judge_traces)] end as judge_trace_id,
      case when given.value is not null or given.text_value is not null
        then json_build_object('data_type', given.data_type, 'value', given.value, 'text_value', given.text_value) end as score, given.explanation
    from observability.judgements as judgement
    left join lateral (
      (select data_type, value, text_value, comment as explanation from observability.scores
      where project_id = ${projectId}::uuid and trace_id = judgement.trace_id and judgement.experiment_id is null
        and source = ${source}::text and name = ${name}::text and evaluator_version = judgement.version
      order by scored_at desc limit 1)
      union all
      select case when text_value is not null then 'category' when is_boolean then 'boolean' else 'number' end, value, text_value, explanation
      from observability.run_scores
      where project_id = ${projectId}::uuid and experiment_id = judgement.experiment_id and item_id = judgement.item_id
        and repetition = judgement.repetition and attempt = judgement.attempt and source = ${source}::text
        and name = ${name}::text and evaluator_version = judgement.version::text
      union all
      select 'category', null, case preferred when judgement.experiment_id then 'candidate' when judgement.baseline_id then 'baseline' else 'tie' end, reason
      from observability.preferences
      where project_id = ${projectId}::uuid and newer_id = greatest(judgement.experiment_id, judgement.baseline_id)
        and older_id = least(judgement.experiment_id, judgement.baseline_id) and item_id = judgement.item_id and author = ${name}::text
        and version = judgement.version and repetition = judgement.repetition
        and is_swapped = (judgement.is_swapped <> (judgement.experiment_id < judgement.baseline_id))
    ) as given on judgement.state = 'judged'
    where judgement.project_id = ${projectId}::uuid and judgement.evaluator_id = ${evaluatorId}::uuid and ${hasRoleIn(reader, "viewer", projectId)}
      and ${sql.join([sql`true`, ...conditions], sql` and `)}
    order by judgement.chosen_at desc, judgement.subject desc limit ${limit}`.execute(query);
  return rows;
}
