import { pipeline } from "node:stream";
import { parseExactly } from "@sightline/foundation/exact-json";
import { errorMessage, refusal } from "@sightline/foundation/errors";
import { type CsvError, parse } from "csv-parse";
import { z } from "zod";
import { ITEM_VALUES } from "#datasets/item-values.ts";
import { readCell, readTextCell } from "./csv-cell.ts";
import { MAX_LINE_BYTES, readLines, type Line, type Problem } from "./read-lines.ts";

/** What a line says, which may be an item. */
export type Row = { readonly line: number; readonly value: unknown } | Problem;

/** One JSON value a line; empty lines are none. */
export async function* readJsonLines(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  for await (const line of readLines(content)) {
    if ("problem" in line) {
      yield line;
    } else if (line.text.trim() !== "") {
      yield readJsonLine(line);
    }
  }
}

function readJsonLine({ line, text }: { readonly line: number; readonly text: string }): Row {
  try {
    return { line, value: parseExactly(text, ITEM_VALUES) };
  } catch (error) {
    return { line, problem: `is no JSON: ${errorMessage(error)}` };
  }
}

const recordSchema = z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) });

/**
 * Records of CSV by the names in its first one; empty cells are left out.
 *
 * @throws {AppError} 400 `invalid_columns`.
 */
export async function* readCsv(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const problems: Problem[] = [];
  const parser = parse({
    info: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    max_record_size: MAX_LINE_BYTES,
    on_skip: (error) => void problems.push(problemOf(error)),
  });
  // What goes wrong on the way ends the reading below.
  pipeline(textsOf(readLines(content), problems), parser, () => undefined);
  let columns: readonly Column[] | undefined;
  try {
    for await (const given of parser) {
      yield* problems.splice(0);
      const { record, info } = recordSchema.parse(given);
      if (columns === undefined) {
        columns = readColumns(record);
      } else {
        // Told is the last line of a record, which has more where its cells have.
        yield { line: info.lines - record.join("").split("\n").length + 1, value: toValue(columns, record) };
      }
    }
  } catch (error) {
    if (!isCsvError(error)) {
      throw error;
    }
    problems.push(problemOf(error));
  }
  yield* problems;
}

async function* textsOf(lines: AsyncIterable<Line>, problems: Problem[]): AsyncGenerator<string> {
  for await (const line of lines) {
    if ("problem" in line) {
      // Where it is not known what a line says, nothing is known of the quotes of those after it.
      problems.push(line);
      return;
    }
    yield line.text;
  }
}

const isCsvError = (error: unknown): error is CsvError =>
  error instanceof Error && "code" in error && String(error.code).startsWith("CSV_");

function problemOf(error: CsvError | undefined): Problem {
  return { line: Number(error?.["lines"] ?? 0), problem: `is no CSV: ${error?.message ?? "it can't be read"}` };
}

type Column = { readonly field: string; readonly key: string | undefined };

const TEXTS: ReadonlySet<string> = new Set(["id", "split", "subject", "cluster"]);
const VALUES: ReadonlySet<string> = new Set(["input", "expected", "checks", "metadata", "required", "source"]);
const WITH_KEYS: ReadonlySet<string> = new Set(["input", "expected", "metadata"]);

function readColumns(names: readonly string[]): readonly Column[] {
  const columns = names.map((name) => {
    const [field = "", ...key] = name.trim().split(".");
    if (key.length === 0 ? !TEXTS.has(field) && !VALUES.has(field) : !WITH_KEYS.has(field)) {
      throw invalidColumns(
        `${JSON.stringify(name.slice(0, 200))} is none: they are ${[...VALUES, ...TEXTS].join(", ")}, and input.<key>, expected.<key>, metadata.<key>, with commas between them`,
      );
    }
    return { field, key: key.length === 0 ? undefined : key.join(".") };
  });
  const twice = columns.find(({ field, key }, at) =>
    columns.some(
      (other, place) => place < at && other.field === field && (other.key === key || other.key === undefined || key === undefined),
    ),
  );
  if (twice !== undefined) {
    throw invalidColumns(`${twice.field} is given twice`);
  }
  return columns;
}

const invalidColumns = (why: string) => refusal(400, "invalid_columns", `The columns can't be read: ${why}. Nothing was written.`);

function toValue(columns: readonly Column[], cells: readonly string[]): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  const parts = new Map<string, [string, unknown][]>();
  for (const [at, { field, key }] of columns.entries()) {
    const cell = cells[at] ?? "";
    if (key !== undefined) {
      parts.set(field, [...(parts.get(field) ?? []), ...(cell === "" ? [] : [[key, readCell(cell)] satisfies [string, unknown]])]);
    } else if (cell !== "") {
      // Spreadsheets write truth in capitals.
      fields.set(field, TEXTS.has(field) ? readTextCell(cell) : readCell(field === "required" ? cell.toLowerCase() : cell));
    }
  }
  return Object.fromEntries([...fields, ...[...parts].map(([field, entries]) => [field, Object.fromEntries(entries)] as const)]);
}
