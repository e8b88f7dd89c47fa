import type { Comparison } from "#contract.ts";
import type { LoadedStep } from "./load-run.ts";

type Sides = { readonly a: readonly LoadedStep[]; readonly b: readonly LoadedStep[] };

/** The commits of which steps of each run ran code, by repository. */
export function compareCommits({ a, b }: Sides): Comparison["commits"] {
  const [inA, inB] = [commitsByRepository(a), commitsByRepository(b)];
  return Array.from(new Set([...inA.keys(), ...inB.keys()]), (repo) => ({
    repo,
    a: [...(inA.get(repo) ?? [])],
    b: [...(inB.get(repo) ?? [])],
  }));
}

function commitsByRepository(steps: readonly LoadedStep[]): ReadonlyMap<string | null, ReadonlySet<string>> {
  const found = new Map<string | null, Set<string>>();
  for (const { shown } of steps) {
    if (shown.code?.commit !== undefined) {
      const repo = shown.code.repo ?? null;
      found.set(repo, (found.get(repo) ?? new Set()).add(shown.code.commit));
    }
  }
  return found;
}
