import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL server on which the tests may create databases. */
    readonly databaseUrl: string;
    readonly redisUrl: string;
  }
}

/** Hands every test file the services to test against. */
export async function setup(project: TestProject): Promise<void> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;
  if (databaseUrl === undefined || redisUrl === undefined) {
    throw new Error("Set TEST_DATABASE_URL and TEST_REDIS_URL.");
  }
  project.provide("databaseUrl", databaseUrl);
  project.provide("redisUrl", redisUrl);
}
