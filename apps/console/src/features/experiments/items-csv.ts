import type { ExperimentItem } from "@sightline/observability/contract";
import { fromJsonText } from "./json-text.ts";

/** The grid as a table for spreadsheets: a row an item, the columns of a score twice where there is a baseline. */
export function toCsv(items: readonly ExperimentItem[]): string {
  const names = [
    ...new Set(items.flatMap(({ candidate, baseline }) => [...candidate.scores, ...(baseline?.scores ?? [])].map(({ name }) => name))),
  ];
  const header = ["item", "split", "required", "input", "expected", "baseline output", "candidate output"];
  const rows = items.map(({ item_id: id, split, required, input, expected, candidate, baseline }) => [
    id,
    split ?? "",
    String(required),
    plain(input),
    plain(expected),
    outputOf(baseline),
    outputOf(candidate),
    ...names.flatMap((name) => [meanOf(baseline, name), meanOf(candidate, name)]),
  ]);
  const lines = [[...header, ...names.flatMap((name) => [`baseline ${name}`, `candidate ${name}`])], ...rows];
  return lines.map((line) => line.map(quote).join(",")).join("\r\n");
}

function outputOf(cell: ExperimentItem["baseline"]): string {
  return (cell?.runs ?? [])
    .map(({ state, output, error }) => (state === "succeeded" ? plain(output) : `${state}: ${error ?? ""}`))
    .join("\n");
}

function meanOf(cell: ExperimentItem["baseline"], name: string): string {
  return String(cell?.scores.find((score) => score.name === name)?.mean ?? "");
}

function plain(json: string): string {
  const value = fromJsonText(json);
  return typeof value === "string" ? value : value === null ? "" : json;
}

/** A text that a spreadsheet would run as a formula is led by an apostrophe; a number stays one. */
function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+(?:e-?\d+)?$/i.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
