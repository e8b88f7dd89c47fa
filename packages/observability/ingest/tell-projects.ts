import type { Redis } from "@sightline/foundation/redis";
import type { Query } from "#schema.ts";

/** Redis keeps no empty set, and no set at all means that nobody knows. */
const NO_PROJECT = "-";

type TellOptions = { readonly redis: Redis; readonly key: string; readonly livesMs: number };

/** Leaves the ids of all projects in Redis, where SDKs look whether theirs is one of them: they know nothing but Redis. */
export async function tellProjects(query: Query, { redis, key, livesMs }: TellOptions): Promise<void> {
  const projects = await query.selectFrom("observability.projects").select("id").execute();
  await redis
    .multi()
    .del(key)
    .sadd(key, NO_PROJECT, ...projects.map(({ id }) => id))
    .pexpire(key, livesMs)
    .exec();
}
