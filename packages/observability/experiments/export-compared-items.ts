import type { ExperimentItem } from "#contract.ts";
import { toRecord } from "#csv-record.ts";
import type { Query } from "#schema.ts";
import { listComparedItems, type ComparedWanted } from "./list-compared-items.ts";

const BATCH = 100;
const COLUMNS = ["item", "split", "required", "input", "expected", "baseline output", "candidate output"];

/** The items of a comparison as a file, in the order of its page; values are cut as there. */
export async function* exportComparedItems(
  query: Query,
  wanted: Omit<ComparedWanted, "cursor" | "limit">,
  format: "jsonl" | "csv",
): AsyncGenerator<string> {
  const scores = namesOf(wanted);
  if (format === "csv") {
    yield toRecord([...COLUMNS, ...scores.flatMap((name) => [`baseline ${name}`, `candidate ${name}`])]);
  }
  let cursor: string | null | undefined;
  do {
    const page = await listComparedItems(query, { ...wanted, cursor, limit: BATCH });
    const toText = (item: ExperimentItem) => (format === "csv" ? toRecord(cellsOf(item, scores)) : `${JSON.stringify(item)}\n`);
    yield page.items.map(toText).join("");
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** Of scores, those that experiments ended with, and those that one which runs declares. */
function namesOf({ candidate, baseline }: Pick<ComparedWanted, "candidate" | "baseline">): readonly string[] {
  const named = [candidate, ...baseline].flatMap(({ means, evaluators }) => [
    ...means.flatMap(({ name, source }) => (source === "run" ? [] : [name])),
    ...evaluators.map(({ name }) => name),
  ]);
  return [...new Set(["checks", ...named])];
}

function cellsOf({ item_id: id, split, required, input, expected, candidate, baseline }: ExperimentItem, scores: readonly string[]) {
  const means = scores.flatMap((name) =>
    [baseline, candidate].map((cell) => cell?.scores.find((score) => score.name === name)?.mean ?? null),
  );
  return [id, split, required, readable(input), readable(expected), outputsOf(baseline), outputsOf(candidate), ...means];
}

function outputsOf(cell: ExperimentItem["baseline"]): string | null {
  const runs = cell?.runs ?? [];
  return runs.length === 0
    ? null
    : runs.map(({ state, output, error }) => (state === "succeeded" ? readable(output) : `${state}: ${error ?? ""}`)).join("\n");
}

/** A text without its quotes, unless it was cut. */
function readable(json: string): string {
  const text = /^"(?:[^"\\]|\\.)*"$/.test(json) ? String(JSON.parse(json)) : json;
  return text === "null" ? "" : text;
}
