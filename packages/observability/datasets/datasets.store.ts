import { sql, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { deleteComments } from "#store/comments.store.ts";
import { forgetJudgements } from "#store/forget-judgements.store.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";

export type DatasetRow = Omit<Selectable<ObservabilitySchema["observability.datasets"]>, "project_id">;

/** Datasets that a project may have. */
export const MAX_DATASETS = 1_000;

const columns = [
  "dataset.id",
  "dataset.name",
  "dataset.description",
  "dataset.version",
  "dataset.items",
  "dataset.input_schema",
  "dataset.expected_schema",
  "dataset.created_by",
  "dataset.created_at",
  "dataset.changed_at",
] as const;

type Fields = { readonly name: string; readonly description: string; readonly input_schema: string; readonly expected_schema: string };
/** Schemas are JSON texts. */
export type DatasetChange = Partial<Fields>;

/** @returns false when the reader may not, the name is taken, or there are {@link MAX_DATASETS}. */
export async function insertDataset(
  query: Query,
  { projectId, reader, id, ...dataset }: OneInProject & Fields & { readonly author: string; readonly now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.datasets (project_id, id, name, description, input_schema, expected_schema, created_by, created_at, changed_at)
    select ${projectId}::uuid, ${id}::uuid, ${dataset.name}::text, ${dataset.description}::text, ${dataset.input_schema}::json,
      ${dataset.expected_schema}::json, ${dataset.author}::text, ${dataset.now}::timestamptz, ${dataset.now}::timestamptz
    where ${hasRoleIn(reader, "editor", projectId)}
      and (select count(*) from observability.datasets where project_id = ${projectId}) < ${MAX_DATASETS}
    on conflict (project_id, name) do nothing
    returning id`.execute(query);
  return rows.length > 0;
}

/** Newest change first. */
export async function listDatasets(
  query: Query,
  wanted: InProject & { readonly name: string | undefined; readonly after: Position | undefined; readonly limit: number },
): Promise<readonly (DatasetRow & { readonly position: string })[]> {
  let rows = visible(query, wanted).select(selectMicros("dataset.created_at").as("position"));
  if (wanted.name !== undefined) {
    rows = rows.where("dataset.name", "=", wanted.name);
  }
  if (wanted.after !== undefined) {
    rows = rows.where(isAfter("dataset.created_at", "dataset.id", wanted.after));
  }
  return rows.orderBy("dataset.created_at", "desc").orderBy("dataset.id", "desc").limit(wanted.limit).execute();
}

export async function findDataset(query: Query, { id, ...reading }: OneInProject): Promise<DatasetRow | undefined> {
  return visible(query, reading).where("dataset.id", "=", id).executeTakeFirst();
}

/** Changes the fields that are given. @returns whether there is such a dataset that the reader may change. */
export async function changeDataset(
  query: Query,
  { projectId, reader, id }: OneInProject,
  change: DatasetChange,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("observability.datasets as dataset")
    .set({ ...change, changed_at: now })
    .where("dataset.project_id", "=", projectId)
    .where("dataset.id", "=", id)
    .where(hasRoleIn(reader, "editor", projectId))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Deletes it with its items, and its experiments with their runs. @returns whether there was one that the reader may change. */
/** Whether it is there for an editor; nobody deletes it until the transaction ends. */
export async function holdDataset(transaction: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  const { rows } = await sql`
    select from observability.datasets where project_id = ${projectId}::uuid and id = ${id}::uuid and ${hasRoleIn(reader, "editor", projectId)}
    for key share`.execute(transaction);
  return rows.length > 0;
}

export async function deleteDataset(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom("observability.datasets as dataset")
      .where("dataset.project_id", "=", projectId)
      .where("dataset.id", "=", id)
      .where(hasRoleIn(reader, "editor", projectId))
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) {
      return false;
    }
    const ofDataset = async (table: string) => {
      await sql`delete from ${sql.table(`observability.${table}`)} where project_id = ${projectId}::uuid and dataset_id = ${id}::uuid`.execute(
        transaction,
      );
    };
    // Who reports runs holds the items: once these are gone, no more runs come.
    await ofDataset("item_revisions");
    const gone = sql<boolean>`project_id = ${projectId}::uuid and experiment_id in (
      select experiment.id from observability.experiments as experiment where experiment.project_id = ${projectId}::uuid and experiment.dataset_id = ${id}::uuid)`;
    await sql`delete from observability.run_scores where ${gone}`.execute(transaction);
    await sql`
      delete from observability.preferences where project_id = ${projectId}::uuid and newer_id in (
        select id from observability.experiments where project_id = ${projectId}::uuid and dataset_id = ${id}::uuid)`.execute(transaction);
    await forgetJudgements(transaction, { projectId, isOfUser: false }, gone);
    await sql`delete from observability.experiment_runs where ${gone}`.execute(transaction);
    await deleteComments(
      transaction,
      projectId,
      sql`(comment.within_id = ${id}::uuid or comment.within_id in (
        select experiment.id from observability.experiments as experiment
        where experiment.project_id = ${projectId}::uuid and experiment.dataset_id = ${id}::uuid))`,
    );
    await ofDataset("experiments");
    await ofDataset("dataset_versions");
    return true;
  });
}

function visible(query: Query, { projectId, reader }: InProject) {
  return query
    .selectFrom("observability.datasets as dataset")
    .select(columns)
    .where("dataset.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId));
}
