import type { Redis } from "ioredis";
import { EVENT_VERSION } from "../event/event.ts";
import { classifyFailure, type PublishFailure, within } from "./publish-failure.ts";
import type { Settings } from "../settings/settings.ts";
import type { EntryFields } from "./event-buffer.ts";

type AppendOutcome<Entry> = {
  /** What Redis did not confirm, in the order it was given. */
  readonly unsent: readonly Entry[];
  readonly failure: PublishFailure | undefined;
};

export type StreamState = {
  readonly length: number;
  readonly consumerAlive: boolean;
  readonly lagSeconds: number;
  /** The platform says which projects there are, and this is none of them. */
  readonly isProjectMissing: boolean;
};

/** One connection to one Redis. It is thrown away on the first sign of trouble, never repaired: nothing piles up inside the client. */
export type StreamConnection = {
  append<Entry extends EntryFields>(entries: readonly Entry[], producerId: string, timeout: number): Promise<AppendOutcome<Entry>>;
  inspect(timeout: number): Promise<StreamState>;
  /** Whether the open socket keeps the process alive. */
  keepAlive(keep: boolean): void;
  isOpen(): boolean;
  close(): void;
};

const HEARTBEAT_KEY = "studio:consumer:heartbeat";
/** The ids of all projects; not there when the platform is older. */
const PROJECTS_KEY = `${HEARTBEAT_KEY}:projects`;

/** Connects and authenticates, or throws a PublishFailure within the time-out. */
export async function openStreamConnection(settings: Settings, timeout: number): Promise<StreamConnection> {
  const { Redis: Client } = await import("ioredis");
  const client = new Client(settings.redisUrl, {
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
  const close = () => destroy(client);
  try {
    await within(
      timeout,
      client.connect().then(() => client.ping()),
    );
  } catch (error) {
    close();
    throw classifyFailure(lastError ?? error);
  }
  return {
    async append(entries, producerId, limit) {
      try {
        return await within(limit, append(client, settings, entries, producerId));
      } catch (error) {
        close();
        return { unsent: entries, failure: classifyFailure(error) };
      }
    },
    inspect: (limit) => within(limit, inspect(client, settings)),
    keepAlive(keep) {
      if (keep) {
        client.stream?.ref();
      } else {
        client.stream?.unref();
      }
    },
    isOpen: () => client.status === "ready",
    close,
  };
}

async function append<Entry extends EntryFields>(
  client: Redis,
  settings: Settings,
  entries: readonly Entry[],
  producerId: string,
): Promise<AppendOutcome<Entry>> {
  const pipeline = client.pipeline();
  for (const { id, type, seq, ts, body } of entries) {
    const fields = ["v", EVENT_VERSION, "id", id, "type", type, "project_id", settings.projectId];
    const more = ["producer_id", producerId, "seq", seq, "ts", ts, "body", body];
    pipeline.xadd(settings.streamName, "MAXLEN", "~", settings.maxStreamLength, "*", ...fields, ...more);
  }
  const results = (await pipeline.exec()) ?? entries.map(() => [new Error("no reply"), undefined] as const);
  const unsent = entries.filter((_entry, index) => results[index]?.[0] !== null);
  const error = results.find((result) => result[0] !== null)?.[0];
  return { unsent, failure: error === undefined || error === null ? undefined : classifyFailure(error) };
}

async function inspect(client: Redis, settings: Settings): Promise<StreamState> {
  const length = await client.xlen(settings.streamName);
  const consumerAlive = (await client.exists(HEARTBEAT_KEY)) === 1;
  const groups = length === 0 ? [] : deliveredIdentifiers(await client.xinfo("GROUPS", settings.streamName));
  const [seconds, microseconds] = await client.time();
  const now = Number(seconds) + Number(microseconds) / 1e6;
  const lags = await Promise.all(
    (groups.length === 0 ? ["0-0"] : groups).map(async (delivered) => {
      const [first] = await client.xrange(settings.streamName, `(${delivered}`, "+", "COUNT", 1);
      return first === undefined ? 0 : Math.max(0, now - Number(first[0].split("-")[0]) / 1000);
    }),
  );
  return { length, consumerAlive, lagSeconds: Math.max(...lags), isProjectMissing: await isProjectMissing(client, settings) };
}

async function isProjectMissing(client: Redis, { projectId }: Settings): Promise<boolean> {
  try {
    const isMember = await client.sismember(PROJECTS_KEY, projectId.toLowerCase());
    return isMember === 0 && (await client.exists(PROJECTS_KEY)) === 1;
  } catch {
    // A Redis user may be allowed to publish and nothing more.
    return false;
  }
}

/** XINFO GROUPS answers one flat list of names and values per group. */
function deliveredIdentifiers(groups: unknown): string[] {
  return (Array.isArray(groups) ? groups : []).flatMap((group: unknown) => {
    const fields: unknown[] = Array.isArray(group) ? group : [];
    const delivered = fields[fields.indexOf("last-delivered-id") + 1];
    return typeof delivered === "string" ? [delivered] : [];
  });
}

/** A hung server never closes its end, so a polite disconnect would wait for it. */
function destroy(client: Redis): void {
  client.disconnect();
  client.stream?.destroy();
}
