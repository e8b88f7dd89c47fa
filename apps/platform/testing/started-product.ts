import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { prepare } from "#compose/prepare.ts";
import { deriveEnvironment, type Environment } from "#settings/environment.ts";
import { freePort } from "./free-port.ts";
import { startRoles, type RunningRoles } from "./running-roles.ts";

export type StartedProduct = {
  readonly database: TestDatabase<unknown>;
  readonly redis: TestRedis;
  readonly environment: Environment;
  readonly roles: RunningRoles;
  readonly stop: () => Promise<void>;
};

/** Every role of the product in this process, over a database and a Redis of its own; with a first admin where there is an ADMIN_EMAIL. */
export async function startProduct(name: string, own: Environment): Promise<StartedProduct> {
  const database = await createTestDatabase();
  const redis = await createTestRedis();
  const home = await mkdtemp(join(tmpdir(), `sightline-${name}-`));
  const secret = "x".repeat(43);
  const { environment } = deriveEnvironment({
    DATABASE_URL: database.url,
    OBSERVABILITY_REDIS_URL: redis.url,
    OBSERVABILITY_STREAM_NAME: `${redis.prefix}events`,
    SIGHTLINE_HOME: home,
    SIGHTLINE_HOST: "127.0.0.1",
    SECRET_KEY: secret,
    ENCRYPTION_KEYS: `k1:${secret}`,
    API_KEY: `studio_${"0".repeat(64)}`,
    IDENTITY_PORT: String(await freePort()),
    CODEINDEX_PORT: String(await freePort()),
    OBSERVABILITY_PORT: String(await freePort()),
    CONSOLE_PORT: String(await freePort()),
    ...own,
  });
  await prepare(environment, silentLog, 10, { firstAdmin: own["ADMIN_EMAIL"] !== undefined, needsCode: true });
  const roles = await startRoles(environment);
  return {
    database,
    redis,
    environment,
    roles,
    stop: async () => {
      await roles.stop();
      await redis.client.quit();
      await database.drop();
      await rm(home, { recursive: true });
    },
  };
}
