import type { Comparison } from "#contract.ts";
import type { LoadedStep } from "./load-run.ts";

type Sides = { readonly a: readonly LoadedStep[]; readonly b: readonly LoadedStep[] };
type Place = { readonly repo: string | null; readonly file: string; commits: Set<string>; functions: Set<string> };

/** Of one file; the rest are in the steps. */
const MAX_FUNCTIONS = 20;

/** Which commits ran, and the files that steps of both runs ran from, at different ones. */
export function compareCode({ a, b }: Sides): Comparison["code"] {
  const [filesA, filesB] = [placesOf(a), placesOf(b)];
  const repos = new Set([...filesA.values(), ...filesB.values()].map(({ repo }) => repo));
  return {
    repositories: Array.from(repos, (repo) => ({ repo, a: commitsOf(filesA, repo), b: commitsOf(filesB, repo) })),
    files: [...filesA].flatMap(([key, inA]) => {
      const inB = filesB.get(key);
      const [commitA, commitB] = [[...inA.commits].at(-1), [...(inB?.commits ?? [])].at(-1)];
      return inB === undefined || commitA === undefined || commitB === undefined || commitA === commitB
        ? []
        : [
            {
              repo: inA.repo,
              file: inA.file,
              functions: [...new Set([...inA.functions, ...inB.functions])].slice(0, MAX_FUNCTIONS),
              a: commitA,
              b: commitB,
            },
          ];
    }),
  };
}

function placesOf(steps: readonly LoadedStep[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { shown } of steps) {
    if (shown.code !== null) {
      const { repo = null, commit, file, function: name } = shown.code;
      const key = JSON.stringify([repo, file]);
      const place = places.get(key) ?? { repo, file, commits: new Set(), functions: new Set() };
      places.set(key, place);
      if (commit !== undefined) {
        place.commits.add(commit);
      }
      if (name !== undefined) {
        place.functions.add(name);
      }
    }
  }
  return places;
}

function commitsOf(places: ReadonlyMap<string, Place>, repo: string | null): string[] {
  return [...new Set([...places.values()].filter((place) => place.repo === repo).flatMap(({ commits }) => [...commits]))];
}
