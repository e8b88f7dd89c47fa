import type { TestProject } from "vitest/node";
import { findPostgres, findRedis, installRedis } from "./find-services.ts";
import { PGLITE } from "./pglite.ts";
import { startPostgres } from "./private-postgres.ts";
import type { PrivateServer } from "./private-server.ts";
import { startRedis } from "./private-redis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL server on which the tests may create databases, or `pglite:` when there is none. */
    readonly databaseUrl: string;
    /** Of a cluster, whose coordinator `databaseUrl` is then: see `global-setup-citus.ts`. */
    readonly workerUrls: readonly string[];
    readonly redisUrl: string;
  }
}

type Service = Pick<PrivateServer, "url"> & Partial<PrivateServer> & { readonly name: string };

/**
 * Hands every test file the services to test against, and stops what it started when the run ends.
 *
 * `TEST_DATABASE_URL` and `TEST_REDIS_URL` name servers to use. Without them: a PostgreSQL with pgvector and a Redis found on
 * the machine or made by `tools/test-services.sh`, started as private instances; else PGlite, and Redis installed by apt-get.
 * With `REQUIRE_REAL_SERVICES=1` there is no falling back.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl, REQUIRE_REAL_SERVICES: required } = process.env;
  const postgres = await providePostgres(databaseUrl, required === "1");
  const stopPostgres = async () => postgres.stop?.();
  const redis = await provideRedis(redisUrl).catch(async (error: unknown) => {
    await stopPostgres();
    throw error;
  });
  console.log(`Testing against ${postgres.name} and ${redis.name}.`);
  if (postgres.url === PGLITE) {
    const who = process.getuid?.() === 0 ? "" : ", as root";
    console.log(
      `Tests of sessions at once, killed processes and backups are skipped. To run them too, once${who} on Debian: tools/test-services.sh`,
    );
  }
  project.provide("databaseUrl", postgres.url);
  project.provide("workerUrls", []);
  project.provide("redisUrl", redis.url);
  return async () => {
    await Promise.all([stopPostgres(), redis.stop?.()]);
  };
}

async function providePostgres(url: string | undefined, required: boolean): Promise<Service> {
  if (isGiven(url)) {
    return { url, name: "the PostgreSQL of TEST_DATABASE_URL" };
  }
  const found = await findPostgres();
  if (found !== undefined) {
    return { ...(await startPostgres(found)), name: `PostgreSQL of ${found.installation.name}` };
  }
  if (required) {
    throw new Error(
      "REQUIRE_REAL_SERVICES=1, but there is no PostgreSQL 15+ with pgvector and pg_trgm here. Run tools/test-services.sh (as root, on Debian), or set TEST_DATABASE_URL.",
    );
  }
  return { url: PGLITE, name: "PGlite" };
}

export async function provideRedis(url: string | undefined): Promise<Service> {
  if (isGiven(url)) {
    return { url, name: "the Redis of TEST_REDIS_URL" };
  }
  let found = await findRedis();
  if (found === undefined) {
    installRedis();
    found = await findRedis();
  }
  if (found === undefined) {
    throw new Error(
      "The tests need a redis-server or valkey-server. Install it (apt install redis-server, brew install redis), or set TEST_REDIS_URL.",
    );
  }
  return { ...(await startRedis(found)), name: `Redis of ${found.installation.name}` };
}

function isGiven(url: string | undefined): url is string {
  return url !== undefined && url !== "";
}
