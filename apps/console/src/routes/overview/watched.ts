import type { Project } from "@sightline/observability/contract";

/** Each costs some calls, again and again. */
const MAX_WATCHED = 5;

/** The projects that are looked into: those in which something ran last. */
export function pickWatched(projects: readonly Project[]): readonly Project[] {
  return projects
    .filter(({ last_trace_at: last }) => last !== null)
    .toSorted((one, other) => (other.last_trace_at ?? "").localeCompare(one.last_trace_at ?? ""))
    .slice(0, MAX_WATCHED);
}
