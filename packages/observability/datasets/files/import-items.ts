import { AppError, refusal, type ErrorDetail } from "@sightline/foundation/errors";
import { type ImportedItems, type WriteItem, writeItemSchema } from "#contract.ts";
import { makeVersion, type Making, type NamedItem } from "#datasets/make-version.ts";
import type { Query } from "#schema.ts";
import type { Row } from "./read-items.ts";

/** What is written at once, and what is told of many. */
const [BATCH, BATCH_CHARACTERS, TOLD] = [500, 4 * 1024 * 1024, 20];

/** A field that items don't have would be lost without a word. */
const itemSchema = writeItemSchema.strict();

/**
 * Writes the items of a file as one version, or none when a line is no item.
 *
 * @throws {AppError} 400 `invalid_lines` with the first 20, `empty_file`, and as {@link makeVersion} does.
 */
export async function importItems(query: Query, making: Making, rows: AsyncIterable<Row>): Promise<ImportedItems> {
  const { version, result } = await makeVersion(query, making, async ({ check, write }) => {
    const told = { added: 0, changed: 0, unchanged: 0, duplicates: 0, first_duplicates: [] as ImportedItems["first_duplicates"] };
    const bad: ErrorDetail[] = [];
    let [lines, refused, characters]: [number, number, number] = [0, 0, 0];
    let batch: (NamedItem & { readonly line: number })[] = [];
    async function writeBatch(): Promise<void> {
      const written = await write(batch);
      for (const [at, { state, of }] of written.entries()) {
        if (state === "added" || state === "changed" || state === "unchanged") {
          told[state] += 1;
        } else if (of !== undefined && (told.duplicates += 1) <= TOLD) {
          told.first_duplicates.push({ line: batch[at]?.line ?? 0, of });
        }
      }
      [batch, characters] = [[], 0];
    }
    for await (const row of rows) {
      lines += 1;
      try {
        const checked = check(readItem(row), `in line ${row.line}`);
        characters += checked.characters;
        batch.push({ ...checked, line: row.line });
      } catch (error) {
        if (!(error instanceof AppError)) {
          throw error;
        }
        refused += 1;
        if (refused <= TOLD) {
          bad.push({ path: `line ${row.line}`, message: error.message });
        }
      }
      // What is to be refused is read to its end, and no longer written.
      if (refused > 0) {
        batch = [];
      } else if (batch.length === BATCH || characters > BATCH_CHARACTERS) {
        await writeBatch();
      }
    }
    if (lines === 0) {
      throw refusal(400, "empty_file", "The file has no items.");
    }
    if (refused > 0) {
      throw invalidLines(refused, lines, bad);
    }
    await writeBatch();
    return told;
  });
  return { version, ...result };
}

function readItem(row: Row): WriteItem {
  if ("problem" in row) {
    throw invalidLine(row.problem);
  }
  const { success, data, error } = itemSchema.safeParse(row.value);
  if (!success) {
    throw invalidLine(
      error.issues
        .map(({ path, message }) => [...path, message].join(": "))
        .join("; ")
        .slice(0, 1_000),
    );
  }
  return data;
}

const invalidLine = (problem: string) => refusal(400, "invalid_line", problem);

const invalidLines = (refused: number, lines: number, details: readonly ErrorDetail[]) =>
  refusal(
    400,
    "invalid_lines",
    `${refused} of ${lines} items can't be read${refused > details.length ? `; details has the first ${details.length}` : ""}. Nothing was written: mend them, and send the file again.`,
    { details },
  );
