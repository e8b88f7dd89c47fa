import type { Clock } from "@sightline/foundation/clock";

type KnownProjectsOptions = {
  /** Those of the ids that are projects. */
  readonly find: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly clock: Clock;
};

const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/**
 * Tells which project ids exist. A project that was found is not asked for again for a minute;
 * one that was not is asked for each time, so that its events are taken as soon as it exists.
 */
export function createKnownProjects({ find, clock }: KnownProjectsOptions): (ids: readonly string[]) => Promise<ReadonlySet<string>> {
  const foundAt = new Map<string, number>();
  return async (ids) => {
    const now = clock.now().getTime();
    const unsure = [...new Set(ids)].filter((id) => (foundAt.get(id) ?? -Infinity) <= now - REMEMBERED_MS);
    const found = new Set(unsure.length === 0 ? [] : await find(unsure));
    if (foundAt.size + found.size > REMEMBERED_MAX) {
      foundAt.clear();
    }
    const known = new Set(ids.filter((id) => found.has(id) || (foundAt.has(id) && !unsure.includes(id))));
    for (const id of found) {
      foundAt.set(id, now);
    }
    return known;
  };
}
