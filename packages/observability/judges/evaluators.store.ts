import { sql, type Selectable } from "kysely";
import { MAX_EVALUATORS_OF_PROJECT, type EvaluatorDefinition } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";
import { noteLiveRules } from "./rules.store.ts";

type Row = Selectable<ObservabilitySchema["observability.evaluators"]>;
export type EvaluatorRow = Row & { readonly definition: EvaluatorDefinition };
export type VersionRow = Omit<Selectable<ObservabilitySchema["observability.evaluator_versions"]>, "project_id" | "evaluator_id">;

/** By name, each with its newest version. */
export async function listEvaluators(query: Query, wanted: InProject): Promise<readonly EvaluatorRow[]> {
  return visible(query, wanted).orderBy("evaluator.name").limit(MAX_EVALUATORS_OF_PROJECT).execute();
}

export async function findEvaluator(query: Query, { id, ...wanted }: OneInProject): Promise<EvaluatorRow | undefined> {
  return visible(query, wanted).where("evaluator.id", "=", id).executeTakeFirst();
}

/** Newest first. */
export async function listVersions(query: Query, { projectId, reader, id }: OneInProject): Promise<readonly VersionRow[]> {
  return query
    .selectFrom("observability.evaluator_versions as made")
    .select(["made.version", "made.definition", "made.author", "made.made_at"])
    .where("made.project_id", "=", projectId)
    .where("made.evaluator_id", "=", id)
    .where(hasRoleIn(reader, "viewer", projectId))
    .orderBy("made.version", "desc")
    .limit(200)
    .execute();
}

type Writing = OneInProject & { readonly definition: EvaluatorDefinition; readonly author: string };

/** @returns false when the reader may not, the name is taken, or there are {@link MAX_EVALUATORS_OF_PROJECT}. */
export async function insertEvaluator(
  query: Query,
  { projectId, reader, id, name, ...version }: Writing & { readonly name: string },
): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { rows } = await sql`
      insert into observability.evaluators (id, project_id, name, version, created_by)
      select ${id}::uuid, ${projectId}::uuid, ${name}::text, 1, ${version.author}::text
      where ${hasRoleIn(reader, "editor", projectId)}
        and (select count(*) from observability.evaluators where project_id = ${projectId}::uuid) < ${MAX_EVALUATORS_OF_PROJECT}
      on conflict (project_id, name) do nothing
      returning id`.execute(transaction);
    if (rows.length > 0) {
      await insertVersion(transaction, { projectId, id, version: 1, ...version });
    }
    return rows.length > 0;
  });
}

/** @returns whether there is such an evaluator that the reader may change. */
export async function addVersion(query: Query, { projectId, reader, id, ...made }: Writing): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const changed = await transaction
      .updateTable("observability.evaluators as evaluator")
      .set({ version: sql<number>`evaluator.version + 1` })
      .where("evaluator.project_id", "=", projectId)
      .where("evaluator.id", "=", id)
      .where(hasRoleIn(reader, "editor", projectId))
      .returning("evaluator.version")
      .executeTakeFirst();
    if (changed !== undefined) {
      await insertVersion(transaction, { projectId, id, version: changed.version, ...made });
    }
    return changed !== undefined;
  });
}

type NewVersion = Pick<Writing, "projectId" | "id" | "definition" | "author"> & { readonly version: number };

async function insertVersion(query: Query, { projectId, id, version, definition, author }: NewVersion): Promise<void> {
  await query
    .insertInto("observability.evaluator_versions")
    .values({ project_id: projectId, evaluator_id: id, version, definition: JSON.stringify(definition), author })
    .execute();
}

/** With its rules; the scores it gave stay, and by what became of each trace it is known what goes with the trace: its judge's, which quotes it. */
export async function deleteEvaluator(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom("observability.evaluators as evaluator")
      .where("evaluator.project_id", "=", projectId)
      .where("evaluator.id", "=", id)
      .where(hasRoleIn(reader, "editor", projectId))
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) {
      const isOfIt = sql`project_id = ${projectId}::uuid and evaluator_id = ${id}::uuid`;
      await sql`delete from observability.judgements where ${isOfIt} and judge_traces = '{}'`.execute(transaction);
      await sql`
        update observability.judgements set state = 'skipped', reason = 'the evaluator was deleted', claim = null, ended_at = now()
        where ${isOfIt} and state = 'waiting'`.execute(transaction);
      await noteLiveRules(transaction, projectId);
    }
    return numDeletedRows > 0n;
  });
}

function visible(query: Query, { projectId, reader }: InProject) {
  return query
    .selectFrom("observability.evaluators as evaluator")
    .innerJoin("observability.evaluator_versions as made", (join) =>
      join.onRef("made.evaluator_id", "=", "evaluator.id").onRef("made.version", "=", "evaluator.version"),
    )
    .selectAll("evaluator")
    .select("made.definition")
    .where("evaluator.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId));
}
