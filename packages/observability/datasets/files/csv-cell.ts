import { parseExactly } from "@sightline/foundation/exact-json";

/** A cell is the value that it is the JSON of, and a text otherwise. */
export function readCell(cell: string): unknown {
  try {
    return parseExactly(cell);
  } catch {
    return cell;
  }
}

/** A cell of a column that holds texts, which may look like anything. */
export function readTextCell(cell: string): string {
  const value = cell.startsWith('"') ? readCell(cell) : cell;
  return typeof value === "string" ? value : cell;
}

/** What a spreadsheet would run as a formula, or change. */
const CHANGED = /^[\s=+\-@'"]|[\r\0]/;

/**
 * What {@link readCell} reads as `value`, and {@link readTextCell} where it is a text. A text that can't stand as it is, because it would
 * be a formula or another value, is told as JSON, in quotes.
 */
export function writeCell(value: unknown): string {
  const cell =
    typeof value !== "string" || value === "" || CHANGED.test(value) || readCell(value) !== value ? JSON.stringify(value) : value;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
