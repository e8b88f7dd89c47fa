import type { Clock } from "@sightline/foundation/clock";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Query } from "#schema.ts";
import { isNodeAway } from "#store/node-away.ts";
import { findNodes } from "#store/project-groups.ts";

type Options = { readonly query: Query; readonly clock: Clock; readonly log: Logger };

type Work<Item> = {
  readonly items: readonly Item[];
  readonly projectOf: (item: Item) => string | undefined;
  readonly write: (items: readonly Item[]) => Promise<void>;
};

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** A node that lets who calls it wait takes at most a fifth of the time from the others. */
const PAUSES_OF_A_TRY = 4;

/**
 * Writes what is of one node of a cluster in one go, each by itself, so that a node that is away keeps nothing from the others. One that was away is
 * tried again after a pause. On one PostgreSQL, which is no cluster, all is written in one go.
 *
 * @returns what was not written since its node is away.
 * @throws whatever else keeps it from being written.
 */
export function createWritingByNode({ query, clock, log }: Options) {
  const awayUntil = new Map<number, number>();

  return async <Item>({ items, projectOf, write }: Work<Item>): Promise<readonly Item[]> => {
    const nodes = await findNodes(query, new Set(items.flatMap((item) => projectOf(item) ?? [])));
    const nodeOf = (item: Item) => nodes.get(projectOf(item) ?? "");
    const left: Item[] = [];
    for (const [node, own] of Map.groupBy(items, nodeOf)) {
      const startedAt = clock.now().getTime();
      if (node !== undefined && (awayUntil.get(node) ?? 0) > startedAt) {
        left.push(...own);
        continue;
      }
      try {
        await write(own);
      } catch (error) {
        if (node === undefined || !isNodeAway(error)) {
          throw error;
        }
        const now = clock.now().getTime();
        const pause = Math.min(Math.max((now - startedAt) * PAUSES_OF_A_TRY, MIN_PAUSE_MS), MAX_PAUSE_MS);
        awayUntil.set(node, now + pause);
        log.error(
          { entries: own.length, reason: messageOf(error) },
          "a node of the database is away; its projects' events stay on the stream",
        );
        left.push(...own);
      }
    }
    return left;
  };
}
