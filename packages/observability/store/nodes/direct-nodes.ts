import type { Clock } from "@sightline/foundation/clock";
import { isDatabaseAway } from "@sightline/foundation/database-unavailable";
import type { Database } from "@sightline/foundation/database/database";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { findShardTables, type NodeAddress, type Place } from "#store/project-groups.ts";
import { isRefusedData, sqlStateOf } from "#store/refused-data.ts";
import { openShard, ShardMovedError, type Shard } from "./shard-query.ts";

/** Opens the database on another node of the cluster, as the same user and with the same parameters. */
export type OpenNode = (address: NodeAddress) => Database<ObservabilitySchema>;

type Options = { readonly query: Query; readonly openNode: OpenNode; readonly clock: Clock; readonly log: Logger };

/** Works on the nodes of a Citus cluster that have the rows, without its coordinator, which then plans nothing. */
export type DirectNodes = {
  /** Whether there may be worked so; not for a while after it failed. */
  readonly isOpen: (place: Place) => boolean;
  /**
   * @returns what `work` returns, once it is done; otherwise the rest of it is to be done through the coordinator, and the reason is logged.
   * @throws what the coordinator would answer too: refused data, a deadlock, a lock that took too long.
   */
  readonly at: <Result>(place: Place, work: (shard: Shard) => Promise<Result>) => Promise<{ readonly result: Result } | undefined>;
  /** How many nodes are worked on so; 1 at the least. */
  readonly count: () => number;
  readonly close: () => Promise<void>;
};

type Node = {
  readonly database: Database<ObservabilitySchema>;
  readonly shards: Map<number, Promise<Shard>>;
  state: "new" | "open" | "refused";
  pauseMs: number;
  closedUntil: number;
  /** How many shards in a row were not there. */
  misses: number;
};

const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 60_000;

/** More shards in a row than moves explain, each of which meets the few batches that are written at once. */
const MISSES = 5;

/** What who reads without a transaction is told of a shard that was moved. */
const UNDEFINED_TABLE = "42P01";

/** Beside refused data: transactions that lost against others, locks and statements that took too long. */
const PASSING = /^(?:40|55|57014)/;

/** Whether an error is of a node and not of what a project has on it: going on with the next project there makes no sense. */
export function concernsNode(error: unknown): boolean {
  return isDatabaseAway(error) || error instanceof ShardMovedError || sqlStateOf(error) === UNDEFINED_TABLE;
}

export function createDirectNodes({ query, openNode, clock, log }: Options): DirectNodes {
  const nodes = new Map<string, Node>();

  function nodeAt(address: NodeAddress): Node {
    const name = nameOf(address);
    const known = nodes.get(name);
    if (known !== undefined) {
      return known;
    }
    const node: Node = {
      database: openNode(address),
      shards: new Map(),
      state: "new",
      pauseMs: FIRST_PAUSE_MS,
      closedUntil: 0,
      misses: 0,
    };
    nodes.set(name, node);
    return node;
  }

  async function shardAt({ database, shards }: Node, shard: number): Promise<Shard> {
    const known = shards.get(shard);
    if (known !== undefined) {
      return known;
    }
    const asked = findShardTables(query, shard).then((tables) => openShard({ pool: database.pool, shard, tables }));
    shards.set(shard, asked);
    asked.catch(() => shards.delete(shard));
    return asked;
  }

  function reached(node: Node, address: NodeAddress): void {
    if (node.state !== "open") {
      log.info({ node: nameOf(address) }, "what is of its projects is written and counted on a node of the database directly");
    }
    Object.assign(node, { state: "open", pauseMs: FIRST_PAUSE_MS, misses: 0 });
  }

  function failed(node: Node, { address, shard }: Place, error: unknown): void {
    // Where it is now is asked for each batch. A node that has none of them is another server than the coordinator means.
    const isMoved = error instanceof ShardMovedError || sqlStateOf(error) === UNDEFINED_TABLE;
    node.misses += isMoved ? 1 : 0;
    if (isMoved && node.misses < MISSES) {
      return;
    }
    node.shards.delete(shard);
    if (node.state !== "refused") {
      log.warn(
        { node: nameOf(address), reason: messageOf(error) },
        "a node of the database can't be written to directly; its coordinator writes to it, and counts, until it can",
      );
    }
    node.closedUntil = clock.now().getTime() + node.pauseMs;
    Object.assign(node, { state: "refused", pauseMs: Math.min(node.pauseMs * 2, LAST_PAUSE_MS) });
  }

  return {
    isOpen: (place) => place.isWhole && (nodes.get(nameOf(place.address))?.closedUntil ?? 0) <= clock.now().getTime(),
    at: async (place, work) => {
      const node = nodeAt(place.address);
      const shard = await shardAt(node, place.shard);
      try {
        const result = await work(shard);
        reached(node, place.address);
        return { result };
      } catch (error) {
        if (isRefusedData(error) || PASSING.test(sqlStateOf(error))) {
          throw error;
        }
        failed(node, place, error);
        return undefined;
      }
    },
    count: () => Math.max([...nodes.values()].filter((node) => node.state === "open").length, 1),
    close: async () => {
      const opened = [...nodes.values()];
      nodes.clear();
      await Promise.all(opened.map((node) => node.database.close()));
    },
  };
}

function nameOf({ host, port }: NodeAddress): string {
  return `${host}:${port}`;
}
