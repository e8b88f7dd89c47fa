import type { WriteItem } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type OneInProject } from "#store/reader.ts";

export type NewRevision = { readonly item: WriteItem; readonly id: string; readonly content: string; readonly revision: string };
type NewestItem = { readonly item_id: string; readonly version: number; readonly content_hash: string; readonly revision_hash: string };

/** Nobody else makes a version until the transaction ends. */
export async function lockDataset(transaction: Query, { projectId, reader, id }: OneInProject) {
  return transaction
    .selectFrom("observability.datasets as dataset")
    .select(["dataset.version", "dataset.items", "dataset.input_schema", "dataset.expected_schema"])
    .where("dataset.project_id", "=", projectId)
    .where("dataset.id", "=", id)
    .where(hasRoleIn(reader, "editor", projectId))
    .forUpdate()
    .executeTakeFirst();
}

type Wanted = {
  readonly projectId: string;
  readonly datasetId: string;
  readonly ids: readonly string[];
  readonly contents: readonly string[];
};

/** Items of the newest version with these ids or contents. */
export async function findNewest(transaction: Query, { projectId, datasetId, ids, contents }: Wanted): Promise<readonly NewestItem[]> {
  return transaction
    .selectFrom("observability.item_revisions")
    .select(["item_id", "version", "content_hash", "revision_hash"])
    .where("project_id", "=", projectId)
    .where("dataset_id", "=", datasetId)
    .where("until_version", "is", null)
    .where((where) =>
      where.or([
        ...(ids.length === 0 ? [] : [where("item_id", "in", [...ids])]),
        ...(contents.length === 0 ? [] : [where("content_hash", "in", [...contents])]),
      ]),
    )
    .execute();
}

type NewRevisions = OneInProject & {
  readonly version: number;
  readonly revisions: readonly NewRevision[];
  /** Items whose newest revision ends. */
  readonly ended: readonly string[];
};

/** A part of a version that the same transaction inserts in the end. */
export async function insertRevisions(transaction: Query, { projectId, id, version, revisions, ended }: NewRevisions): Promise<void> {
  if (ended.length > 0) {
    await transaction
      .updateTable("observability.item_revisions")
      .set({ until_version: version })
      .where("project_id", "=", projectId)
      .where("dataset_id", "=", id)
      .where("until_version", "is", null)
      .where("item_id", "in", [...ended])
      .execute();
  }
  if (revisions.length > 0) {
    const rows = revisions.map(({ item, id: itemId, content, revision }) => ({
      project_id: projectId,
      dataset_id: id,
      item_id: itemId,
      version,
      until_version: null,
      input: JSON.stringify(item.input),
      expected: JSON.stringify(item.expected),
      checks: JSON.stringify(item.checks),
      metadata: JSON.stringify(item.metadata),
      split: item.split,
      subject: item.subject,
      cluster: item.cluster,
      is_required: item.required,
      source: JSON.stringify(item.source),
      trace_id: item.source?.trace_id ?? null,
      content_hash: content,
      revision_hash: revision,
    }));
    await transaction.insertInto("observability.item_revisions").values(rows).execute();
  }
}

type NewVersion = OneInProject & {
  readonly version: number;
  readonly counts: { readonly added: number; readonly changed: number; readonly deleted: number };
  readonly items: number;
  readonly author: string;
  readonly reason: string;
  readonly now: Date;
};

export async function insertVersion(transaction: Query, { projectId, id, version, now, ...made }: NewVersion): Promise<void> {
  const { author, reason, counts } = made;
  await transaction
    .insertInto("observability.dataset_versions")
    .values({ project_id: projectId, dataset_id: id, version, author, reason, made_at: now, ...counts })
    .execute();
  await transaction
    .updateTable("observability.datasets")
    .set({ version, items: made.items, changed_at: now })
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .execute();
}
