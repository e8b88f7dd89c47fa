import type { Clock } from "@sightline/foundation/clock";
import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { findUsualDurations, MAX_NAME, type NamedKind } from "./usual-durations.store.ts";

type Query = Kysely<ObservabilitySchema>;

/** Milliseconds that 99 of 100 of a name take; undefined when that is not known. */
export type UsualDurations = (step: NamedKind) => number | undefined;

const FRESH_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const DAYS_MS = 7 * 24 * 3_600_000;

/** The usual durations of the last seven days, kept for a minute: a trace that runs is asked for again and again. */
export function createUsualDurations({ query, clock }: { readonly query: Query; readonly clock: Clock }) {
  const known = new Map<string, { readonly p99Ms: number | undefined; readonly at: number }>();
  return async (projectId: string, steps: readonly NamedKind[]): Promise<UsualDurations> => {
    const now = clock.now().getTime();
    const asked = new Map(steps.map(({ kind, name }) => [keyOf(projectId, { kind, name }), { kind, name: name.slice(0, MAX_NAME) }]));
    const unsure = [...asked].filter(([key]) => now - (known.get(key)?.at ?? -Infinity) >= FRESH_MS);
    if (unsure.length > 0) {
      const found = await findUsualDurations(query, { projectId, since: new Date(now - DAYS_MS), of: unsure.map(([, step]) => step) });
      const byKey = new Map(found.map((row) => [keyOf(projectId, row), row.p99_ms]));
      if (known.size + unsure.length > MAX_REMEMBERED) {
        known.clear();
      }
      for (const [key] of unsure) {
        known.set(key, { p99Ms: byKey.get(key), at: now });
      }
    }
    return (step) => known.get(keyOf(projectId, step))?.p99Ms;
  };
}

function keyOf(projectId: string, { kind, name }: NamedKind): string {
  return `${projectId} ${kind} ${name.slice(0, MAX_NAME)}`;
}
