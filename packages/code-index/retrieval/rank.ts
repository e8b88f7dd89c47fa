import type { FoundChunk } from "#store/read-chunks.store.ts";
import { termsOf } from "#store/terms.ts";
import { fileKindOf, type FileKind } from "./file-kind.ts";
import type { FusedChunk } from "./fuse.ts";
import { isFunctionWord, type Concept, type ParsedQuery } from "./query.ts";

export type RankedChunk = FoundChunk & { readonly score: number; readonly ranks: FusedChunk["ranks"] };

export type Candidate = {
  readonly fused: FusedChunk;
  readonly chunk: FoundChunk;
  /** Which part of the query's words it holds, from 0 to 1. */
  readonly coverage: number;
};

/** The chunk defines what the query names. */
const DEFINES = 3;
/** And its file is named so, too. */
const FILE_NAMED_SO = 1.5;

/** What each part of a query that all of a chunk, its symbols or its path answers is worth. */
const COVERAGE = 0.7;
const SYMBOL_OVERLAP = 0.6;
const PATH_OVERLAP = 1;
/** A file all of whose name the query says, like `pod.go` for "pod discovery". */
const NAMED_AFTER = 0.4;
const COHERENCE = 0.6;

const KIND_FACTORS: Readonly<Record<FileKind, number>> = {
  source: 1,
  test: 0.3,
  example: 0.6,
  declaration: 0.6,
  document: 0.5,
  data: 0.5,
  generated: 0.35,
  vendored: 0.3,
};

/** Each further chunk of a file counts half of the one before: ten places are for more than one file. */
const FURTHER_CHUNK = 0.5;

/** Orders what the legs found by what a person would look at first. */
export function rank(candidates: readonly Candidate[], query: ParsedQuery): readonly RankedChunk[] {
  const asked = query.concepts.filter((concept) => !isFunctionWord(concept.terms[0] ?? ""));
  const wantsKind = kindsAskedFor(query);
  const scored = candidates.map(({ fused, chunk, coverage }): RankedChunk => {
    const kind = fileKindOf(chunk.path);
    const factor =
      definitionFactor(chunk, query) *
      overlapFactor(chunk, asked) *
      (query.shape === "natural" ? 1 + COVERAGE * coverage ** 2 : 1) *
      (wantsKind.has(kind) ? 1 : KIND_FACTORS[kind]);
    return { ...chunk, score: fused.score * factor, ranks: fused.ranks };
  });
  return spread(withCoherence(scored));
}

function kindsAskedFor({ concepts }: ParsedQuery): ReadonlySet<FileKind> {
  const terms = new Set(concepts.map((concept) => concept.terms[0]));
  const kinds: readonly (readonly [FileKind, readonly string[]])[] = [
    ["test", ["test", "tests", "benchmark", "fixture", "mock", "spec"]],
    ["example", ["example", "examples", "demo"]],
    ["document", ["documentation", "readme", "changelog", "license", "docs"]],
    ["data", ["json", "yaml", "toml", "html", "css", "configuration"]],
  ];
  return new Set(kinds.filter(([, words]) => words.some((word) => terms.has(word))).map(([kind]) => kind));
}

function definitionFactor({ symbols, path }: FoundChunk, { names }: ParsedQuery): number {
  const lowered = symbols.map((symbol) => symbol.toLowerCase());
  const exact = names.some((name) => symbols.includes(name));
  const alike = names.some((name) => lowered.includes(name.toLowerCase()));
  if (!exact && !alike) {
    return 1;
  }
  const file = plain(baseName(path));
  const named = names.some((name) => plain(name) === file);
  return (exact ? DEFINES : DEFINES * 0.8) * (named ? FILE_NAMED_SO : 1);
}

function overlapFactor({ path, symbols }: FoundChunk, asked: readonly Concept[]): number {
  if (asked.length === 0) {
    return 1;
  }
  const inPath = share(asked, new Set(termsOf(path)));
  const inSymbols = share(asked, new Set(termsOf(symbols.join(" "))));
  return (1 + PATH_OVERLAP * inPath) * (1 + SYMBOL_OVERLAP * inSymbols) * (1 + NAMED_AFTER * shareOfName(path, asked));
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
  return concepts.filter((concept) => concept.terms.some((term) => terms.has(term))).length / concepts.length;
}

/** A chunk among several good ones of its file is likelier to be in the right place. */
function withCoherence(chunks: readonly RankedChunk[]): readonly RankedChunk[] {
  const sums = new Map<string, number>();
  for (const chunk of chunks) {
    sums.set(fileOf(chunk), (sums.get(fileOf(chunk)) ?? 0) + chunk.score);
  }
  const highest = Math.max(...sums.values());
  return chunks.map((chunk) => ({ ...chunk, score: chunk.score * (1 + COHERENCE * ((sums.get(fileOf(chunk)) ?? 0) / highest)) }));
}

function spread(chunks: readonly RankedChunk[]): readonly RankedChunk[] {
  const seen = new Map<string, number>();
  return chunks
    .toSorted(byScore)
    .map((chunk) => {
      const before = seen.get(fileOf(chunk)) ?? 0;
      seen.set(fileOf(chunk), before + 1);
      return { ...chunk, score: chunk.score * FURTHER_CHUNK ** before };
    })
    .toSorted(byScore);
}

function byScore(one: RankedChunk, other: RankedChunk): number {
  return other.score - one.score || one.chunk_id - other.chunk_id;
}

function fileOf({ repo, path }: FoundChunk): string {
  return `${repo}\0${path}`;
}

function baseName(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.[^.]*$/, "");
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
