import type { RedisServer } from "@sightline/foundation/redis";

/** What is asked of a server. */
export type AskedServer = Pick<RedisServer, "info">;

export type RedisState = {
  /** What the fullest server uses, since each has a limit of its own. */
  readonly memoryBytes: number;
  /** `noeviction` only when it is that of every server. */
  readonly policy: string;
};

/** @throws {Error} when Redis does not answer or its user may not ask. */
export async function readRedisState(servers: readonly AskedServer[]): Promise<RedisState> {
  const states = await Promise.all(servers.map(readServerState));
  const policies = states.map(({ policy }) => policy);
  return {
    memoryBytes: Math.max(...states.map(({ memoryBytes }) => memoryBytes)),
    policy: policies.find((policy) => policy !== "noeviction") ?? "noeviction",
  };
}

async function readServerState(server: AskedServer): Promise<RedisState> {
  const info = await server.info("memory");
  const valueOf = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1];
  const memory = valueOf("used_memory");
  const policy = valueOf("maxmemory_policy");
  if (memory === undefined || policy === undefined) {
    throw new Error("Redis does not say how much memory it uses.");
  }
  return { memoryBytes: Number(memory), policy };
}
