import { sql, type RawBuilder } from "kysely";
import type { NextPair } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject, type ProjectRole } from "#store/reader.ts";

/** Two experiments over one dataset. */
export type OfPair = InProject & { readonly experimentId: string; readonly baselineId: string };

/** Characters of a JSON text that are shown to people. */
const SHOWN = 20_000;

/** Runs that both have of the same revision of an item and the same repetition, as `run` and `other`. */
export function pairedRuns({ projectId, reader, experimentId, baselineId }: OfPair, role: ProjectRole): RawBuilder<unknown> {
  return sql`observability.experiment_runs as run
    join observability.experiment_runs as other on other.project_id = run.project_id and other.experiment_id = ${baselineId}::uuid
      and other.item_id = run.item_id and other.repetition = run.repetition and other.is_newest and other.state <> 'missing'
    join observability.experiments as experiment on experiment.project_id = run.project_id and experiment.id = run.experiment_id
    join observability.experiments as baseline on baseline.project_id = run.project_id and baseline.id = other.experiment_id
      and baseline.dataset_id = experiment.dataset_id
    join observability.item_revisions as item on item.project_id = run.project_id and item.dataset_id = experiment.dataset_id and item.item_id = run.item_id
      and item.version <= least(experiment.dataset_version, baseline.dataset_version)
      and (item.until_version is null or item.until_version > greatest(experiment.dataset_version, baseline.dataset_version))
    where run.project_id = ${projectId}::uuid and run.experiment_id = ${experimentId}::uuid and run.is_newest and run.state <> 'missing'
      and item.redacted_at is null and ${hasRoleIn(reader, role, projectId)}`;
}

const isOfPair = ({ projectId, experimentId: one, baselineId: other }: OfPair) => sql`preference.project_id = ${projectId}::uuid
  and preference.newer_id = greatest(${one}::uuid, ${other}::uuid) and preference.older_id = least(${one}::uuid, ${other}::uuid)`;

/** How many items both have, and for how many a person has answered. */
export async function countPairs(query: Query, pair: OfPair, author: string | null): Promise<Pick<NextPair, "items" | "answered">> {
  const { rows } = await sql<Pick<NextPair, "items" | "answered">>`
    select count(distinct run.item_id)::int as items, (
      select count(*)::int from observability.preferences as preference
      where ${isOfPair(pair)} and preference.author = ${author}::text and preference.source = 'person'
    ) as answered
    from ${pairedRuns(pair, "viewer")}`.execute(query);
  return rows[0] ?? { items: 0, answered: 0 };
}

type Shown = NonNullable<NextPair["pair"]>;
type Found = Pick<Shown, "item_id" | "input" | "expected"> & { readonly own: Shown["first"]; readonly other: Shown["first"] };

/** The first item that a person has not answered for, in an order that is chance and stays, so that as many as they answer for are a sample. */
export async function findNext(query: Query, pair: OfPair, author: string): Promise<Found | undefined> {
  const side = (run: "run" | "other") =>
    sql`json_build_object('state', ${sql.ref(`${run}.state`)}, 'output', left(${sql.ref(`${run}.output`)}::text, ${SHOWN}), 'error', ${sql.ref(`${run}.error`)})`;
  // Apart from what is shown, which would be read of all pairs before they are put in order.
  const { rows: found } = await sql<{ item_id: string; repetition: number }>`
    select run.item_id, run.repetition from ${pairedRuns(pair, "editor")} and not exists (
      select from observability.preferences as preference
      where ${isOfPair(pair)} and preference.item_id = run.item_id and preference.author = ${author}::text and preference.source = 'person'
    )
    order by md5(concat_ws(' ', run.item_id, run.repetition, ${author}::text)) limit 1`.execute(query);
  const [chosen] = found;
  if (chosen === undefined) {
    return undefined;
  }
  const { rows } = await sql<Found>`
    select run.item_id, left(item.input::text, ${SHOWN}) as input, left(item.expected::text, ${SHOWN}) as expected, ${side("run")} as own,
      ${side("other")} as other
    from ${pairedRuns(pair, "editor")} and run.item_id = ${chosen.item_id}::uuid and run.repetition = ${chosen.repetition}::int`.execute(
    query,
  );
  return rows[0];
}

/** Whether both have runs of the item with contents, which nobody takes away until the transaction ends. */
export async function holdPair(transaction: Query, pair: OfPair, itemId: string): Promise<boolean> {
  const { rows } = await sql`select from ${pairedRuns(pair, "editor")} and run.item_id = ${itemId}::uuid for share of run, other`.execute(
    transaction,
  );
  return rows.length > 0;
}

export type Preference = {
  readonly item_id: string;
  readonly source: "person" | "judge";
  readonly author: string;
  readonly version: number;
  readonly repetition: number;
  readonly is_swapped: boolean;
  /** An experiment; null: a tie, or skipped. */
  readonly preferred: string | null;
  readonly is_skipped: boolean;
};

type Written = Preference & { readonly reason: string | null };

/** A judge's replaces what it said before. @returns false where the person has answered before, whatever it was. */
export async function writePreference(transaction: Query, { projectId, experimentId, baselineId }: OfPair, row: Written): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into observability.preferences as row (project_id, newer_id, older_id, item_id, source, author, version, repetition, is_swapped, preferred,
      is_skipped, reason)
    values (${projectId}::uuid, greatest(${experimentId}::uuid, ${baselineId}::uuid), least(${experimentId}::uuid, ${baselineId}::uuid),
      ${row.item_id}::uuid, ${row.source}::text, ${row.author}::text, ${row.version}::int, ${row.repetition}::int, ${row.is_swapped}::boolean,
      ${row.preferred}::uuid, ${row.is_skipped}::boolean, ${row.reason}::text)
    on conflict (project_id, newer_id, older_id, item_id, author, version, repetition, is_swapped) do update
      set preferred = excluded.preferred, reason = excluded.reason where row.source = 'judge' and excluded.source = 'judge'`.execute(
    transaction,
  );
  return numAffectedRows > 0n;
}

/** All answers, with the clusters of their items. */
export async function listPreferences(query: Query, pair: OfPair): Promise<readonly (Preference & { readonly cluster: string | null })[]> {
  const { rows } = await sql<Preference & { cluster: string | null }>`
    select preference.item_id, preference.source, preference.author, preference.version, preference.repetition, preference.is_swapped,
      preference.preferred, preference.is_skipped, item.cluster
    from observability.preferences as preference
    join observability.experiments as experiment on experiment.project_id = preference.project_id and experiment.id = preference.newer_id
    join observability.item_revisions as item on item.project_id = preference.project_id and item.dataset_id = experiment.dataset_id
      and item.item_id = preference.item_id and item.version <= experiment.dataset_version
      and (item.until_version is null or item.until_version > experiment.dataset_version)
    where ${isOfPair(pair)} and ${hasRoleIn(pair.reader, "viewer", pair.projectId)}
    order by preference.item_id, preference.repetition, preference.is_swapped, preference.author`.execute(query);
  return rows;
}
