import { toTrigramClass } from "#store/index/trigrams.ts";
import { ANY, and, or, queryOfRun, type TrigramQuery } from "./trigram-query.ts";

/**
 * What is known of the texts that a part of an expression matches, after Russ Cox, "Regular Expression Matching with a Trigram
 * Index" (2012): all of them while they are few, else how they begin and end, and the trigrams that each of them holds. A text is
 * written in the classes of its letters, a character a class, so that case is of no account.
 */
export type Known = {
  /** All texts that match; `undefined` when there are too many. */
  readonly exact: ReadonlySet<string> | undefined;
  readonly prefixes: ReadonlySet<string>;
  readonly suffixes: ReadonlySet<string>;
  readonly query: TrigramQuery;
};

/** Most texts that are kept apart, and their length together. */
const MAX_TEXTS = 16;
const MAX_LETTERS = 1_200;
/** Characters of an end that form trigrams with what comes next. */
const END = 2;
/** Stands for a line's end: what is before and after may be in different chunks. */
const NEWLINE = "\u0100";

const NOTHING = new Set([""]);

export const EMPTY: Known = { exact: NOTHING, prefixes: NOTHING, suffixes: NOTHING, query: ANY };

/** Any text at all. */
export const ANYTHING: Known = { exact: undefined, prefixes: NOTHING, suffixes: NOTHING, query: ANY };

/** One of the characters; `undefined` when too many may stand there. */
export function oneOfCharacters(characters: Iterable<number> | undefined): Known {
  if (characters === undefined) {
    return ANYTHING;
  }
  const texts = new Set<string>();
  for (const character of characters) {
    texts.add(classesOf(String.fromCodePoint(character)));
    if (texts.size > MAX_TEXTS) {
      return ANYTHING;
    }
  }
  return bounded({ exact: texts, prefixes: NOTHING, suffixes: NOTHING, query: ANY });
}

function classesOf(text: string): string {
  let classes = "";
  for (let at = 0; at < text.length; at++) {
    classes += text[at] === "\n" ? NEWLINE : String.fromCharCode(toTrigramClass(text.charCodeAt(at)));
  }
  return classes;
}

export function concatenate(one: Known, other: Known): Known {
  if (one.exact !== undefined && other.exact !== undefined) {
    return bounded({ exact: cross(one.exact, other.exact), prefixes: NOTHING, suffixes: NOTHING, query: and(one.query, other.query) });
  }
  const between = one.exact === undefined && other.exact === undefined ? queryOfTexts(cross(one.suffixes, other.prefixes)) : ANY;
  return bounded({
    exact: undefined,
    prefixes: one.exact === undefined ? one.prefixes : cross(one.exact, other.prefixes),
    suffixes: other.exact === undefined ? other.suffixes : cross(one.suffixes, other.exact),
    query: and(and(one.query, other.query), between),
  });
}

export function alternate(one: Known, other: Known): Known {
  if (one.exact !== undefined && other.exact !== undefined && one.query.kind === "any" && other.query.kind === "any") {
    return bounded({ exact: union(one.exact, other.exact), prefixes: NOTHING, suffixes: NOTHING, query: ANY });
  }
  const [open, otherOpen] = [opened(one), opened(other)];
  return bounded({
    exact: undefined,
    prefixes: union(open.prefixes, otherOpen.prefixes),
    suffixes: union(open.suffixes, otherOpen.suffixes),
    query: or([open.query, otherOpen.query]),
  });
}

/** The same `min` times or more; `max` is undefined for any number. */
export function repeat(known: Known, min: number, max: number | undefined): Known {
  if (min === 0) {
    return max === 1 ? alternate(known, EMPTY) : ANYTHING;
  }
  let repeated = known;
  for (let times = 1; times < Math.min(min, MAX_TEXTS); times++) {
    repeated = concatenate(repeated, known);
  }
  if (max === min && min <= MAX_TEXTS) {
    return repeated;
  }
  // However often it is repeated, it ends as one repetition does.
  const open = opened(repeated);
  return { ...open, suffixes: opened(known).suffixes };
}

/** The trigrams that every match holds. */
export function toTrigramQuery(known: Known): TrigramQuery {
  return opened(known).query;
}

/** Without the texts themselves: what is known of their ends and trigrams. */
function opened({ exact, prefixes, suffixes, query }: Known): Known {
  return exact === undefined
    ? { exact, prefixes, suffixes, query }
    : { exact: undefined, prefixes: ends(exact, "first"), suffixes: ends(exact, "last"), query: and(query, queryOfTexts(exact)) };
}

function bounded(known: Known): Known {
  const { exact, prefixes, suffixes, query } = known;
  if (exact !== undefined) {
    const isSmall = exact.size <= MAX_TEXTS && lettersOf(exact) <= MAX_LETTERS;
    return isSmall ? known : bounded(opened(known));
  }
  // Every match also holds the trigrams of its ends.
  const grown = and(grownQuery(prefixes), grownQuery(suffixes));
  return { exact, prefixes: ends(prefixes, "first"), suffixes: ends(suffixes, "last"), query: and(query, grown) };
}

/** Ends that have not grown made their trigrams before. */
function grownQuery(texts: ReadonlySet<string>): TrigramQuery {
  return [...texts].some((text) => text.length <= END) ? ANY : queryOfTexts(texts);
}

function ends(texts: ReadonlySet<string>, which: "first" | "last"): ReadonlySet<string> {
  const cut = new Set([...texts].map((text) => (which === "first" ? text.slice(0, END) : text.slice(-END))));
  return cut.size > MAX_TEXTS ? NOTHING : cut;
}

function cross(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...one].flatMap((first) => [...other].map((second) => first + second)));
}

function union(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...one, ...other]);
}

function lettersOf(texts: ReadonlySet<string>): number {
  let letters = 0;
  for (const text of texts) {
    letters += text.length;
  }
  return letters;
}

/** The condition that one of the texts is there. */
function queryOfTexts(texts: ReadonlySet<string>): TrigramQuery {
  return or(
    [...texts].map((text) =>
      text
        .split(NEWLINE)
        .map((line) => queryOfRun(Array.from(line, (letter) => letter.charCodeAt(0))))
        .reduce(and, ANY),
    ),
  );
}
