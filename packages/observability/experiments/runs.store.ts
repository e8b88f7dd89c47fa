import { sql, type Selectable } from "kysely";
import { ITEM_CHECKS, type CheckResult, type ReportedRun } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

export type OfExperiment = InProject & { readonly experimentId: string };
export type RunRow = Omit<Selectable<ObservabilitySchema["observability.experiment_runs"]>, "project_id" | "experiment_id">;
export type ScoreRow = Omit<Selectable<ObservabilitySchema["observability.run_scores"]>, "project_id" | "experiment_id">;
/** A run as it is written; `checks` are null as long as they await the trace. */
export type NewRun = { readonly run: ReportedRun; readonly checks: readonly CheckResult[] | null };
export type RunKey = { readonly item_id: string; readonly repetition: number; readonly attempt: number };
type EndedRun = RunKey & Pick<RunRow, "state">;

/** Whether `score` is of the newest attempt: few runs have another, and those that it came after have an index of their own. */
export const OF_NEWEST_ATTEMPT = sql<boolean>`not exists (
  select 1 from observability.experiment_runs as run where run.project_id = score.project_id and run.experiment_id = score.experiment_id
    and run.item_id = score.item_id and run.repetition = score.repetition and run.attempt = score.attempt and not run.is_newest)`;

/** Nobody else reports runs of it until the transaction ends, so that of two attempts at once one is the newest. */
export async function lockExperiment(transaction: Query, { projectId, experimentId }: OfExperiment): Promise<void> {
  await transaction
    .selectFrom("observability.experiments")
    .select("id")
    .where("project_id", "=", projectId)
    .where("id", "=", experimentId)
    .forUpdate()
    .execute();
}

/** Writes runs that are not there yet, with their scores, in a transaction. @returns how many were new. */
export async function insertRuns(transaction: Query, of: OfExperiment, runs: readonly NewRun[]): Promise<number> {
  const rows = runs.map(({ run, checks }) => ({
    ...keysOf(of),
    item_id: run.item_id,
    repetition: run.repetition,
    attempt: run.attempt,
    state: run.state,
    output: JSON.stringify(run.output),
    error: run.error,
    trace_id: run.trace_id,
    started_at: run.started_at === null ? null : new Date(run.started_at),
    duration_ms: run.duration_ms,
    checks: checks === null ? null : JSON.stringify(checks),
  }));
  const added = await transaction
    .insertInto("observability.experiment_runs")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["item_id", "repetition", "attempt"])
    .execute();
  const isNew = new Set(added.map(keyOf));
  const fresh = runs.filter(({ run }) => isNew.has(keyOf(run)));
  await insertScores(
    transaction,
    of,
    fresh.flatMap((each) => [...scoresOf(each.run), ...scoreChecks(each.run, each.checks)]),
  );
  await sql`
    update observability.experiment_runs as run set is_newest = false
    where run.project_id = ${of.projectId}::uuid and run.experiment_id = ${of.experimentId}::uuid and run.is_newest
      and run.item_id = any(${fresh.map(({ run }) => run.item_id)}::uuid[])
      and exists (select from observability.experiment_runs as later where later.project_id = run.project_id
        and later.experiment_id = run.experiment_id and later.item_id = run.item_id and later.repetition = run.repetition
        and later.attempt > run.attempt)`.execute(transaction);
  return added.length;
}

type Scored = RunKey & Pick<ReportedRun, "scores">;

/** Adds scores to runs; one that has a value stays as it is. @returns how many were written. */
export async function addToScores(transaction: Query, of: OfExperiment, runs: readonly Scored[]): Promise<number> {
  // One statement writes no row twice.
  const scores = new Map(
    runs.flatMap((run) => scoresOf(run).map((score) => [`${keyOf(run)} ${score.evaluator_version} ${score.name}`, score])),
  );
  if (scores.size === 0) {
    return 0;
  }
  const written = await transaction
    .insertInto("observability.run_scores")
    .values([...scores.values()].map((score) => ({ ...keysOf(of), ...score })))
    .onConflict((conflict) =>
      conflict
        .columns(["project_id", "experiment_id", "item_id", "repetition", "attempt", "source", "name", "evaluator_version"])
        .doUpdateSet((row) => ({
          value: row.ref("excluded.value"),
          is_boolean: row.ref("excluded.is_boolean"),
          explanation: row.ref("excluded.explanation"),
          error: row.ref("excluded.error"),
        }))
        .where("observability.run_scores.value", "is", null),
    )
    .returning("item_id")
    .execute();
  return written.length;
}

/** Those of the traces that went of late with the user whose they were. */
export async function findDeletedTraces(transaction: Query, projectId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ trace_id: string }>`
    select trace_id from observability.deleted_traces
    where project_id = ${projectId}::uuid and is_of_user and trace_id = any(${ids}::uuid[])`.execute(transaction);
  return new Set(rows.map((row) => row.trace_id));
}

/** Runs whose checks await the trace, in the order of their keys. */
export async function findUnchecked(query: Query, of: OfExperiment & { readonly limit: number }): Promise<readonly RunRow[]> {
  return readable(query, of).where("run.checks", "is", null).orderBy("run.item_id").orderBy("run.repetition").limit(of.limit).execute();
}

