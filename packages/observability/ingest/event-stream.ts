import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { redisSeconds, type Redis } from "@sightline/foundation/redis";
import { createChunkedReading, type StreamEntry } from "./chunked-reading.ts";

/** Reads new entries, up to `count`; empty when none came within `blockMs`. */
export type ReadEntries = (count: number, blockMs: number) => Promise<readonly StreamEntry[]>;

/** One consumer's view of a partition of the stream and its group. */
export type EventStream = {
  readonly key: string;
  /** Makes the group, and the stream with it, unless they are there. */
  readonly ensureGroup: () => Promise<void>;
  /**
   * @param reader A connection that is used for nothing else, since it waits.
   * @param onEntries Waited for once the first entries are there, before more are read.
   */
  readonly openReading: (reader: Redis, onEntries: () => Promise<void>) => ReadEntries;
  /** Takes over entries that were read `idleMs` ago or longer and never acknowledged; walks on where the last call ended. */
  readonly claim: (count: number, idleMs: number) => Promise<readonly StreamEntry[]>;
  /** Undefined when the Redis user may not ask. */
  readonly deliveriesOf: (id: string) => Promise<number | undefined>;
  /** The age of the oldest entry that was delivered and is not settled; 0 when there is none. */
  readonly oldestPendingMs: () => Promise<number>;
  /** Settles the entries: acknowledges them and removes them from the stream. */
  readonly settle: (ids: readonly string[]) => Promise<void>;
  /** Removes this consumer's name, unless entries are pending under it. */
  readonly leave: () => Promise<void>;
  /** Removes the names of consumers that are gone and have nothing pending. */
  readonly reap: (idleMs: number) => Promise<readonly string[]>;
};

type EventStreamOptions = {
  readonly stream: string;
  readonly group: string;
  readonly consumer: string;
  readonly commands: Redis;
  readonly log: Logger;
};

const FIRST_ID = "0-0";

/** Counts and removes in one step: an entry delivered between the two would be pending for nobody. */
const LEAVE = `
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1`;

type PendingRow = [id: string, consumer: string, idle: number, deliveries: number];

const PENDING_AT_ONCE = 10_000;

type RawEntry = readonly [id: string, fields: string[] | null];

