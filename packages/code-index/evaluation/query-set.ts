import { createHash } from "node:crypto";
import { findFileKind } from "#retrieval/ranking/file-kind.ts";
import { detectLanguage } from "#splitting/languages.ts";

/** What people ask, written and collected by hand. */
export const QUESTIONS = ["how", "what", "phrase", "name"] as const;
/** What is made from a repository alone. */
export const MADE = ["commit", "docstring", "symbol", "split name"] as const;
export type Family = (typeof QUESTIONS)[number] | "report" | (typeof MADE)[number];

/** What a query has to find: a file, or a place in it. */
export type Target = {
  readonly path: string;
  readonly lines?: readonly [first: number, last: number] | undefined;
  /** What finding it gains, where that is less than 1: it answers in part. */
  readonly gain?: number | undefined;
};

export type EvalQuery = {
  readonly family: Family;
  readonly language: string;
  readonly text: string;
  /** Each counts once; what answers whole before what answers in part. */
  readonly targets: readonly Target[];
  /** The folder that is named as `path`; "" where the code is not in one. Left out of a query that names none. */
  readonly within?: string;
};

/** As many as wanted, in an order that is the same for everybody and knows nothing of what is in them. */
export function sample<Item>(items: readonly Item[], count: number, keyOf: (item: Item) => string): readonly Item[] {
  return items
    .map((item) => ({ item, key: createHash("sha256").update(keyOf(item)).digest("hex") }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, count)
    .map(({ item }) => item);
}

/** So much of a definition, from its first line on, is the place that is looked for. */
const HEAD_LINES = 10;

export function headOf(path: string, start: number, end: number): Target {
  return { path, lines: [start, Math.min(end, start + HEAD_LINES - 1)] };
}

const PROGRAMMING = new Set(
  `typescript tsx javascript python go rust java c cpp csharp ruby php kotlin swift scala bash lua dart elixir erlang haskell ocaml clojure julia elm
  zig perl r groovy objective-c powershell solidity`.split(/\s+/),
);

/** What the made queries look for: tests, examples and copies of others' code are no right answer to any of them. */
export function isCode(path: string): boolean {
  return PROGRAMMING.has(detectLanguage(path)) && findFileKind(path) === "source";
}
