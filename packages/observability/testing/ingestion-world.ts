import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { createRedis, type RedisConnection } from "@sightline/foundation/redis";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { setTimeout as delay } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import type { Tuning } from "#ingest/tuning.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createConsumerReplica, type ConsumerReplica } from "./consumer-processes.ts";
import { createKillablePostgres, createKillableRedis, type KillableServer } from "@sightline/foundation/testing/killable-server";
import type { NumberedEntry } from "./numbered-events.ts";

/** A Redis, a database and two replicas of the consumer, each in processes of its own that can be killed. */
export type IngestionWorld = {
  readonly stream: string;
  readonly projectId: string;
  readonly redisServer: KillableServer;
  readonly databaseServer: KillableServer;
  readonly replicas: readonly ConsumerReplica[];
  readonly redis: RedisConnection["client"];
  readonly database: Database<ObservabilitySchema>;
  /** Until every one of them is acknowledged; what is not sure to have arrived is sent again. */
  readonly publish: (entries: readonly NumberedEntry[]) => Promise<void>;
  /** Takes the oldest entries off the stream behind the consumers' back; their fields. */
  readonly trim: (count: number) => Promise<readonly (readonly string[])[]>;
  readonly backlog: () => Promise<number>;
  /** Entries that a consumer has read and not yet acknowledged. */
  readonly inHand: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** As in the product, but that nobody need wait: an entry is taken over after half a second and not fifteen. */
export const HASTY_TUNING = {
  blockMs: 100,
  claimIdleMs: 500,
  claimEveryMs: 200,
  reorderWindowMs: 2_000,
  findGapsEveryMs: 200,
  firstRetryMs: 20,
  lastRetryMs: 500,
};

const RETRY_MS = 50;
const GROUP = "proof";

export async function startIngestionWorld(kind: "postgres" | "pglite", tuning: Partial<Tuning>): Promise<IngestionWorld> {
  const [redisServer, databaseServer] = await Promise.all([createKillableRedis(), createKillablePostgres(kind)]);
  await Promise.all([redisServer.start(), databaseServer.start()]);
  const stream = "observability:events";
  const database = createDatabase<ObservabilitySchema>({ url: databaseServer.url, poolSize: 2, applicationName: "proof", log: silentLog });
  await migrateUp(database.pool, observabilityMigrations);
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "proof" });
  const redis = createRedis({ url: redisServer.url, name: "proof", log: silentLog });
  await redis.client.connect();
  const options = { databaseUrl: databaseServer.url, redisUrl: redisServer.url, stream, group: GROUP, tuning };
  const replicas = [createConsumerReplica(options), createConsumerReplica(options)];
  replicas.forEach((replica) => replica.start());

  async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch {
        await delay(RETRY_MS);
      }
    }
  }

  return {
    stream,
    projectId,
    redisServer,
    databaseServer,
    replicas,
    redis: redis.client,
    database,
    publish: (entries) =>
      patiently(async () => {
        const pipeline = redis.client.pipeline();
        for (const { fields } of entries) {
          pipeline.xadd(stream, "*", ...fields);
        }
        const replies = await pipeline.exec();
        if (replies === null || replies.some(([error]) => error !== null)) {
          throw new Error("not all of them are acknowledged");
        }
      }),
    trim: async (count) => {
      const entries = await redis.client.xrange(stream, "-", "+", "COUNT", count + 1);
      const [firstKept] = entries.pop() ?? [];
      if (firstKept === undefined) {
        throw new Error("There is nothing to trim.");
      }
      await redis.client.xtrim(stream, "MINID", firstKept);
      return entries.map(([, fields]) => fields);
    },
    backlog: () => patiently(() => redis.client.xlen(stream)),
    inHand: () =>
      patiently(async () => {
        const [count] = await redis.client.xpending(stream, GROUP);
        return Number(count);
      }),
    stop: async () => {
      await Promise.all(replicas.map((replica) => replica.kill()));
      await Promise.all([redis.close(), database.close()]);
      await Promise.all([redisServer.remove(), databaseServer.remove()]);
    },
  };
}
