import type { Database } from "@sightline/foundation/database/database";
import type { RedisServer } from "@sightline/foundation/redis";
import type { ObservabilitySchema } from "#schema.ts";

/** Where one of the texts is: every column of every table of the database, and every key of Redis under the prefix with what it holds. */
export async function findText(
  database: Database<ObservabilitySchema>,
  redis: RedisServer,
  texts: readonly string[],
): Promise<readonly string[]> {
  return [...(await findInDatabase(database, texts)), ...(await findInRedis(redis, texts))];
}

async function findInDatabase({ pool }: Database<ObservabilitySchema>, texts: readonly string[]): Promise<readonly string[]> {
  const { rows: columns } = await pool.query<{ relation: string; name: string; type: string }>(`
    select format('%I.%I', table_schema, table_name) as relation, quote_ident(column_name) as name, data_type as type
    from information_schema.columns join information_schema.tables using (table_catalog, table_schema, table_name)
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`);
  const found = new Set<string>();
  for (const { relation, name, type } of columns) {
    const value = type === "bytea" ? `encode(${name}, 'escape')` : `${name}::text`;
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from ${relation} where exists (select from unnest($1::text[]) as text where strpos(${value}, text) > 0)`,
      [texts],
    );
    if ((rows[0]?.count ?? 0) > 0) {
      // A partition has the rows of its parent.
      found.add(`${relation.replace(/_\d{8}$/, "")}.${name}`);
    }
  }
  return [...found].toSorted();
}

async function findInRedis(redis: RedisServer, texts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "COUNT", 1_000);
    cursor = next;
    for (const key of keys) {
      const held = `${key} ${JSON.stringify(await readKey(redis, key))}`;
      if (texts.some((text) => held.includes(text))) {
        found.push(`Redis ${key}`);
      }
    }
  } while (cursor !== "0");
  return found;
}

async function readKey(redis: RedisServer, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case "string":
      return redis.get(key);
    case "hash":
      return redis.hgetall(key);
    case "set":
      return redis.smembers(key);
    case "zset":
      return redis.zrange(key, "0", "-1");
    case "list":
      return redis.lrange(key, "0", "-1");
    case "stream":
      return redis.xrange(key, "-", "+");
    default:
      return undefined;
  }
}
