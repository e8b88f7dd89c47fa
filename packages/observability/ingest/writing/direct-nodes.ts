import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { findShardTables, type NodeAddress, type Place } from "#store/project-groups.ts";
import { batchStatements, type BatchStatements } from "./batch-statements.ts";
import { isRefusedData, sqlStateOf } from "./refused-data.ts";
import { ShardMovedError, writeToShard } from "./write-to-shard.store.ts";
import type { BatchRows, MarkIds } from "./write-batch.store.ts";

/** Opens the database on another node of the cluster, as the same user and with the same parameters. */
export type OpenNode = (address: NodeAddress) => Database<ObservabilitySchema>;

type Options = { readonly query: Query; readonly openNode: OpenNode; readonly clock: Clock; readonly log: Logger };

/** Writes to the nodes of a Citus cluster that have the rows, without its coordinator, which then plans nothing. */
export type DirectNodes = {
  /** Whether rows of a project there may be written so; not for a while after they could not. */
  readonly isOpen: (place: Place) => boolean;
  /**
   * @returns whether they are written. Otherwise the coordinator is to write them; the reason is logged.
   * @throws what the coordinator would answer too: refused data, a deadlock, a lock that took too long.
   */
  readonly write: (place: Place, rows: BatchRows, markIds: MarkIds) => Promise<boolean>;
  /** How many nodes are written to so; 1 at the least. */
  readonly count: () => number;
  readonly close: () => Promise<void>;
};

type Node = {
  readonly database: Database<ObservabilitySchema>;
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

/** Beside refused data: transactions that lost against others, locks and statements that took too long. */
const PASSING = /^(?:40|55|57014)/;

export function createDirectNodes({ query, openNode, clock, log }: Options): DirectNodes {
  const nodes = new Map<string, Node>();
  const statements = new Map<number, Promise<BatchStatements>>();

  function nodeAt(address: NodeAddress): Node {
    const name = nameOf(address);
    const node = nodes.get(name) ?? { database: openNode(address), state: "new", pauseMs: FIRST_PAUSE_MS, closedUntil: 0, misses: 0 };
    nodes.set(name, node);
    return node;
  }

  async function statementsOf(shard: number): Promise<BatchStatements> {
    const known = statements.get(shard);
    if (known !== undefined) {
      return known;
    }
    const asked = prepare(query, shard);
    statements.set(shard, asked);
    asked.catch(() => statements.delete(shard));
    return asked;
  }

  function reached(node: Node, address: NodeAddress): void {
    if (node.state !== "open") {
      log.info({ node: nameOf(address) }, "events of its projects are written to a node of the database directly");
    }
    Object.assign(node, { state: "open", pauseMs: FIRST_PAUSE_MS, misses: 0 });
  }

  function failed(node: Node, { address, shard }: Place, error: unknown): void {
    // Where it is now is asked for each batch. A node that has none of them is another server than the coordinator means.
    node.misses += error instanceof ShardMovedError ? 1 : 0;
    if (error instanceof ShardMovedError && node.misses < MISSES) {
      return;
    }
    statements.delete(shard);
    if (node.state !== "refused") {
      log.warn(
        { node: nameOf(address), reason: messageOf(error) },
        "a node of the database can't be written to directly; its coordinator writes to it until it can",
      );
    }
    node.closedUntil = clock.now().getTime() + node.pauseMs;
    Object.assign(node, { state: "refused", pauseMs: Math.min(node.pauseMs * 2, LAST_PAUSE_MS) });
  }

  return {
    isOpen: (place) => place.isWhole && (nodes.get(nameOf(place.address))?.closedUntil ?? 0) <= clock.now().getTime(),
    write: async (place, rows, markIds) => {
      const own = await statementsOf(place.shard);
      const node = nodeAt(place.address);
      try {
        await writeToShard({ coordinator: query, node: node.database.query, shard: place.shard, statements: own, markIds }, rows);
        reached(node, place.address);
        return true;
      } catch (error) {
        if (isRefusedData(error) || PASSING.test(sqlStateOf(error))) {
          throw error;
        }
        failed(node, place, error);
        return false;
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

async function prepare(query: Query, shard: number): Promise<BatchStatements> {
  const tables = await findShardTables(query, shard);
  return batchStatements((table) => `observability.${tables.get(table) ?? table}`, { areMarksNumbered: true });
}

function nameOf({ host, port }: NodeAddress): string {
  return `${host}:${port}`;
}
