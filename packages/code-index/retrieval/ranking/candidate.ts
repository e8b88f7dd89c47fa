import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import type { FusedChunk } from "./fuse.ts";

/** A place that a leg found. */
export type Candidate = {
  readonly fused: FusedChunk;
  readonly chunk: FoundChunk;
  /** What each of the query's terms adds to its BM25 score; empty where BM25 has no part. */
  readonly contributions: readonly number[];
  /** The cosine of its vector and the query's; undefined where there are no two vectors. */
  readonly likeness: number | undefined;
  /** The words of the subjects of its file's commits, with blanks between them; empty where none is known. */
  readonly subjectWords: string;
};

/** A candidate's file, of all repositories. */
export function fileOf({ chunk: { repo, path } }: Candidate): string {
  return `${repo}\0${path}`;
}
