import { orRefuse, refusal } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";
import { createDemandUsable, type DemandUsable } from "#checks/demand-usable.ts";
import { compileSchema } from "#checks/json-schema.ts";
import type { WriteItem, WrittenItems } from "#contract.ts";
import type { Query } from "#schema.ts";
import type { OneInProject } from "#store/reader.ts";
import { datasetNotFound } from "./datasets.errors.ts";
import { hashContent, hashRevision } from "./hash-item.ts";
import { maskByRules } from "./mask-by-rules.ts";
import { maskItem } from "./mask-item.ts";
import { findNewest, insertRevisions, insertVersion, lockDataset, type NewRevision } from "./write-items.store.ts";

export type Making = OneInProject & { readonly reason: string; readonly author: string; readonly now: Date };
export type Written = WrittenItems["items"][number];
/** An item, what it is called when it is refused, and how long it is as JSON. */
export type NamedItem = { readonly item: WriteItem; readonly name: string; readonly characters: number };

/** What a version is filled with: items that were checked, batch by batch. */
export type Filling = {
  /** @throws {AppError} 400 which names the item that is too long, or does not fit the dataset's schemas. */
  readonly check: (item: WriteItem, name: string) => NamedItem;
  /** At most 1,000 items at once, each of which was checked. */
  readonly write: (items: readonly NamedItem[], deleted?: readonly string[]) => Promise<readonly Written[]>;
};

const MAX_ITEMS = 1_000_000;
const MAX_ITEM_CHARACTERS = 1024 * 1024;

/**
 * Makes one version of a dataset, however many items change; none when nothing does. Whoever else writes waits, and what fails leaves nothing.
 *
 * @throws {AppError} 404 when there is no such dataset; what `check` and `write` throw.
 */
export async function makeVersion<Result>(
  query: Query,
  making: Making,
  fill: (filling: Filling) => Promise<Result>,
): Promise<{ readonly version: number; readonly result: Result }> {
  return query.transaction().execute(async (transaction) => {
    const dataset = orRefuse(await lockDataset(transaction, making), datasetNotFound);
    const version = dataset.version + 1;
    const counts = { added: 0, changed: 0, deleted: 0 };
    const demandUsable = createDemandUsable();
    const result = await fill({
      check: createCheck(dataset, demandUsable),
      async write(items, deleted = []) {
        // A hash of what was masked would confirm a guess of it, so masking comes first; schemas are told of what was sent.
        const masked = await maskByRules(
          transaction,
          making.projectId,
          items,
          (named, masking) => ({ ...named, item: maskItem(named.item, masking, demandUsable) }),
          ({ name }) => `The item ${name}`,
        );
        const batch = await compareBatch(transaction, { ...making, version, items: masked.map(({ item }) => item), deleted });
        for (const { state } of batch.written) {
          if (state === "added" || state === "changed" || state === "deleted") {
            counts[state] += 1;
          }
        }
        if (dataset.items + counts.added - counts.deleted > MAX_ITEMS) {
          throw refusal(409, "dataset_full", `A dataset holds ${MAX_ITEMS} items at most. Delete some, or make another.`);
        }
        await insertRevisions(transaction, { ...making, version, ...batch });
        return batch.written;
      },
    });
    if (counts.added + counts.changed + counts.deleted === 0) {
      return { version: dataset.version, result };
    }
    await insertVersion(transaction, { ...making, version, counts, items: dataset.items + counts.added - counts.deleted });
    return { version, result };
  });
}

type Batch = OneInProject & { readonly version: number; readonly items: readonly WriteItem[]; readonly deleted: readonly string[] };

/** What becomes of each item, told by what the dataset has of it. */
async function compareBatch(transaction: Query, { projectId, id: datasetId, version, items, deleted }: Batch) {
  const ids = [...items.flatMap(({ id }) => id ?? []), ...deleted];
  const hashed = items.map((item) => ({ item, content: hashContent(projectId, item), revision: hashRevision(item) }));
  const newest = await findNewest(transaction, { projectId, datasetId, ids, contents: hashed.map(({ content }) => content) });
  const known = new Map(newest.map((item) => [item.item_id, item]));
  demandDistinct(ids, (id) => known.get(id)?.version === version);
  const byContent = new Map(newest.map((item) => [item.content_hash, item.item_id]));
  const revisions: NewRevision[] = [];
  const ofItems = hashed.map(({ item, content, revision }): Written => {
    const before = item.id === undefined ? undefined : known.get(item.id);
    const twin = byContent.get(content);
    const id = item.id ?? uuidv7();
    if (before?.revision_hash === revision) {
      return { id, state: "unchanged" };
    }
    if (twin !== undefined && twin !== before?.item_id && !deleted.includes(twin)) {
      return { id: twin, state: "duplicate", of: twin };
    }
    byContent.set(content, id);
    revisions.push({ item, id, content, revision });
    return { id, state: before === undefined ? "added" : "changed" };
  });
  const written = [...ofItems, ...deleted.map((id): Written => ({ id, state: known.has(id) ? "deleted" : "unknown" }))];
  return { written, revisions, ended: written.flatMap(({ id, state }) => (state === "changed" || state === "deleted" ? [id] : [])) };
}

function demandDistinct(ids: readonly string[], isWritten: (id: string) => boolean): void {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at || isWritten(id));
  if (twice !== undefined) {
    throw refusal(400, "invalid_request", `The item ${twice} is in the request twice; leave one out.`);
  }
}

type Dataset = NonNullable<Awaited<ReturnType<typeof lockDataset>>>;

function createCheck({ input_schema: input, expected_schema: expected }: Dataset, demandUsable: DemandUsable): Filling["check"] {
  const misfits = {
    input: input === null ? undefined : compileSchema(input, "input_schema"),
    expected: expected === null ? undefined : compileSchema(expected, "expected_schema"),
  };
  return (item, name) => {
    demandUsable(item.checks);
    const characters = JSON.stringify(item).length;
    if (characters > MAX_ITEM_CHARACTERS) {
      throw refusal(
        400,
        "item_too_long",
        `The item ${name} is longer than ${MAX_ITEM_CHARACTERS} characters of JSON. Nothing was written.`,
      );
    }
    for (const field of ["input", "expected"] as const) {
      const misfit = misfits[field]?.(item[field]);
      if (misfit !== undefined) {
        throw refusal(
          400,
          "schema_mismatch",
          `The ${field} of the item ${name} does not fit the dataset's schema: ${misfit}. Nothing was written.`,
        );
      }
    }
    return { item, name, characters };
  };
}
