import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import { NO_MATCHES, strongest, type Matches, type WordMatcher } from "./match-words.ts";
import { memoize } from "./memoize.ts";
import { splitName } from "./split-name.ts";

/** What one name has of a query. */
type Described = {
  readonly matches: Matches;
  readonly best: number;
  readonly likeness: number;
  readonly isAsked: boolean;
  readonly isInQuery: boolean;
};

const NOTHING: Described = { matches: NO_MATCHES, best: 0, likeness: 0, isAsked: false, isInQuery: false };

/** So many words of a query are all that a name can have. */
const MAX_WORDS = 8;

/** Describes the names that a place defines, for a query. */
export function describeNames(query: ParsedQuery, matcher: WordMatcher) {
  const asked = new Set(query.names.map((name) => name.toLowerCase()));
  const describe = memoize((symbol: string): Described => {
    // C++ defines `Cache::Find` outside of its class: whoever asks for `Find` asks for that, too.
    const last = lastOf(symbol);
    const names = last === symbol ? [symbol] : [symbol, last];
    const split = names.map(splitName);
    const matches = matcher.findMatches(split.flatMap(({ terms }) => terms));
    const isAsked = asked.size > 0 && names.some((name) => asked.has(name.toLowerCase()));
    const isInQuery = last.length > 3 && query.text.includes(last);
    if (matches.size === 0) {
      return isAsked || isInQuery ? { ...NOTHING, isAsked, isInQuery } : NOTHING;
    }
    const ofName = Math.max(...split.map(({ parts }) => matcher.findCoverage(parts)));
    const strong = [...matches.values()].reduce((held, strength) => held + strength, 0);
    const words = Math.min(...split.map(({ parts }) => parts.length));
    return {
      matches,
      best: matcher.findShare(matches) * ofName,
      likeness: Math.min(1, strong / Math.max(1, words, Math.min(matcher.contentTerms.length, MAX_WORDS))) ** 2,
      isAsked,
      isInQuery,
    };
  });
  return (symbols: readonly string[]) => {
    const described = symbols.map(describe).filter((each) => each !== NOTHING);
    return {
      name_words: matcher.findShare(strongest(described.map(({ matches }) => matches))),
      best_name: described.reduce((max, { best }) => Math.max(max, best), 0),
      named: described.reduce((max, { likeness }) => Math.max(max, likeness), 0),
      exact_name: described.some(({ isAsked }) => isAsked) ? 1 : 0,
      name_said: described.some(({ isInQuery }) => isInQuery) ? 1 : 0,
    };
  };
}

function lastOf(symbol: string): string {
  return /[:.#]/.test(symbol) ? (symbol.split(/::|\.|#/).at(-1) ?? symbol) : symbol;
}
