import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { createRedis, redisServers, type RedisConnection, type RedisServer } from "#redis.ts";
import { silentLog } from "./silent-log.ts";

export type TestRedis = Omit<RedisConnection, "client"> & {
  readonly client: RedisServer;
  readonly url: string;
  /** Put before every key and stream name of the test file. */
  readonly prefix: string;
};

/** A connected client and a key prefix of the test file's own. */
export async function createTestRedis(): Promise<TestRedis> {
  const url = inject("redisUrl");
  const connection = createRedis({ url, name: "sightline-test", log: silentLog });
  const [client] = redisServers(connection.client);
  if (client === undefined) {
    throw new Error("The Redis of the tests is one server, no cluster.");
  }
  await client.connect();
  return { ...connection, client, url, prefix: `test:${randomUUID()}:` };
}
