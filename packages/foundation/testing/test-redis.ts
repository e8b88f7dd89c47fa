import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { createRedis, type RedisConnection } from "#redis.ts";
import { silentLog } from "./silent-log.ts";

export type TestRedis = RedisConnection & {
  readonly url: string;
  /** Put before every key and stream name of the test file. */
  readonly prefix: string;
};

/** A connected client and a key prefix of the test file's own. */
export async function createTestRedis(): Promise<TestRedis> {
  const url = inject("redisUrl");
  const connection = createRedis({ url, name: "sightline-test", log: silentLog });
  await connection.client.connect();
  return { ...connection, url, prefix: `test:${randomUUID()}:` };
}
