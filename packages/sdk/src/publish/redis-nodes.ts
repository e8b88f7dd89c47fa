import type { Redis } from "ioredis";
import { addressesOf } from "../settings/redis-addresses.ts";
import { type EntryReply, exchangeEntries } from "./entry-replies.ts";
import { classifyFailure, PublishFailure, within } from "./publish-failure.ts";

/**
 * The servers that a producer has to do with, each with one connection: a Redis, or of a Redis Cluster the few nodes that have its
 * keys. A node says itself which other one has a key (`MOVED`); that is all a producer needs of a cluster, and a client for clusters
 * would repair connections behind its back.
 */
export type RedisNodes = {
  /**
   * Runs commands of one key at the node that has it. Results are those of the pipeline: commands may fail one by one. When the key has
   * moved since the last time, they fail and all connections are closed.
   */
  run(key: string, queue: (pipeline: Pipeline) => void): Promise<Results>;
  /** The same for so many commands that add entries, written as they go to Redis; good until it is answered. */
  add(key: string, commands: Uint8Array, count: number): Promise<readonly EntryReply[]>;
  /** Whether a node has named another. */
  isCluster(): boolean;
  clients(): readonly Redis[];
  readonly close: () => void;
};

type Pipeline = ReturnType<Redis["pipeline"]>;
export type Results = readonly (readonly [error: Error | null, result: unknown])[];

const MOVED = /^MOVED \d+ (.*):(\d+)$/;

/** Connects to one of the addresses, which are separated by commas in the URL, and authenticates; throws a PublishFailure within the time-out. */
export async function openRedisNodes(redisUrl: string, timeout: number): Promise<RedisNodes> {
  const endsAt = Date.now() + timeout;
  const clients = new Map<string, Redis>();
  const homes = new Map<string, string>();
  let isClosed = false;
  let isCluster = false;

  const clientAt = async (url: string, limit: number): Promise<Redis> => {
    const known = clients.get(url);
    if (known !== undefined) {
      return known;
    }
    const client = await connect(url, limit);
    if (isClosed) {
      destroy(client);
      throw new PublishFailure("disconnected", "the connection to Redis broke");
    }
    const sooner = clients.get(url);
    if (sooner !== undefined) {
      destroy(client);
      return sooner;
    }
    clients.set(url, client);
    return client;
  };
  const close = () => {
    isClosed = true;
    clients.forEach(destroy);
  };

  const first = await openFirst(inAnyOrder(addressesOf(redisUrl)), (url) => clientAt(url, Math.max(1, endsAt - Date.now())));

  const atHome = async <Answers>(key: string, ask: Ask<Answers>, errorsOf: (answers: Answers) => Errors): Promise<Answers> => {
    const home = homes.get(key);
    const url = home ?? first;
    const answers = await inTurn(await clientAt(url, timeout), ask);
    const moved = movedTo(errorsOf(answers), url);
    if (moved === undefined) {
      homes.set(key, url);
      return answers;
    }
    isCluster = true;
    if (home !== undefined) {
      // What was sent to the old node may be gone.
      close();
      return answers;
    }
    homes.set(key, moved);
    return inTurn(await clientAt(moved, timeout), ask);
  };

  return {
    run: (key, queue) =>
      atHome(
        key,
        async (client) => {
          const pipeline = client.pipeline();
          queue(pipeline);
          return (await pipeline.exec()) ?? [];
        },
        (results) => results.map(([error]) => error),
      ),
    add: (key, commands, count) =>
      atHome(
        key,
        (client) => exchangeEntries(client.stream, commands, count),
        (replies) => replies,
      ),
    isCluster: () => isCluster,
    clients: () => [...clients.values()],
    close,
  };
}

/** It need not be the same node that all producers ask first. */
function inAnyOrder(urls: readonly string[]): readonly string[] {
  const start = Math.floor(Math.random() * urls.length);
  return [...urls.slice(start), ...urls.slice(0, start)];
}

async function openFirst(urls: readonly string[], open: (url: string) => Promise<unknown>): Promise<string> {
  let failure: unknown;
  for (const url of urls) {
    try {
      await open(url);
      return url;
    } catch (error) {
      failure ??= error;
    }
  }
  throw classifyFailure(failure);
}

type Ask<Answers> = (client: Redis) => Promise<Answers>;
type Errors = readonly (Error | null)[];

const pendingAnswers = new WeakMap<Redis, Promise<unknown>>();

/** One asks after the other, as entries go past the client. */
function inTurn<Answers>(client: Redis, ask: Ask<Answers>): Promise<Answers> {
  const answers = (pendingAnswers.get(client) ?? Promise.resolve()).then(() => ask(client));
  pendingAnswers.set(
    client,
    answers.catch(() => undefined),
  );
  return answers;
}

/** The address of the node that has the key, when this one has not: with the credentials and options of the one that was asked. */
function movedTo(errors: Errors, asked: string): string | undefined {
  const error = errors.find((each) => each !== null && MOVED.test(each.message));
  const [, host = "", port = ""] = MOVED.exec(error?.message ?? "") ?? [];
  if (port === "") {
    return undefined;
  }
  const url = new URL(asked);
  if (host !== "") {
    url.hostname = host.includes(":") ? `[${host}]` : host;
  }
  url.port = port;
  return url.href;
}

async function connect(url: string, timeout: number): Promise<Redis> {
  const { Redis: Client } = await import("ioredis");
  const client = new Client(url, {
    lazyConnect: true,
    connectTimeout: timeout,
    // It is destroyed at once; a later time-out of the client's would keep a process alive that has nothing left to do.
    disconnectTimeout: 0,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    enableReadyCheck: true,
    maxLoadingRetryTime: timeout,
    retryStrategy: () => null,
    protocol: 2,
    connectionName: "sightline-sdk",
    disableClientInfo: true,
  });
  let lastError: unknown;
  client.on("error", (error: unknown) => {
    lastError = error;
  });
  try {
    await within(
      timeout,
      client.connect().then(() => client.ping()),
    );
    return client;
  } catch (error) {
    destroy(client);
    throw classifyFailure(lastError ?? error);
  }
}

/** A hung server never closes its end, so a polite disconnect would wait for it. */
function destroy(client: Redis): void {
  client.disconnect();
  client.stream?.destroy();
}
