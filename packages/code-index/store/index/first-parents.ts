import { deflateSync, inflateSync } from "node:zlib";

/** The first parents of a branch's commits, by position: along them the commits are a tree. */
export type FirstParents = {
  /** `undefined` where it is not kept. */
  readonly of: (position: number) => number | undefined;
  /** Whether all that the commit changed is kept. */
  readonly isWhole: (position: number) => boolean;
  readonly isMerge: (position: number) => boolean;
};

export type PackedCommit = {
  readonly position: number;
  readonly commit: string;
  readonly parents: readonly string[];
  readonly whole: boolean;
};

const BYTES = 4;
const [WHOLE, MERGE, BITS] = [1, 2, 2];

/**
 * Four bytes for each position from the first to the last, compressed: how far below a commit its first parent is, and two bits. So the
 * way between any two commits is found without reading the commits on it.
 */
export function packFirstParents(
  commits: readonly PackedCommit[],
  { first, last }: { readonly first: number; readonly last: number },
): Buffer {
  const positions = new Map(commits.map(({ commit, position }) => [commit, position]));
  const packed = Buffer.alloc(Math.max(last - first + 1, 0) * BYTES);
  for (const { position, parents, whole } of commits) {
    const below = position - (positions.get(parents[0] ?? "") ?? position);
    const bits = (whole ? WHOLE : 0) | (parents.length > 1 ? MERGE : 0);
    packed.writeUInt32LE((below << BITS) | bits, (position - first) * BYTES);
  }
  return deflateSync(packed);
}

export function unpackFirstParents(deflated: Buffer, first: number): FirstParents {
  const packed = inflateSync(deflated);
  const at = (position: number) => packed.readUInt32LE((position - first) * BYTES);
  return {
    of: (position) => {
      const below = at(position) >>> BITS;
      return below === 0 ? undefined : position - below;
    },
    isWhole: (position) => (at(position) & WHOLE) !== 0,
    isMerge: (position) => (at(position) & MERGE) !== 0,
  };
}
