import type { CodePlace } from "@sightline/observability/contract";
import { formatCount, formatDuration, formatShare, plural } from "#ui/words/format.ts";

/** What a file that is shown defines, and where. */
type Definition = { readonly name: string; readonly start_line: number };

/**
 * What is said of lines whose function ran: how often, how well and how long. A function that ran at another commit is looked for by
 * its name, since its line may have moved; what is not found is not marked.
 */
export function runMarks(
  places: readonly CodePlace[],
  { commit, definitions }: { readonly commit: string; readonly definitions: readonly Definition[] },
): ReadonlyMap<number, string> {
  const placed = places.flatMap((place) => {
    const line = lineOf(place, commit, definitions);
    return line === undefined ? [] : [{ place, line }];
  });
  return new Map([...Map.groupBy(placed, ({ line }) => line)].map(([line, ran]) => [line, describe(ran.map(({ place }) => place))]));
}

function lineOf({ function: name, line, commit: ran }: CodePlace, commit: string, definitions: readonly Definition[]) {
  const named = name === null ? [] : definitions.filter((definition) => lastOf(definition.name) === lastOf(name));
  const [nearest] = named.toSorted((one, other) => Math.abs(one.start_line - line) - Math.abs(other.start_line - line));
  return nearest?.start_line ?? (ran === commit ? line : undefined);
}

function lastOf(name: string): string {
  return /[^.:#]+$/u.exec(name)?.[0] ?? name;
}

/** The p95 of several projects can't be told from theirs; the slowest is. */
function describe(places: readonly CodePlace[]): string {
  const runs = places.reduce((sum, place) => sum + place.runs, 0);
  const failures = places.reduce((sum, place) => sum + place.failures, 0);
  const slowest = Math.max(...places.map((place) => place.p95_ms ?? -1));
  return [
    plural(runs, "run", "runs"),
    ...(failures > 0 ? [`${formatShare(failures / runs)} failed (${formatCount(failures)})`] : []),
    ...(slowest >= 0 ? [`p95 ${places.length > 1 ? "up to " : ""}${formatDuration(slowest)}`] : []),
  ].join(" · ");
}
