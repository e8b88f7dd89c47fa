import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";
import { createDatabase, type Database } from "#database.ts";
import { migrateUp, type MigrationSet } from "#migrations.ts";
import { silentLog } from "./silent-log.ts";

export type TestDatabase<Schema> = Database<Schema> & {
  readonly url: string;
  /** Closes the pool and drops the database. */
  readonly drop: () => Promise<void>;
};

/** A database of the test file's own, migrated to the latest revision of the sets given. */
export async function createTestDatabase<Schema>(...sets: readonly MigrationSet[]): Promise<TestDatabase<Schema>> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer(`create database ${name}`);
  const address = new URL(inject("databaseUrl"));
  address.pathname = `/${name}`;
  const url = address.toString();
  const database = createDatabase<Schema>({ url, poolSize: 30, applicationName: "sightline-test", log: silentLog });
  for (const set of sets) {
    await migrateUp(database.pool, set);
  }
  return {
    ...database,
    url,
    drop: async () => {
      await database.close();
      await onServer(`drop database ${name} with (force)`);
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject("databaseUrl") });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
