/** The first parents of a branch's commits, by position: along them the commits are a tree. */
export type FirstParents = {
  /** `undefined` where it is not kept. */
  readonly of: (position: number) => number | undefined;
  /** Whether all that the commit changed is kept. */
  readonly isWhole: (position: number) => boolean;
};

export type PackedCommit = {
  readonly position: number;
  readonly commit: string;
  readonly parent: string | null;
  readonly whole: boolean;
};

const BYTES = 4;

/**
 * Four bytes for each position from the first to the last: how far below a commit its first parent is, and in the lowest bit whether
 * all that it changed is kept. So the way between any two commits is found without reading the commits on it.
 */
export function packFirstParents(
  commits: readonly PackedCommit[],
  { first, last }: { readonly first: number; readonly last: number },
): Buffer {
  const positions = new Map(commits.map(({ commit, position }) => [commit, position]));
  const packed = Buffer.alloc(Math.max(last - first + 1, 0) * BYTES);
  for (const { position, parent, whole } of commits) {
    const below = position - (positions.get(parent ?? "") ?? position);
    packed.writeUInt32LE(below * 2 + Number(whole), (position - first) * BYTES);
  }
  return packed;
}

export function unpackFirstParents(packed: Buffer, first: number): FirstParents {
  const at = (position: number) => packed.readUInt32LE((position - first) * BYTES);
  return {
    of: (position) => {
      const below = at(position) >>> 1;
      return below === 0 ? undefined : position - below;
    },
    isWhole: (position) => at(position) % 2 === 1,
  };
}
