import type { Redis } from "@sightline/foundation/redis";

export type RedisState = { readonly memoryBytes: number; readonly policy: string };

/** @throws {Error} when Redis does not answer or its user may not ask. */
export async function readRedisState(redis: Pick<Redis, "info">): Promise<RedisState> {
  const info = await redis.info("memory");
  const valueOf = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1];
  const memory = valueOf("used_memory");
  const policy = valueOf("maxmemory_policy");
  if (memory === undefined || policy === undefined) {
    throw new Error("Redis does not say how much memory it uses.");
  }
  return { memoryBytes: Number(memory), policy };
}
