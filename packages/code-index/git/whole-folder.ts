import { join } from "node:path";

/** A repository that has all commits of all branches and tags, for questions about what is not indexed. */
export function wholeFolder(mirror: string): string {
  return join(mirror, "revisions");
}

/** When it was last brought up, by the time of this file. */
export const FETCHED = "sightline-fetched";

/** When it was last asked, by the time of this one. */
export const ASKED = "sightline-asked";
