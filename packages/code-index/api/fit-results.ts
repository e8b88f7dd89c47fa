import type { SearchResult } from "#contract.ts";
import { countTokens } from "#tokens/count-tokens.ts";

/** How much of a result is shown: the chunk, the lines that match, or only where it is. */
type Detail = "full" | "lines" | "place";

export type FittedResult = {
  readonly repo: string;
  readonly ref: string;
  readonly commit: string;
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly symbol: string | null;
  readonly score: number;
  readonly detail: Detail;
  readonly content?: string;
};

export type FittedResults = {
  readonly results: readonly FittedResult[];
  /** Results for which not even their place fitted. */
  readonly dropped: number;
};

const LINE = 160;
const MATCHING_LINES = 6;

/**
 * Makes results fit into a number of tokens: each keeps as much as the ones after it can spare while they
 * keep their place. The best are cut last. Both forms of an answer, text and JSON, keep to the limit.
 */
export function fitResults(results: readonly SearchResult[], maxTokens: number): FittedResults {
  const places = results.map((result) => withDetail(result, "place"));
  const shown = fittingPlaces(places, maxTokens);
  let reserved = shown.reduce((sum, place) => sum + costOf(place), 0);
  const fitted = shown.map((place, index) => {
    const result = results[index];
    const better = result === undefined ? [] : [withDetail(result, "full"), withDetail(result, "lines")];
    const without = reserved - costOf(place);
    const chosen = better.find((candidate) => without + costOf(candidate) <= maxTokens) ?? place;
    reserved = without + costOf(chosen);
    return chosen;
  });
  return { results: fitted, dropped: results.length - fitted.length };
}

function fittingPlaces(places: readonly FittedResult[], maxTokens: number): readonly FittedResult[] {
  let cost = 0;
  const overflowing = places.findIndex((place) => (cost += costOf(place)) > maxTokens);
  return overflowing === -1 ? places : places.slice(0, overflowing);
}

function withDetail(result: SearchResult, detail: Detail): FittedResult {
  const { repo, ref, commit, path, start_line, end_line, symbol, score } = result;
  const place = { repo, ref, commit, path, start_line, end_line, symbol, score, detail };
  return detail === "place" ? place : { ...place, content: detail === "full" ? result.content : matchingLines(result) };
}

function matchingLines({ content, start_line: start, matched_lines: matched, symbol }: SearchResult): string {
  const lines = content.split("\n");
  const defining = symbol === null ? -1 : lines.findIndex((line) => line.includes(symbol));
  const numbers = new Set([...(defining === -1 ? [] : [start + defining]), ...matched].slice(0, MATCHING_LINES));
  return [...numbers]
    .toSorted((one, other) => one - other)
    .map((number) => `${number}: ${(lines[number - start] ?? "").slice(0, LINE)}`)
    .join("\n");
}

function costOf(result: FittedResult): number {
  return Math.max(countTokens(renderResult(result, 10)), countTokens(JSON.stringify(result)) + 1);
}

/** A result as text; its `number` is its place in the answer. */
export function renderResult(result: FittedResult, number: number): string {
  const { repo, commit, path, start_line: start, end_line: end, symbol, content } = result;
  const head = `${number}. ${repo}@${commit} ${path}:${start}-${end}${symbol === null ? "" : ` (${symbol})`}\n`;
  if (content === undefined || content === "") {
    return head;
  }
  const fence = fenceFor(content);
  return `${head}${fence}\n${content.replace(/\n$/, "")}\n${fence}\n`;
}

/** More backticks than the text has in a row, so that no text ends its own fence. */
export function fenceFor(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
}
