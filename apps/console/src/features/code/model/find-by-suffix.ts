/** Segments at the end that two paths have alike where neither is the end of the other: a name alone is too little. */
const MIN_ALIKE = 2;

/**
 * The file that a path of elsewhere is of, such as `/app/src/agent.py` of a container or `com/acme/Agent.java` of a package: the one
 * that ends most like it. Undefined where none does, or several alike.
 */
export function findBySuffix(paths: readonly string[], path: string): string | undefined {
  const wanted = segmentsOf(path);
  let best: { readonly path: string; readonly alike: number } | undefined;
  let isTied = false;
  for (const candidate of paths) {
    const segments = segmentsOf(candidate);
    const alike = countAlike(segments, wanted);
    if (alike >= Math.min(MIN_ALIKE, segments.length, wanted.length) && alike > 0 && alike >= (best?.alike ?? 0)) {
      isTied = alike === best?.alike;
      best = { path: candidate, alike };
    }
  }
  return isTied ? undefined : best?.path;
}

function segmentsOf(path: string): readonly string[] {
  return path.split(/[\\/]/u).filter((segment) => segment !== "" && segment !== "." && segment !== "..");
}

function countAlike(left: readonly string[], right: readonly string[]): number {
  const most = Math.min(left.length, right.length);
  let alike = 0;
  while (alike < most && left.at(-1 - alike) === right.at(-1 - alike)) {
    alike += 1;
  }
  return alike;
}
