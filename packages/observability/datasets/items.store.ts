import { sql, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

export type ItemRow = Omit<Selectable<ObservabilitySchema["observability.item_revisions"]>, "project_id" | "dataset_id">;
type Version = Selectable<ObservabilitySchema["observability.dataset_versions"]>;
type OfDataset = InProject & { readonly datasetId: string };

/** Items of one version, in the order of their ids, which is the one in which they were added. */
export async function listItems(
  query: Query,
  wanted: OfDataset & {
    readonly version: number;
    readonly split: string | null;
    readonly after: string | undefined;
    readonly limit: number;
  },
): Promise<readonly ItemRow[]> {
  let rows = ofVersion(query, wanted).selectAll("item");
  if (wanted.after !== undefined) {
    rows = rows.where("item.item_id", ">", wanted.after);
  }
  return rows.orderBy("item.item_id").limit(wanted.limit).execute();
}

/** Items that can be run: those of which something is left. */
export async function countItems(
  query: Query,
  wanted: OfDataset & { readonly version: number; readonly split: string | null },
): Promise<number> {
  const row = await ofVersion(query, wanted)
    .select(sql<number>`count(*)::int`.as("count"))
    .where("item.redacted_at", "is", null)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Bytes of the inputs of those items. */
export async function sizeOfInputs(query: Query, wanted: Parameters<typeof countItems>[1]): Promise<number> {
  const row = await ofVersion(query, wanted)
    .select(sql<number>`coalesce(sum(octet_length(item.input::text)), 0)::double precision`.as("bytes"))
    .where("item.redacted_at", "is", null)
    .executeTakeFirstOrThrow();
  return row.bytes;
}

/** Items of a version by their ids; those that it lacks are left out. */
export async function findItems(
  query: Query,
  wanted: OfDataset & { readonly version: number; readonly split: string | null; readonly ids: readonly string[] },
): Promise<readonly ItemRow[]> {
  return ofVersion(query, wanted)
    .selectAll("item")
    .where("item.item_id", "in", [...wanted.ids])
    .execute();
}

/** The item of a version that was made of a trace, or that it ran in an experiment. */
export async function findItemOfTrace(
  query: Query,
  { traceId, ...wanted }: OfDataset & { readonly version: number; readonly traceId: string },
): Promise<ItemRow | undefined> {
  const ran = sql<string>`(
    select run.item_id from observability.experiment_runs as run
    join observability.experiments as experiment on experiment.project_id = run.project_id and experiment.id = run.experiment_id
    where run.project_id = ${wanted.projectId}::uuid and run.trace_id = ${traceId}::uuid and experiment.dataset_id = ${wanted.datasetId}::uuid
  )`;
  return ofVersion(query, { ...wanted, split: null })
    .selectAll("item")
    .where("item.redacted_at", "is", null)
    .where((where) => where.or([where("item.trace_id", "=", traceId), where("item.item_id", "in", ran)]))
    .executeTakeFirst();
}

/** The same; until the transaction ends nobody redacts them. */
export async function lockItems(transaction: Query, wanted: Parameters<typeof findItems>[1]): Promise<readonly ItemRow[]> {
  return ofVersion(transaction, wanted)
    .selectAll("item")
    .where("item.item_id", "in", [...wanted.ids])
    .orderBy("item.item_id")
    .forShare()
    .execute();
}

/** Ids of items of which a revision began or ended between two versions, in their order. */
export async function listTouched(
  query: Query,
  {
    projectId,
    reader,
    datasetId,
    between: [first, last],
    after,
    limit,
  }: OfDataset & { readonly between: readonly [number, number]; readonly after: string | undefined; readonly limit: number },
): Promise<readonly { readonly item_id: string }[]> {
  return query
    .selectFrom("observability.item_revisions")
    .select("item_id")
    .distinct()
    .where("project_id", "=", projectId)
    .where("dataset_id", "=", datasetId)
    .where(hasRoleIn(reader, "viewer", projectId))
    .where((where) =>
      where.or([
        where.and([where("version", ">", first), where("version", "<=", last)]),
        where.and([where("until_version", ">", first), where("until_version", "<=", last)]),
      ]),
    )
    .$if(after !== undefined, (rows) => rows.where("item_id", ">", after ?? ""))
    .orderBy("item_id")
    .limit(limit)
    .execute();
}

/** Newest first. */
export async function listVersions(
  query: Query,
  { projectId, reader, datasetId, before, limit }: OfDataset & { readonly before: number | undefined; readonly limit: number },
): Promise<readonly Version[]> {
  let rows = query
    .selectFrom("observability.dataset_versions")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("dataset_id", "=", datasetId)
    .where(hasRoleIn(reader, "viewer", projectId));
  if (before !== undefined) {
    rows = rows.where("version", "<", before);
  }
  return rows.orderBy("version", "desc").limit(limit).execute();
}

function ofVersion(
  query: Query,
  { projectId, reader, datasetId, version, split }: OfDataset & { readonly version: number; readonly split: string | null },
) {
  const rows = query
    .selectFrom("observability.item_revisions as item")
    .where("item.project_id", "=", projectId)
    .where("item.dataset_id", "=", datasetId)
    .where("item.version", "<=", version)
    .where((where) => where.or([where("item.until_version", "is", null), where("item.until_version", ">", version)]))
    .where(hasRoleIn(reader, "viewer", projectId));
  return split === null ? rows : rows.where("item.split", "=", split);
}
