import type { SearchAnswer } from "@sightline/code-index/contract";
import { filtersIn, withoutFilter } from "./query-language.ts";
import type { SearchState } from "./search-state.ts";

/** A filter as the API understood it. */
export type ReadFilter = SearchAnswer["query"]["filters"][number];

/** What the search becomes without a filter, wherever that was given: in the query's text or beside it. */
export function withoutReadFilter(state: SearchState, filter: ReadFilter): Partial<SearchState> {
  const { q = "" } = state;
  const written = filtersIn(q).filter(({ field, negated }) => field === filter.field && negated === filter.negated);
  // The API knows languages by names of its own.
  const found = written.find(({ value }) => value === filter.value) ?? (isBeside(state, filter) ? undefined : written[0]);
  if (found !== undefined) {
    const left = withoutFilter(q, found);
    return { q: left === "" ? undefined : left };
  }
  return filter.field === "symbol" || filter.negated ? {} : { [filter.field]: undefined };
}

function isBeside(state: SearchState, { field, value, negated }: ReadFilter): boolean {
  return field !== "symbol" && !negated && state[field] === value;
}
