import { systemClock, type Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import type { Query } from "#schema.ts";
import { findIssues, findMarkedProjects } from "./find-issues.store.ts";

/** Steps of each project in one run. */
const MAX_ROUNDS = 20;

type Options = { readonly query: Query; readonly log: Logger; readonly clock?: Clock };

/** Gives failing traces that were counted their issues. Projects take turns, a step each; what fails for one stops no other. Tells false when there was nothing to do. */
export function createIssueFinding({ query, log, clock = systemClock }: Options): (signal: AbortSignal) => Promise<false | undefined> {
  const eachProject = createEachOwner({ log, clock, name: "finding the issues of a project" });
  return async (signal) => {
    const projects = await findMarkedProjects(query);
    let waiting = projects;
    for (let round = 0; round < MAX_ROUNDS && waiting.length > 0; round += 1) {
      const unfinished: string[] = [];
      await eachProject(waiting, {
        idOf: (projectId) => projectId,
        work: async (projectId) => {
          if (await findIssues(query, projectId)) {
            unfinished.push(projectId);
          }
        },
        signal,
      });
      waiting = unfinished;
    }
    return projects.length === 0 ? false : undefined;
  };
}