/** Traces of runs that are not known to have taken anything. */
export async function findUnmeasured(query: Query, of: OfExperiment & { readonly limit: number }): Promise<readonly string[]> {
  const rows = await readable(query, of)
    .clearSelect()
    .select("run.trace_id")
    .where("run.trace_id", "is not", null)
    .where("run.cost", "is", null)
    .where("run.tokens", "is", null)
    .limit(of.limit)
    .execute();
  return rows.flatMap((row) => row.trace_id ?? []);
}

/** What checks a run passed, unless somebody else wrote that meanwhile. */
export async function writeChecks(query: Query, of: OfExperiment, run: EndedRun, checks: readonly CheckResult[]): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("observability.experiment_runs")
      .set({ checks: JSON.stringify(checks) })
      .where("project_id", "=", of.projectId)
      .where("experiment_id", "=", of.experimentId)
      .where("item_id", "=", run.item_id)
      .where("repetition", "=", run.repetition)
      .where("attempt", "=", run.attempt)
      .where("checks", "is", null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) {
      await insertScores(transaction, of, scoreChecks(run, checks));
    }
  });
}

type RunPosition = { readonly itemId: string; readonly repetition: number };

/** The newest attempts, by item and repetition. */
export async function listRuns(
  query: Query,
  wanted: OfExperiment & { readonly itemIds?: readonly string[]; readonly after: RunPosition | undefined; readonly limit: number },
): Promise<readonly RunRow[]> {
  let rows = readable(query, wanted);
  if (wanted.itemIds !== undefined) {
    rows = rows.where("run.item_id", "in", [...wanted.itemIds]);
  }
  if (wanted.after !== undefined) {
    rows = rows.where(sql<boolean>`(run.item_id, run.repetition) > (${wanted.after.itemId}::uuid, ${wanted.after.repetition}::int)`);
  }
  return rows.orderBy("run.item_id").orderBy("run.repetition").limit(wanted.limit).execute();
}

/** All scores of the newest attempts of these items. */
export async function listScores(query: Query, of: OfExperiment & { readonly itemIds: readonly string[] }): Promise<readonly ScoreRow[]> {
  return query
    .selectFrom("observability.run_scores as score")
    .selectAll("score")
    .where("score.project_id", "=", of.projectId)
    .where("score.experiment_id", "=", of.experimentId)
    .where("score.item_id", "in", [...of.itemIds])
    .where(OF_NEWEST_ATTEMPT)
    .where(hasRoleIn(of.reader, "viewer", of.projectId))
    .orderBy("score.name")
    .execute();
}

function readable(query: Query, { projectId, reader, experimentId }: OfExperiment) {
  return query
    .selectFrom("observability.experiment_runs as run")
    .selectAll("run")
    .where("run.project_id", "=", projectId)
    .where("run.experiment_id", "=", experimentId)
    .where("run.is_newest", "=", true)
    .where(hasRoleIn(reader, "viewer", projectId));
}

type NewScore = Omit<ScoreRow, "text_value">;

async function insertScores(transaction: Query, of: OfExperiment, scores: readonly NewScore[]): Promise<void> {
  if (scores.length > 0) {
    await transaction
      .insertInto("observability.run_scores")
      .values(scores.map((score) => ({ ...keysOf(of), ...score })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

function scoresOf(run: Scored): readonly NewScore[] {
  return run.scores.map(({ value, ...score }) => ({
    item_id: run.item_id,
    repetition: run.repetition,
    attempt: run.attempt,
    source: "application",
    ...score,
    value: typeof value === "boolean" ? Number(value) : value,
    is_boolean: typeof value === "boolean",
    error: value === null ? (score.error ?? "the evaluator gave no value") : score.error,
  }));
}

/** One score of all checks, which is missing when one could not be evaluated, and 0 whatever they say when the run failed. An item without checks has none. */
function scoreChecks(
  { item_id: itemId, repetition, attempt, state }: EndedRun,
  checks: readonly CheckResult[] | null,
): readonly NewScore[] {
  if (checks === null || checks.length === 0) {
    return [];
  }
  const failing = checks.filter(({ passed }) => passed === false);
  const unknown = checks.filter(({ passed }) => passed === null);
  const name = (results: readonly CheckResult[]) => withoutNul(results.map((check) => `${check.name}: ${check.reason}`).join("\n"));
  const hasFailed = state === "failed" || failing.length > 0;
  const value = hasFailed ? 0 : unknown.length > 0 ? null : 1;
  return [
    {
      item_id: itemId,
      repetition,
      attempt,
      source: "check",
      name: ITEM_CHECKS,
      evaluator_version: "1",
      value,
      is_boolean: true,
      explanation: hasFailed ? name(failing) || "the run failed" : null,
      error: value === null ? name(unknown) : null,
    },
  ];
}

const keysOf = ({ projectId, experimentId }: OfExperiment) => ({ project_id: projectId, experiment_id: experimentId });
const keyOf = (run: RunKey) => `${run.item_id} ${run.repetition} ${run.attempt}`;
/** PostgreSQL's text holds no NUL, which an output that is quoted may have. */
const withoutNul = (text: string) => text.replaceAll("\0", "�");
