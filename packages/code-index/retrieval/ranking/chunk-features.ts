import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import { termsOf, termsOfWord, wordsOf } from "#store/index/terms.ts";
import { fileKindOf, type FileKind } from "./file-kind.ts";
import { isProse, pathIn } from "#retrieval/query/query-shape.ts";
import { isStopWord, type QueryTerm, type ParsedQuery } from "#retrieval/query/query.ts";

/** How a chunk relates to a query, each feature from 0 to 1; `RankWeights` says what each is worth. */
export type Features = {
  /** The share of the query's terms that its path holds, and that the names it defines hold. */
  readonly path: number;
  readonly symbols: number;
  /** How well one of those names matches the query: 1 when it has all of its terms and no others. */
  readonly named: number;
  /** Which part of the words of the file's name the query says. */
  readonly fileName: number;
  /** Which part of a question's words its text has, rare ones counting more. */
  readonly coverage: number;
  /** 1 when the query is a path that points to it, and less when only to its file. */
  readonly place: number;
  /** `asked` when the query asks for files of its kind. */
  readonly kind: FileKind | "asked";
  /** Computed from the chunk's text on first use, since it takes longer than all the rest. */
  readonly nearness: (text: string) => Nearness;
};

type Describing = { readonly chunk: FoundChunk; readonly coverage: number };

/** Describes chunks for one query; what chunks of a file have in common is worked out once. */
export function createDescriber(query: ParsedQuery): (describing: Describing) => Features {
  const telling = query.queryTerms.filter((queryTerm) => !isStopWord(queryTerm.terms[0] ?? ""));
  // In a query of nothing but stop words all of them count.
  const asked = telling.length > 0 ? telling : query.queryTerms;
  const wanted = kindsAskedFor(query);
  const files = new Map<string, FileFeatures>();
  const namesOf = rememberNames();
  const nearnessOf = createNearness(asked, query.text);
  const pointsTo = placeAskedFor(query);
  return ({ chunk, coverage }) => {
    const file = files.get(chunk.path) ?? describeFile(chunk.path, { asked, wanted });
    files.set(chunk.path, file);
    const names = chunk.symbols.flatMap((symbol) => namesOf(symbol));
    let nearness: Nearness | undefined;
    return {
      ...file,
      symbols: share(asked, new Set(names.flatMap((terms) => [...terms]))),
      named: asked.length === 0 ? 0 : Math.max(0, ...names.map((terms) => likeness(terms, asked))),
      place: pointsTo(chunk),
      coverage: isProse(query.shape) ? coverage : 0,
      nearness: (text) => (nearness ??= nearnessOf(text)),
    };
  };
}

/** The terms of a symbol's names. Copies and versions of a file, which are found together, have the same. */
function rememberNames(): (symbol: string) => readonly ReadonlySet<string>[] {
  const known = new Map<string, readonly ReadonlySet<string>[]>();
  return (symbol) => {
    // C++ defines `Cache::Find` outside of its class: whoever asks for `Find` asks for that, too.
    const names = known.get(symbol) ?? [symbol, ...symbol.split("::").slice(1).slice(-1)].map((name) => new Set(termsOf(name)));
    known.set(symbol, names);
    return names;
  };
}

/** What a chunk of the right file is worth when it does not hold the line. */
const FILE_ALONE = 0.25;

/** What a path points to, however much of it was written: `retry.go:7`, `/app/src/retry.go:7:1` of a machine's. */
function placeAskedFor({ shape, text }: ParsedQuery): (chunk: FoundChunk) => number {
  if (shape !== "path") {
    return () => 0;
  }
  const { path, line } = pathIn(text);
  const asked = `/${path.toLowerCase()}`;
  return (chunk) => {
    const given = `/${chunk.path.toLowerCase()}`;
    if (!given.endsWith(asked) && !asked.endsWith(given)) {
      return 0;
    }
    return line !== undefined && chunk.start_line <= line && line <= chunk.end_line ? 1 : FILE_ALONE;
  };
}

type FileFeatures = Pick<Features, "path" | "fileName" | "kind">;

type Context = { readonly asked: readonly QueryTerm[]; readonly wanted: ReadonlySet<FileKind> };

