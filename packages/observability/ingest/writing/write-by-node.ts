import type { Clock } from "@sightline/foundation/clock";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Query } from "#schema.ts";
import { isNodeAway } from "#store/node-away.ts";
import type { DirectNodes } from "#store/nodes/direct-nodes.ts";
import { findPlaces, type Place } from "#store/project-groups.ts";
import { takeMarkIds, writeToShard } from "./write-to-shard.store.ts";
import type { BatchRows } from "./batch-rows.ts";
import { writeBatch, type MarkIds } from "./write-batch.store.ts";

type Options = {
  readonly query: Query;
  readonly clock: Clock;
  readonly log: Logger;
  /** Without it everything goes through the coordinator. */
  readonly directNodes: DirectNodes | undefined;
};

/** Writes rows where they belong. */
export type Put = (rows: BatchRows) => Promise<void>;

type Work<Item> = {
  readonly items: readonly Item[];
  readonly projectOf: (item: Item) => string | undefined;
  /** Others become dead letters, whose table is on the coordinator. */
  readonly isReadable: (item: Item) => boolean;
  readonly write: (items: readonly Item[], put: Put) => Promise<void>;
};

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** A node that lets who calls it wait takes at most a fifth of the time from the others. */
const PAUSES_OF_A_TRY = 4;

/**
 * Writes what is of one node of a cluster in one go, each by itself, so that a node that is away keeps nothing from the others; to nodes that can be
 * written to directly a shard in one go. One that was away is tried again after a pause. On one PostgreSQL, which is no cluster, all is written in
 * one go.
 *
 * @returns what was not written since its node is away.
 * @throws whatever else keeps it from being written.
 */
export function createWritingByNode({ query, clock, log, directNodes }: Options) {
  const awayUntil = new Map<number, number>();
  const throughCoordinator: Put = (rows) => writeBatch(query, rows);

  return async <Item>({ items, projectOf, isReadable, write }: Work<Item>): Promise<readonly Item[]> => {
    const places = await findPlaces(query, new Set(items.flatMap((item) => projectOf(item) ?? [])));
    const placeOf = (item: Item | undefined) => places.get((item === undefined ? undefined : projectOf(item)) ?? "");
    const directPlaceOf = (item: Item | undefined) => {
      const place = item !== undefined && isReadable(item) ? placeOf(item) : undefined;
      return place !== undefined && directNodes?.isOpen(place) === true ? place : undefined;
    };
    let markIds: Promise<MarkIds> | undefined;
    const putAt = (direct: Place | undefined): Put => {
      if (direct === undefined || directNodes === undefined) {
        return throughCoordinator;
      }
      return async (rows) => {
        markIds ??= takeMarkIds(query);
        const writing = { coordinator: query, markIds: await markIds };
        const written =
          rows.deadLetters.length > 0 ? undefined : await directNodes.at(direct, (shard) => writeToShard({ ...writing, shard }, rows));
        if (written === undefined) {
          await throughCoordinator(rows);
        }
      };
    };
    const left: Item[] = [];
    const groups = Map.groupBy(items, (item) => {
      const direct = directPlaceOf(item);
      return direct === undefined ? `node ${placeOf(item)?.node}` : `shard ${direct.shard}`;
    });
    for (const own of groups.values()) {
      const [first] = own;
      const node = placeOf(first)?.node;
      const startedAt = clock.now().getTime();
      if (node !== undefined && (awayUntil.get(node) ?? 0) > startedAt) {
        left.push(...own);
        continue;
      }
      try {
        await write(own, putAt(directPlaceOf(first)));
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
