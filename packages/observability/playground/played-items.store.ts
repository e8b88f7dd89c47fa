import { sql } from "kysely";
import { NOBODY } from "#judges/judgements.store.ts";
import type { OfExperiment } from "#experiments/runs.store.ts";
import type { PlaygroundRequest } from "#contract.ts";
import type { Query } from "#schema.ts";

/*
 * Items that a model is asked of wait among what is to be judged (`judges/judgements.store.ts`): under the experiment's id as their rule, with nobody
 * as their evaluator. They are taken, tried again and settled as judgements are, so a replica that is killed leaves none behind. When the last one
 * has its run there is one more, without an item: to end the experiment once its traces have arrived.
 */

/** Traces are on their way for about so long. */
const ARRIVAL_SECONDS = 3;

export type Played = { readonly datasetId: string; readonly version: number; readonly split: string | null };

/** All items of an experiment that has just begun, in the transaction that began it. @returns how many they are. */
export async function insertItems(transaction: Query, of: OfExperiment, { datasetId, version, split }: Played): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into observability.judgements (project_id, rule_id, evaluator_id, subject, experiment_id, item_id, repetition, attempt)
    select item.project_id, ${of.experimentId}::uuid, ${NOBODY}::uuid, concat(item.item_id, ' 0 1'), ${of.experimentId}::uuid, item.item_id, 0, 1
    from observability.item_revisions as item
    where item.project_id = ${of.projectId}::uuid and item.dataset_id = ${datasetId}::uuid and item.version <= ${version}::int
      and (item.until_version is null or item.until_version > ${version}::int) and item.redacted_at is null
      and (${split}::text is null or item.split = ${split}::text)`.execute(transaction);
  return Number(numAffectedRows);
}

/** Whether the item has contents, which nobody takes away until the transaction ends. */
export async function holdItem(transaction: Query, { projectId, experimentId }: OfExperiment, itemId: string): Promise<boolean> {
  const { rows } = await sql`
    select from observability.item_revisions as item
    join observability.experiments as experiment on experiment.project_id = item.project_id and experiment.dataset_id = item.dataset_id
    where item.project_id = ${projectId}::uuid and experiment.id = ${experimentId}::uuid and item.item_id = ${itemId}::uuid
      and item.version <= experiment.dataset_version and (item.until_version is null or item.until_version > experiment.dataset_version)
      and item.redacted_at is null for share of item`.execute(transaction);
  return rows.length > 0;
}

/** Has the experiment ended by whoever takes this. */
export async function insertEnd(transaction: Query, { projectId, experimentId }: OfExperiment): Promise<void> {
  await sql`
    insert into observability.judgements (project_id, rule_id, evaluator_id, subject, experiment_id, due_at)
    values (${projectId}::uuid, ${experimentId}::uuid, ${NOBODY}::uuid, 'end', ${experimentId}::uuid, now() + ${ARRIVAL_SECONDS} * interval '1 second')
    on conflict do nothing`.execute(transaction);
}

export type RunningCall = Played & { readonly author: string; readonly call: PlaygroundRequest };

/** The question that is asked with each item; undefined once the experiment has ended, or is gone. */
export async function findRunningCall(query: Query, { projectId, experimentId }: OfExperiment): Promise<RunningCall | undefined> {
  const { rows } = await sql<RunningCall>`
    select dataset_id as "datasetId", dataset_version as version, split, author, call from observability.experiments
    where project_id = ${projectId}::uuid and id = ${experimentId}::uuid and call is not null`.execute(query);
  return rows[0];
}