function describeFile(path: string, { asked, wanted }: Context): FileFeatures {
  const kind = fileKindOf(path);
  return {
    path: share(asked, new Set(termsOf(path))),
    fileName: shareOfName(path, asked),
    kind: wanted.has(kind) ? "asked" : kind,
  };
}

const ASKED_BY: readonly (readonly [FileKind, readonly string[]])[] = [
  ["test", ["test", "tests", "benchmark", "fixture", "mock", "spec"]],
  ["example", ["example", "examples", "demo"]],
  ["document", ["documentation", "readme", "changelog", "license", "docs"]],
  ["data", ["json", "yaml", "toml", "html", "css", "configuration"]],
];

function kindsAskedFor({ queryTerms }: ParsedQuery): ReadonlySet<FileKind> {
  const terms = new Set(queryTerms.map((queryTerm) => queryTerm.terms[0]));
  return new Set(ASKED_BY.filter(([, words]) => words.some((word) => terms.has(word))).map(([kind]) => kind));
}

/** A name's terms are the whole, which counts where there is nothing else, and its words. */
function likeness(terms: ReadonlySet<string>, asked: readonly QueryTerm[]): number {
  const words = Math.max(1, terms.size - 1);
  const said = asked.filter((queryTerm) => queryTerm.terms.some((term) => terms.has(term))).length;
  return Math.min(1, said / Math.max(words, asked.length)) ** 2;
}

/** Which part of the words of a file's name the query says. */
function shareOfName(path: string, asked: readonly QueryTerm[]): number {
  const [whole, ...parts] = termsOf(baseName(path).replaceAll(/[.-]/g, "_"));
  const words = parts.length > 0 ? parts : [whole ?? ""];
  const said = new Set(asked.flatMap((queryTerm) => queryTerm.terms));
  return words.filter((word) => said.has(word)).length / words.length;
}

/** The share of the query's terms that are among `terms`, in any form. */
function share(queryTerms: readonly QueryTerm[], terms: ReadonlySet<string>): number {
  return queryTerms.filter((queryTerm) => queryTerm.terms.some((term) => terms.has(term))).length / Math.max(1, queryTerms.length);
}

function baseName(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.[^.]*$/, "");
}

type Nearness = {
  /** The share of the query's terms in the best few neighbouring lines. */
  readonly together: number;
  /** The share of neighbouring words of the query that are neighbours here, too. */
  readonly inOrder: number;
  /** 1 where the text holds the whole query letter for letter, as when it was pasted. */
  readonly verbatim: number;
};

/** Lines that are looked at together. */
const WINDOW = 4;

/** Fewer words stand together by chance. */
const PASTED_WORDS = 4;

/** Measures how closely the query's terms stand together in texts. Texts share most of their words, so each word is resolved once. */
function createNearness(asked: readonly QueryTerm[], written: string): (text: string) => Nearness {
  if (asked.length < 2) {
    return () => ({ together: 0, inOrder: 0, verbatim: 0 });
  }
  const isPasted = written.split(/\s+/u).length >= PASTED_WORDS;
  const wanted = new Map(asked.flatMap(({ terms }, index) => terms.map((term) => [term, index] as const)));
  const known = new Map<string, readonly number[]>();
  const askedBy = (word: string): readonly number[] => {
    const indices = known.get(word) ?? termsOfWord(word).flatMap((term) => wanted.get(term) ?? []);
    known.set(word, indices);
    return indices;
  };
  return (text) => ({
    ...measure(
      text.split("\n").map((line) => wordsOf(line).flatMap(askedBy)),
      asked.length,
    ),
    verbatim: isPasted && text.includes(written) ? 1 : 0,
  });
}

/** `lines` have the places, among `asked` terms, of those that they hold. */
function measure(lines: readonly (readonly number[])[], asked: number): Omit<Nearness, "verbatim"> {
  const pairs = new Set<number>();
  let most = 0;
  for (let at = 0; at < lines.length; at++) {
    const found = lines[at] ?? [];
    if (found.length > 0) {
      most = Math.max(most, new Set(lines.slice(at, at + WINDOW).flat()).size);
    }
    for (let word = 1; word < found.length; word++) {
      const [one = 0, other = 0] = [found[word - 1], found[word]];
      if (other === one + 1) {
        pairs.add(one);
      }
    }
  }
  return { together: most / asked, inOrder: pairs.size / Math.max(1, asked - 1) };
}
