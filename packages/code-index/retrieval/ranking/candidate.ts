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

/** The number of each candidate's file, of all repositories: from 0, in the order in which the files first come. */
export function numberFiles(candidates: readonly Pick<Candidate, "chunk">[]): readonly number[] {
  const repositories = new Map<string, Map<string, number>>();
  let count = 0;
  return candidates.map(({ chunk: { repo, path } }) => {
    const paths = repositories.get(repo) ?? new Map<string, number>();
    repositories.set(repo, paths);
    const number = paths.get(path) ?? count++;
    paths.set(path, number);
    return number;
  });
}
