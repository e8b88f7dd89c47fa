import { sql, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";

type Row = Selectable<ObservabilitySchema["observability.experiments"]>;
export type ExperimentRow = Omit<Row, "project_id" | "call"> & {
  readonly dataset: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly missing: number;
  readonly unchecked: number;
  readonly cost: number | null;
};
type NewExperiment = OneInProject &
  Omit<Row, "project_id" | "state" | "ended_at" | "means" | "gate" | "config" | "call" | "evaluators"> & {
    /** JSON texts. */
    readonly config: string;
    readonly call?: string | undefined;
    readonly evaluators: string;
  };

export async function insertExperiment(query: Query, { projectId, reader, ...row }: NewExperiment): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.experiments (project_id, id, dataset_id, dataset_version, split, name, branch, commit, is_dirty, config, call,
      repetitions, evaluators, author, created_at, items)
    select ${projectId}::uuid, ${row.id}::uuid, ${row.dataset_id}::uuid, ${row.dataset_version}::int, ${row.split}::text, ${row.name}::text,
      ${row.branch}::text, ${row.commit}::text, ${row.is_dirty}::boolean, ${row.config}::json, ${row.call ?? null}::json, ${row.repetitions}::int,
      ${row.evaluators}::json, ${row.author}::text, ${row.created_at}::timestamptz, ${row.items}::int
    where ${hasRoleIn(reader, "editor", projectId)}
    returning id`.execute(query);
  return rows.length > 0;
}

type Listing = InProject & {
  readonly datasetId: string | undefined;
  readonly branch: string | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
};

/** Newest first. */
export async function listExperiments(query: Query, wanted: Listing): Promise<readonly (ExperimentRow & { readonly position: string })[]> {
  let rows = visible(query, wanted).select(selectMicros("experiment.created_at").as("position"));
  if (wanted.datasetId !== undefined) {
    rows = rows.where("experiment.dataset_id", "=", wanted.datasetId);
  }
  if (wanted.branch !== undefined) {
    rows = rows.where("experiment.branch", "=", wanted.branch);
  }
  if (wanted.after !== undefined) {
    rows = rows.where(isAfter("experiment.created_at", "experiment.id", wanted.after));
  }
  return rows.orderBy("experiment.created_at", "desc").orderBy("experiment.id", "desc").limit(wanted.limit).execute();
}

export async function findExperiment(query: Query, { id, ...reading }: OneInProject): Promise<ExperimentRow | undefined> {
  return visible(query, reading).where("experiment.id", "=", id).executeTakeFirst();
}

/** The newest finished ones of a branch, of committed code and the same split, which a baseline is pooled of. */
export async function findBaseline(
  query: Query,
  wanted: InProject & {
    readonly datasetId: string;
    readonly branch: string;
    readonly split: string | null;
    readonly except: string;
    readonly before: Date;
    readonly limit: number;
  },
): Promise<readonly ExperimentRow[]> {
  return visible(query, wanted)
    .where("experiment.dataset_id", "=", wanted.datasetId)
    .where("experiment.branch", "=", wanted.branch)
    .where("experiment.state", "=", "finished")
    .where("experiment.is_dirty", "=", false)
    .where(sql<boolean>`experiment.split is not distinct from ${wanted.split}::text`)
    .where("experiment.id", "<>", wanted.except)
    .where("experiment.created_at", "<=", wanted.before)
    .orderBy("experiment.created_at", "desc")
    .limit(wanted.limit)
    .execute();
}

/** One that is finished stays so; one that was cancelled may be gone on with. */
export async function setState(
  query: Query,
  { projectId, reader, id, state, now }: OneInProject & { readonly state: Row["state"]; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("observability.experiments as experiment")
    // The question may quote a user, and is not needed any more.
    .set(state === "running" ? { state, ended_at: null } : { state, ended_at: now, call: null })
    .where("experiment.project_id", "=", projectId)
    .where("experiment.id", "=", id)
    .where("experiment.state", "<>", "finished")
    .where(hasRoleIn(reader, "editor", projectId))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Keeps what is known of an experiment beside its runs. */
export async function setResult(query: Query, { projectId, reader, id }: OneInProject, result: Partial<Pick<Row, "means" | "gate">>) {
  await query
    .updateTable("observability.experiments as experiment")
    .set(Object.fromEntries(Object.entries(result).map(([column, value]) => [column, JSON.stringify(value)])))
    .where("experiment.project_id", "=", projectId)
    .where("experiment.id", "=", id)
    .where(hasRoleIn(reader, "editor", projectId))
    .execute();
}

export async function setEvaluators(
  query: Query,
  { projectId, reader, id, evaluators }: OneInProject & Pick<Row, "evaluators">,
): Promise<void> {
  await query
    .updateTable("observability.experiments as experiment")
    .set({ evaluators: JSON.stringify(evaluators) })
    .where("experiment.project_id", "=", projectId)
    .where("experiment.id", "=", id)
    .where(hasRoleIn(reader, "editor", projectId))
    .execute();
}

function visible(query: Query, { projectId, reader }: InProject) {
  const runs = sql`from observability.experiment_runs as run
      where run.project_id = experiment.project_id and run.experiment_id = experiment.id and run.is_newest`;
  const counted = sql<{
    succeeded: number;
    failed: number;
    missing: number;
    cost: number | null;
  }>`(select count(*) filter (where run.state = 'succeeded')::int as succeeded,
      count(*) filter (where run.state = 'failed')::int as failed, count(*) filter (where run.state = 'missing')::int as missing, sum(run.cost) as cost ${runs})`;
  return query
    .selectFrom("observability.experiments as experiment")
    .innerJoin("observability.datasets as dataset", (join) =>
      join.onRef("dataset.project_id", "=", "experiment.project_id").onRef("dataset.id", "=", "experiment.dataset_id"),
    )
    .select([
      "experiment.id",
      "experiment.dataset_id",
      "experiment.dataset_version",
      "experiment.split",
      "experiment.name",
      "experiment.branch",
      "experiment.commit",
      "experiment.is_dirty",
      "experiment.config",
      "experiment.repetitions",
      "experiment.evaluators",
      "experiment.author",
      "experiment.state",
      "experiment.created_at",
      "experiment.ended_at",
      "experiment.items",
      "experiment.means",
      "experiment.gate",
      "dataset.name as dataset",
    ])
    .innerJoinLateral(counted.as("run"), (join) => join.onTrue())
    .select([
      "run.succeeded",
      "run.failed",
      "run.missing",
      "run.cost",
      sql<number>`(select count(*)::int ${runs} and run.checks is null)`.as("unchecked"),
    ])
    .where("experiment.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId));
}