export function createEventStream({ stream, group, consumer, commands, log }: EventStreamOptions): EventStream {
  const claimChunks = createChunkedReading();
  let claimCursor = FIRST_ID;
  let settlesAtOnce: boolean | undefined;

  async function withDeliveries(entries: readonly StreamEntry[]): Promise<readonly StreamEntry[]> {
    const [first, last] = [entries.at(0), entries.at(-1)];
    if (first === undefined || last === undefined) {
      return entries;
    }
    // The entries are claimed by now: whatever fails here, they must be written.
    const reply = await commands.xpending(stream, group, first.id, last.id, PENDING_AT_ONCE, consumer).catch(() => []);
    const rows = reply as PendingRow[];
    const counts = new Map(rows.map(([id, , , deliveries]) => [id, deliveries]));
    return entries.map((entry) => ({ ...entry, deliveries: counts.get(entry.id) ?? 1 }));
  }

  async function remove(name: string): Promise<boolean> {
    return (await commands.eval(LEAVE, 1, stream, group, name)) === 1;
  }

  return {
    key: stream,

    ensureGroup: async () => {
      try {
        // From 0 and not $: what was published before the first consumer came is read too.
        await commands.xgroup("CREATE", stream, group, "0", "MKSTREAM");
        log.info({ stream, group }, "made the consumer group");
      } catch (error) {
        if (!errorMessage(error).startsWith("BUSYGROUP")) {
          throw error;
        }
      }
    },

    openReading: (reader, onEntries) => {
      const readChunks = createChunkedReading();
      return (count, blockMs) =>
        readChunks(count, async (size, isFirst) => {
          const from = ["STREAMS", stream, ">"] as const;
          const reply = isFirst
            ? await reader.xreadgroup("GROUP", group, consumer, "COUNT", size, "BLOCK", blockMs, ...from)
            : await reader.xreadgroup("GROUP", group, consumer, "COUNT", size, ...from);
          const entries = (reply ?? []).flatMap(([, raw]) => toEntries(raw));
          if (isFirst && entries.length > 0) {
            await onEntries();
          }
          return { entries, isLast: entries.length < size };
        });
    },

    claim: async (count, idleMs) => {
      const entries = await claimChunks(count, async (size) => {
        const reply = await commands.xautoclaim(stream, group, consumer, idleMs, claimCursor, "COUNT", size);
        const [next, raw, gone = []] = reply as [string, RawEntry[], string[]?];
        claimCursor = next;
        if (gone.length > 0) {
          log.warn({ entries: gone.length }, "entries left the stream before they were processed: it is trimmed too short");
        }
        return { entries: toEntries(raw), isLast: next === FIRST_ID };
      });
      return withDeliveries(entries);
    },

    deliveriesOf: async (id) => {
      try {
        const [pending] = (await commands.xpending(stream, group, id, id, 1)) as PendingRow[];
        return pending?.[3] ?? 0;
      } catch (error) {
        if (isGroupMissing(error)) {
          return 0;
        }
        if (isForbidden(error)) {
          return undefined;
        }
        throw error;
      }
    },

    oldestPendingMs: async () => {
      const [, first] = (await commands.xpending(stream, group)) as [number, string | null];
      if (first === null) {
        return 0;
      }
      return Math.max((await redisSeconds(commands, stream)) * 1000 - Number(first.split("-")[0]), 0);
    },

    settle: async (ids) => {
      if (ids.length === 0) {
        return;
      }
      settlesAtOnce ??= await knowsCommand(commands, "XACKDEL");
      if (settlesAtOnce) {
        try {
          await commands.call("XACKDEL", stream, group, "ACKED", "IDS", ids.length, ...ids);
          return;
        } catch (error) {
          if (!isForbidden(error)) {
            throw error;
          }
          // The user was given its commands one by one, before there was this one.
          settlesAtOnce = false;
        }
      }
      const results = await commands
        .multi()
        .xack(stream, group, ...ids)
        .xdel(stream, ...ids)
        .exec();
      const failure = results?.find(([error]) => error !== null)?.[0];
      if (failure !== undefined && failure !== null) {
        throw failure;
      }
    },

    leave: async () => void (await remove(consumer)),

    reap: async (idleMs) => {
      const rows = (await commands.xinfo("CONSUMERS", stream, group)) as (string | number)[][];
      const gone = rows.map(toConsumer).filter(({ name, idle, pending }) => name !== consumer && pending === 0 && idle >= idleMs);
      const removed: string[] = [];
      for (const { name } of gone) {
        if (await remove(name)) {
          removed.push(name);
        }
      }
      return removed;
    },
  };
}

/** The group is gone: the stream was deleted, or Redis came back without its data. */
export function isGroupMissing(error: unknown): boolean {
  const message = errorMessage(error);
  return message.includes("NOGROUP") || message.includes("UNBLOCKED");
}

function isForbidden(error: unknown): boolean {
  return errorMessage(error).includes("NOPERM");
}

function toEntries(entries: readonly RawEntry[]): readonly StreamEntry[] {
  return entries.flatMap(([id, fields]) => (fields === null ? [] : [{ id, fields }]));
}

function toConsumer(row: readonly (string | number)[]): { name: string; idle: number; pending: number } {
  const valueOf = (field: string) => row[row.indexOf(field) + 1];
  return { name: String(valueOf("name")), idle: Number(valueOf("idle")), pending: Number(valueOf("pending")) };
}

/** Asks for the command and not the version, since compatible servers count their versions differently. */
async function knowsCommand(redis: Redis, name: string): Promise<boolean> {
  try {
    const [info] = (await redis.call("COMMAND", "INFO", name)) as [unknown];
    return info !== null && info !== undefined;
  } catch (error) {
    if (isForbidden(error)) {
      return false;
    }
    throw error;
  }
}
