import { orRefuse, refusal } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";
import type { JsonObject, WriteItem, WrittenItems } from "#contract.ts";
import type { Query } from "#schema.ts";
import type { OneInProject } from "#store/reader.ts";
import { hashContent, hashRevision } from "./hash-item.ts";
import { demandUsable } from "#checks/demand-usable.ts";
import { compileSchema } from "#checks/json-schema.ts";
import { datasetNotFound } from "./datasets.errors.ts";
import { maskByRules } from "./mask-by-rules.ts";
import { maskItem } from "./mask-item.ts";
import { findNewest, insertVersion, lockDataset, type NewRevision } from "./write-items.store.ts";

type Writing = OneInProject & {
  readonly items: readonly WriteItem[];
  readonly deleted: readonly string[];
  readonly reason: string;
  readonly author: string;
  readonly now: Date;
};
type Written = WrittenItems["items"][number];

const MAX_ITEMS = 1_000_000;
const MAX_ITEM_CHARACTERS = 1024 * 1024;

/**
 * Writes one version of a dataset, however many items change; none when nothing does. Whoever else writes waits.
 *
 * @throws {AppError} 404 when there is no such dataset; 400 which names the item that is too long, twice in the request, or does not fit the dataset's schemas.
 */
export async function writeItems(query: Query, writing: Writing): Promise<WrittenItems> {
  const { projectId, id: datasetId, items, deleted } = writing;
  demandDistinct([...items.flatMap(({ id }) => id ?? []), ...deleted]);
  // A hash of what was masked would confirm a guess of it, so masking comes first; schemas are told of what was sent.
  const masked = await maskByRules(query, projectId, items, maskItem);
  return query.transaction().execute(async (transaction) => {
    const dataset = orRefuse(await lockDataset(transaction, writing), datasetNotFound);
    demandFit(items, dataset.input_schema, dataset.expected_schema);
    const hashed = masked.map((item) => ({ item, content: hashContent(projectId, item), revision: hashRevision(item) }));
    const newest = await findNewest(transaction, {
      projectId,
      datasetId,
      ids: [...items.flatMap(({ id }) => id ?? []), ...deleted],
      contents: hashed.map(({ content }) => content),
    });
    const known = new Map(newest.map((item) => [item.item_id, item]));
    const byContent = new Map(newest.map((item) => [item.content_hash, item.item_id]));
    const version = dataset.version + 1;
    const revisions: NewRevision[] = [];
    const written: Written[] = hashed.map(({ item, content, revision }) => {
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
    const gone: Written[] = deleted.map((id) => ({ id, state: known.has(id) ? "deleted" : "unknown" }));
    return finish(transaction, { writing, version, revisions, written: [...written, ...gone], items: dataset.items });
  });
}

type Finishing = {
  readonly writing: Writing;
  readonly version: number;
  readonly revisions: readonly NewRevision[];
  readonly written: readonly Written[];
  readonly items: number;
};

async function finish(query: Query, { writing, version, revisions, written, items }: Finishing): Promise<WrittenItems> {
  const count = (wanted: Written["state"]) => written.filter(({ state }) => state === wanted).length;
  const counts = { added: count("added"), changed: count("changed"), deleted: count("deleted") };
  if (counts.added + counts.changed + counts.deleted === 0) {
    return { version: version - 1, items: [...written] };
  }
  const total = items + counts.added - counts.deleted;
  if (total > MAX_ITEMS) {
    throw refusal(409, "dataset_full", `A dataset holds ${MAX_ITEMS} items at most. Delete some, or make another.`);
  }
  const ended = written.flatMap(({ id, state }) => (state === "changed" || state === "deleted" ? [id] : []));
  await insertVersion(query, { ...writing, version, revisions, ended, counts, items: total });
  return { version, items: [...written] };
}

function demandDistinct(ids: readonly string[]): void {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    throw refusal(400, "invalid_request", `The item ${twice} is in the request twice; leave one out.`);
  }
}

function demandFit(items: readonly WriteItem[], input: JsonObject | null, expected: JsonObject | null): void {
  const misfits = {
    input: input === null ? undefined : compileSchema(input, "input_schema"),
    expected: expected === null ? undefined : compileSchema(expected, "expected_schema"),
  };
  for (const [at, item] of items.entries()) {
    demandUsable(item.checks);
    const name = item.id ?? `number ${at + 1}`;
    if (JSON.stringify(item).length > MAX_ITEM_CHARACTERS) {
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
  }
}
