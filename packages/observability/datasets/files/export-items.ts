import { orRefuse } from "@sightline/foundation/errors";
import { datasetNotFound } from "#datasets/datasets.errors.ts";
import { findDataset } from "#datasets/datasets.store.ts";
import { type ItemRow, listItems } from "#datasets/items.store.ts";
import type { Query } from "#schema.ts";
import type { OneInProject } from "#store/reader.ts";
import { writeCell } from "./csv-cell.ts";

/** Items that are read at once. */
const BATCH = 100;

const COLUMNS = ["id", "input", "expected", "checks", "metadata", "split", "subject", "cluster", "required", "source"] as const;

export type FileFormat = "jsonl" | "csv";
type Wanted = OneInProject & { readonly version: number; readonly split: string | null };

/**
 * Items of a version as a file that an import reads; of those whose user was deleted nothing is left.
 *
 * @throws {AppError} 404 `dataset_not_found` when the reader may read no more, so that what is cut short is no whole file.
 */
export async function* exportItems(query: Query, wanted: Wanted, format: FileFormat): AsyncGenerator<string> {
  if (format === "csv") {
    yield `${COLUMNS.join(",")}\r\n`;
  }
  let after: string | undefined;
  do {
    const rows = await listItems(query, { ...wanted, datasetId: wanted.id, after, limit: BATCH });
    orRefuse(await findDataset(query, wanted), datasetNotFound);
    yield rows
      .filter((row) => row.redacted_at === null)
      .map(format === "csv" ? toRecord : toLine)
      .join("");
    after = rows.length < BATCH ? undefined : rows.at(-1)?.item_id;
  } while (after !== undefined);
}

const toLine = (row: ItemRow) => `${JSON.stringify(fieldsOf(row))}\n`;

function toRecord(row: ItemRow): string {
  const fields = fieldsOf(row);
  // Without a value is what may be left out; an input may not.
  return `${COLUMNS.map((name) => (fields[name] === null && name !== "input" ? "" : writeCell(fields[name]))).join(",")}\r\n`;
}

function fieldsOf({ item_id: id, input, expected, checks, metadata, split, subject, cluster, is_required: required, source }: ItemRow) {
  return { id, input, expected, checks: [...checks], metadata, split, subject, cluster, required, source };
}
