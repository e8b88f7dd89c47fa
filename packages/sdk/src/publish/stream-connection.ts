import type { Settings } from "../settings/settings.ts";
import type { EntryReply } from "./entry-replies.ts";
import { createEntryWriter } from "./entry-writer.ts";
import type { EntryFields } from "./event-buffer.ts";
import { contentsVersionKey, partitionCountKey, partitionKeyOf } from "./partitions.ts";
import { classifyFailure, type PublishFailure, within } from "./publish-failure.ts";
import { openRedisNodes, type RedisNodes } from "./redis-nodes.ts";

type AppendOutcome<Entry> = {
  /** What Redis did not confirm, in the order it was given. */
  readonly unsent: readonly Entry[];
  readonly failure: PublishFailure | undefined;
};

export type StreamState = {
  /** Entries of the partition that this producer's events go to. */
  readonly length: number;
  /** Undefined while the node of a cluster that knows it does not answer. */
  readonly consumerAlive: boolean | undefined;
  readonly lagSeconds: number;
  /** The platform says which projects there are, and this is none of them. */
  readonly isProjectMissing: boolean;
};

/** One connection to one Redis. It is thrown away on the first sign of trouble, never repaired: nothing piles up inside the client. */
export type StreamConnection = {
  /** How many partitions the stream has. */
  readonly partitions: number;
  /** Adds entries to their producer's partition. */
  append<Entry extends EntryFields>(entries: readonly Entry[], producerId: string, timeout: number): Promise<AppendOutcome<Entry>>;
  /** The version of the project's contents; null while there is none, undefined where this Redis user may not read it. */
  contentsVersion(timeout: number): Promise<string | null | undefined>;
  inspect(timeout: number): Promise<StreamState>;
  /** Whether the open sockets keep the process alive. */
  keepAlive(keep: boolean): void;
  isOpen(): boolean;
  close(): void;
};

type ConnectionOptions = {
  readonly settings: Settings;
  readonly producerId: string;
  /** How many partitions there were when this producer first connected: all its events go to the same one. */
  readonly partitions: number | undefined;
};

const HEARTBEAT_KEY = "studio:consumer:heartbeat";
/** The ids of all projects; not there when the platform is older. */
const PROJECTS_KEY = `${HEARTBEAT_KEY}:projects`;
const MAX_PARTITIONS = 64;

/** Connects and authenticates, or throws a PublishFailure within the time-out. */
export async function openStreamConnection({ settings, ...options }: ConnectionOptions, timeout: number): Promise<StreamConnection> {
  const endsAt = Date.now() + timeout;
  const nodes = await openRedisNodes(settings.redisUrl, timeout);
  let isKept = false;
  const keepAlive = (keep: boolean) => {
    isKept = keep;
    nodes.clients().forEach(({ stream }) => (keep ? stream?.ref() : stream?.unref()));
  };
  try {
    const partitions = options.partitions ?? (await within(Math.max(1, endsAt - Date.now()), countPartitions(nodes, settings.streamName)));
    const keyOf = (producerId: string) => partitionKeyOf(settings.streamName, producerId, partitions);
    const writerOf = (producerId: string) => createEntryWriter(settings, keyOf(producerId), producerId);
    const write = writerOf(options.producerId);
    return {
      partitions,
      async append(entries, producerId, limit) {
        try {
          const commands = (producerId === options.producerId ? write : writerOf(producerId))(entries);
          const replies = await within(limit, nodes.add(keyOf(producerId), commands, entries.length));
          keepAlive(isKept);
          return outcomeOf(entries, replies);
        } catch (error) {
          nodes.close();
          return { unsent: entries, failure: classifyFailure(error) };
        }
      },
      async contentsVersion(limit) {
        const partition = keyOf(options.producerId);
        const version = await within(limit, readIfAllowed(nodes, partition, contentsVersionKey(partition, settings.projectId)));
        keepAlive(isKept);
        return version;
      },
      async inspect(limit) {
        const state = await within(limit, inspect(nodes, settings, keyOf(options.producerId)));
        keepAlive(isKept);
        return state;
      },
      keepAlive,
      isOpen: () => nodes.clients().every(({ status }) => status === "ready"),
      close: nodes.close,
    };
  } catch (error) {
    nodes.close();
    throw classifyFailure(error);
  }
}

