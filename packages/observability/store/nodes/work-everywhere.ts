import type { Query } from "#schema.ts";
import { listPlaces, type Place } from "#store/project-groups.ts";
import type { DirectNodes } from "./direct-nodes.ts";

/** Does some of what waits for all projects of a database; false when there was nothing. */
export type Work = (query: Query) => Promise<false | undefined>;

type Options = { readonly query: Query; readonly directNodes: DirectNodes | undefined };

/**
 * Does work for all projects: on one PostgreSQL once, on a Citus cluster for each shard on its node, all nodes at the same time, and once more
 * through the coordinator where shards are left that can't be worked on directly. What is left of a node that is away keeps nothing from the others.
 *
 * @throws the first error, after everything else is done.
 */
export function createWorkEverywhere({ query, directNodes }: Options): (work: Work) => Promise<false | undefined> {
  return async (work) => {
    const places = directNodes === undefined ? [] : await listPlaces(query);
    if (directNodes === undefined || places.length === 0) {
      return work(query);
    }
    const found: (false | undefined)[] = [];
    const errors: unknown[] = [];
    let isLeft = false;
    const workAt = async (place: Place) => {
      try {
        const done = directNodes.isOpen(place) ? await directNodes.at(place, (shard) => work(shard.query)) : undefined;
        isLeft ||= done === undefined;
        found.push(...(done === undefined ? [] : [done.result]));
      } catch (error) {
        errors.push(error);
      }
    };
    await Promise.all(
      [...Map.groupBy(places, ({ node }) => node).values()].map(async (ofNode) => {
        for (const place of ofNode) {
          await workAt(place);
        }
      }),
    );
    if (isLeft) {
      found.push(await work(query));
    }
    if (errors.length > 0) {
      throw errors[0];
    }
    return found.every((each) => each === false) ? false : undefined;
  };
}
