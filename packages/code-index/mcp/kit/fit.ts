import { fitItems as fitCounted } from "@sightline/foundation/fit-items";
import { mapLegs, type LegName, type SearchResult } from "#contract.ts";
import { countTokens } from "#tokens/count-tokens.ts";

/** How much of a result is shown: the chunk, its signature and the lines that match, or only where it is. */
type Detail = "full" | "lines" | "place";

export type FittedResult = Omit<SearchResult, "content" | "matched_lines" | "matched_ranges" | "language" | "legs"> & {
  readonly detail: Detail;
  readonly content?: string;
};

/** Other places of a result's file that are named. */
const OTHERS = 4;
const LINE = 160;
const MATCHING_LINES = 6;

type Fitting = {
  readonly maxTokens: number;
  /** A result as it stands in the answer. */
  readonly render: (result: FittedResult, number: number) => string;
};

/**
 * Makes results fit into a number of tokens: each keeps as much as the ones after it can spare while they keep their
 * place. The best are cut last; those for which not even their place fits are left out.
 */
export function fitResults(results: readonly SearchResult[], { maxTokens, render }: Fitting): readonly FittedResult[] {
  const costOf = (result: FittedResult, index: number, max: number) => countTokens(render(result, index + 1), max) + 1;
  const shown: { readonly result: SearchResult; readonly place: FittedResult; readonly cost: number }[] = [];
  let left = maxTokens;
  for (const [index, result] of results.entries()) {
    const place = withDetail(result, "place");
    const cost = costOf(place, index, left);
    if (cost > left) {
      break;
    }
    left -= cost;
    shown.push({ result, place, cost });
  }
  return shown.map(({ result, place, cost }, index) => {
    const room = left + cost;
    for (const detail of ["full", "lines"] as const) {
      const better = withDetail(result, detail);
      const itsCost = costOf(better, index, room);
      if (itsCost <= room) {
        left = room - itsCost;
        return better;
      }
    }
    return place;
  });
}

function withDetail(result: SearchResult, detail: Detail): FittedResult {
  const { content: _content, matched_lines: _lines, matched_ranges: _ranges, language: _language, legs: _legs, ...place } = result;
  return detail === "place"
    ? { ...place, detail }
    : { ...place, detail, content: detail === "full" ? result.content : signatureAndMatches(result) };
}

function signatureAndMatches({ content, start_line: start, matched_lines: matched, symbol }: SearchResult): string {
  const lines = content.split("\n");
  const defining = symbol === null ? -1 : lines.findIndex((line) => line.includes(symbol));
  const numbers = new Set([...(defining === -1 ? [] : [start + defining]), ...matched].slice(0, MATCHING_LINES));
  return [...numbers]
    .toSorted((one, other) => one - other)
    .map((number) => `${number}: ${(lines[number - start] ?? "").slice(0, LINE)}`)
    .join("\n");
}

/** A result as text; its `number` is its place in the answer. */
export function renderResult(
  { repo, path, start_line: start, end_line: end, symbol, also = [], content, detail }: FittedResult,
  number: number,
): string {
  const others = also
    .slice(0, OTHERS)
    .map((place) => (place.start_line === place.end_line ? String(place.start_line) : `${place.start_line}-${place.end_line}`));
  const more = also.length > OTHERS ? [`${also.length - OTHERS} more`] : [];
  const beside = others.length === 0 ? "" : `, also ${[...others, ...more].join(", ")}`;
  const head = `${number}. ${repo} ${path}:${start}-${end}${symbol === null ? "" : ` (${symbol})`}${beside}\n`;
  if (content === undefined || content === "") {
    return head;
  }
  const fence = fenceFor(content);
  return `${head}${fence}\n${detail === "full" ? numberLines(content, start) : content}\n${fence}\n`;
}

/** More backticks than the text has in a row, so that no text ends its own fence. */
export function fenceFor(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
}

type FittingItems<Item> = {
  readonly maxTokens: number;
  readonly render: (item: Item) => string;
};

/** The first items that fit; at least one. */
export function fitItems<Item>(items: readonly Item[], fitting: FittingItems<Item>): readonly Item[] {
  return fitCounted(items, { ...fitting, countTokens });
}

/** A page of something, which can be shown in part. */
type Page = {
  readonly notes: readonly string[];
  readonly next_cursor: string | null;
  /** Goes on after the first `shown` items. */
  readonly cursorAfter: (shown: number) => string;
};

type FittingPage<Item> = FittingItems<Item> & { readonly unit?: string; readonly advice?: string };

export type FittedPage<Item> = Pick<Page, "notes"> & {
  readonly shown: readonly Item[];
  readonly isCut: boolean;
  /** The cursor after what is shown. */
  readonly next: string | null;
};

/** The first items of a page that fit, and how to go on after them. */
export function fitPage<Item>(items: readonly Item[], page: Page, fitting: FittingPage<Item>): FittedPage<Item> {
  const { unit = "", advice = "ask with a larger max_tokens" } = fitting;
  const shown = fitItems(items, fitting);
  if (shown.length === items.length) {
    return { shown, isCut: false, next: page.next_cursor, notes: page.notes };
  }
  const cut = `Cut to max_tokens: ${shown.length} of ${items.length}${unit} shown; go on with cursor, or ${advice}.`;
  return { shown, isCut: true, next: page.cursorAfter(shown.length), notes: [...page.notes, cut] };
}

type Located = { readonly repo: string; readonly commit: string; readonly path: string };

/** Names files in the order that they are shown: the first of a repository with its commit, the others without. */
export function createPlaces(): (file: Located) => string {
  const named = new Set<string>();
  return ({ repo, commit, path }) => {
    const isNew = !named.has(`${repo}@${commit}`);
    named.add(`${repo}@${commit}`);
    return isNew ? `${repo}@${commit} ${path}` : `${repo} ${path}`;
  };
}

/** Lines with their numbers, as in `309: return`. */
export function numberLines(content: string, start: number): string {
  return content
    .replace(/\n$/, "")
    .split("\n")
    .map((line, index) => `${start + index}: ${line}`)
    .join("\n");
}

type Going = { readonly notes: readonly string[]; readonly next: string | null };

/** A page: what was found, then what to know of it, then how to go on. */
export function renderPage(lines: readonly string[], { notes, next }: Going): string {
  return [...lines, ...notes, ...(next === null ? [] : [`cursor: ${next}`])].join("\n");
}

/** Why a leg can't answer is for people to read, and may be as long as a provider's message. */
export function shortReasons<Leg extends { readonly reason?: string | undefined }>(legs: Readonly<Record<LegName, Leg>>, max: number) {
  return mapLegs(legs, (leg): Leg => (leg.reason === undefined ? leg : { ...leg, reason: leg.reason.slice(0, max) }));
}
