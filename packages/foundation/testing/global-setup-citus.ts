import type { TestProject } from "vitest/node";
import { provideRedis } from "./global-setup.ts";
import { startCitus } from "./private-citus.ts";

/** As `global-setup.ts`, with every test database spread over a coordinator and two workers; Citus must have been built. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCitus({ workers: 2 });
  const redis = await provideRedis(process.env["TEST_REDIS_URL"]).catch(async (error: unknown) => {
    await cluster.stop();
    throw error;
  });
  console.log(`Testing against PostgreSQL with Citus, three nodes, and ${redis.name}.`);
  project.provide("databaseUrl", cluster.coordinator);
  project.provide("workerUrls", cluster.workers);
  project.provide("redisUrl", redis.url);
  return async () => {
    await Promise.all([cluster.stop(), redis.stop?.()]);
  };
}