/** One where nobody says otherwise: the platform is older, or this Redis user may publish and nothing more. */
async function countPartitions(nodes: RedisNodes, stream: string): Promise<number> {
  const key = partitionCountKey(stream);
  const count = Number(await readIfAllowed(nodes, key, key));
  return Number.isInteger(count) && count >= 1 && count <= MAX_PARTITIONS ? count : 1;
}

/** What a key holds that lies where `home` does; undefined where this Redis user may publish and nothing more. */
async function readIfAllowed(nodes: RedisNodes, home: string, key: string): Promise<string | null | undefined> {
  const [[error, value] = [null, null]] = await nodes.run(home, (pipeline) => pipeline.get(key));
  if (error?.message.startsWith("NOPERM") === true) {
    return undefined;
  }
  if (error !== null) {
    throw error;
  }
  return typeof value === "string" ? value : null;
}

function outcomeOf<Entry extends EntryFields>(entries: readonly Entry[], replies: readonly EntryReply[]): AppendOutcome<Entry> {
  const error = replies.find((reply) => reply !== null);
  return error === undefined || error === null
    ? { unsent: [], failure: undefined }
    : { unsent: entries.filter((_entry, index) => replies[index] !== null), failure: classifyFailure(error) };
}

async function inspect(nodes: RedisNodes, settings: Settings, key: string): Promise<StreamState> {
  const one = async (of: string, queue: Parameters<RedisNodes["run"]>[1]) => valueOf((await nodes.run(of, queue))[0]);
  const length = Number(await one(key, (pipeline) => pipeline.xlen(key)));
  const alive = await one(HEARTBEAT_KEY, (pipeline) => pipeline.exists(HEARTBEAT_KEY)).catch((error: unknown) => {
    if (nodes.isCluster()) {
      return undefined;
    }
    throw error;
  });
  const groups = length === 0 ? [] : deliveredIdentifiers(await one(key, (pipeline) => pipeline.xinfo("GROUPS", key)));
  const delivered = groups.length === 0 ? ["0-0"] : groups;
  const [time, ...firsts] = await nodes.run(key, (pipeline) => {
    pipeline.time();
    delivered.forEach((id) => pipeline.xrange(key, `(${id}`, "+", "COUNT", 1));
  });
  const [seconds, microseconds] = valueOf(time) as [string, string];
  const now = Number(seconds) + Number(microseconds) / 1e6;
  const lags = firsts.map((result) => {
    const [first] = valueOf(result) as [string, unknown][];
    return first === undefined ? 0 : Math.max(0, now - Number(first[0].split("-")[0]) / 1000);
  });
  return {
    length,
    consumerAlive: alive === undefined ? undefined : alive === 1,
    lagSeconds: Math.max(...lags),
    isProjectMissing: await isProjectMissing(nodes, settings),
  };
}

async function isProjectMissing(nodes: RedisNodes, { projectId }: Settings): Promise<boolean> {
  try {
    const [isMember, isTold] = await nodes.run(PROJECTS_KEY, (pipeline) =>
      pipeline.sismember(PROJECTS_KEY, projectId.toLowerCase()).exists(PROJECTS_KEY),
    );
    return valueOf(isMember) === 0 && valueOf(isTold) === 1;
  } catch {
    // A Redis user may be allowed to publish and nothing more.
    return false;
  }
}

function valueOf(result: readonly [error: Error | null, result: unknown] | undefined): unknown {
  const [error, value] = result ?? [new Error("no reply")];
  if (error !== null) {
    throw error;
  }
  return value;
}

/** XINFO GROUPS answers one flat list of names and values per group. */
function deliveredIdentifiers(groups: unknown): string[] {
  return (Array.isArray(groups) ? groups : []).flatMap((group: unknown) => {
    const fields: unknown[] = Array.isArray(group) ? group : [];
    const delivered = fields[fields.indexOf("last-delivered-id") + 1];
    return typeof delivered === "string" ? [delivered] : [];
  });
}
