import { createDatabase, type Database } from "@sightline/foundation/database/database";
import type { Service } from "@sightline/foundation/lifecycle";
import type { Context } from "./context.ts";

/** The database schema that a part's factory asks for. */
export type DatabaseOf<Door extends (dependencies: never) => unknown> = Parameters<Door>[0] extends {
  readonly database: Database<infer Schema>;
}
  ? Schema
  : never;

export function openDatabase<Schema>({ log }: Context, name: string, url: string, poolSize: number, keepsPlans = false): Database<Schema> {
  return createDatabase<Schema>({ url, poolSize, keepsPlans, applicationName: `sightline-${name}`, log });
}

/** A service that only closes the database; listed first, it stops after everything that uses connections. */
export function closing<Schema>(database: Database<Schema>): Service {
  return { name: "database", start: async () => undefined, stop: database.close };
}
