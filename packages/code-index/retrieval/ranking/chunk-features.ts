import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import { termsOf, termsOfWord, wordsOf } from "#store/index/terms.ts";
import { fileKindOf, type FileKind } from "./file-kind.ts";
import { isProse, pathIn } from "#retrieval/query/query-shape.ts";
import { isFunctionWord, type Concept, type ParsedQuery } from "#retrieval/query/query.ts";

/** What a chunk has to do with a query, each from 0 to 1. What it is worth is another matter. */
export type Features = {
  /** Which part of what is asked its path has, and the names that it defines. */
  readonly path: number;
  readonly symbols: number;
  /** How well one of those names is made of what is asked: 1 when of all of it and of nothing else. */
  readonly named: number;
  /** Which part of the words of the file's name the query says. */
  readonly fileName: number;
  /** Which part of a question's words its text has, rare ones counting more. */
  readonly coverage: number;
  /** 1 when the query is a path that points to it, and less when only to its file. */
  readonly place: number;
  /** `asked` when the query asks for files of its kind. */
  readonly kind: FileKind | "asked";
  /** Of the chunk's text. Worked out when it is first asked for: it takes longer than all the rest. */
  readonly nearness: (text: string) => Nearness;
};

type Describing = { readonly chunk: FoundChunk; readonly coverage: number };

/** Describes chunks for one query; what chunks of a file have in common is worked out once. */
export function createDescriber(query: ParsedQuery): (describing: Describing) => Features {
  const saying = query.concepts.filter((concept) => !isFunctionWord(concept.terms[0] ?? ""));
  // A query of nothing but such words still means them.
  const asked = saying.length > 0 ? saying : query.concepts;
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

/** A line stands for so much more than its file. */
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

type Context = { readonly asked: readonly Concept[]; readonly wanted: ReadonlySet<FileKind> };

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

function kindsAskedFor({ concepts }: ParsedQuery): ReadonlySet<FileKind> {
  const terms = new Set(concepts.map((concept) => concept.terms[0]));
  return new Set(ASKED_BY.filter(([, words]) => words.some((word) => terms.has(word))).map(([kind]) => kind));
}

/** A name's terms are the whole, which counts where there is nothing else, and its words. */
function likeness(terms: ReadonlySet<string>, asked: readonly Concept[]): number {
  const words = Math.max(1, terms.size - 1);
  const said = asked.filter((concept) => concept.terms.some((term) => terms.has(term))).length;
  return Math.min(1, said / Math.max(words, asked.length)) ** 2;
}

/** Which part of the words of a file's name the query says. */
function shareOfName(path: string, asked: readonly Concept[]): number {
  const [whole, ...parts] = termsOf(baseName(path).replaceAll(/[.-]/g, "_"));
  const words = parts.length > 0 ? parts : [whole ?? ""];
  const said = new Set(asked.flatMap((concept) => concept.terms));
  return words.filter((word) => said.has(word)).length / words.length;
}

/** Which part of the concepts the terms hold, in any form. */
function share(concepts: readonly Concept[], terms: ReadonlySet<string>): number {
  return concepts.filter((concept) => concept.terms.some((term) => terms.has(term))).length / Math.max(1, concepts.length);
}

function baseName(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.[^.]*$/, "");
}

type Nearness = {
  /** Which part of what is asked the best few neighbouring lines hold. */
  readonly together: number;
  /** Which part of the query's neighbouring words are neighbours here, too. */
  readonly inOrder: number;
  /** 1 where the text holds all that was written, letter for letter: it was pasted, or quoted. */
  readonly verbatim: number;
};

/** Lines that are looked at together. */
const WINDOW = 4;

/** Fewer words stand together by chance. */
const PASTED_WORDS = 4;

/** How closely what is asked stands together in texts, which have most of their words in common; `written` is how it was asked. */
function createNearness(asked: readonly Concept[], written: string): (text: string) => Nearness {
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

/** `lines` have the places, among `asked` concepts, of those that they hold. */
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
