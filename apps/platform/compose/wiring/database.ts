import { createDatabase, sameDatabaseAt, type Database } from "@sightline/foundation/database/database";
import type { Service } from "@sightline/foundation/lifecycle";
import type { Context } from "./context.ts";

/** The database schema that a part's factory asks for. */
export type DatabaseOf<Door extends (dependencies: never) => unknown> = Parameters<Door>[0] extends {
  readonly database: Database<infer Schema>;
}
  ? Schema
  : never;

export function openDatabase<Schema>({ log }: Context, name: string, url: string, poolSize: number): Database<Schema> {
  return createDatabase<Schema>({ url, poolSize, applicationName: `sightline-${name}`, log });
}

type Nodes = { readonly DATABASE_URL: string; readonly OBSERVABILITY_WRITE_TO_NODES: boolean };

/** Opens the database of the same name on other nodes of a Citus cluster, as {@link openDatabase} does on its coordinator; undefined where they are not to be used. */
export function nodeOpener<Schema>(context: Context, name: string, config: Nodes, poolSize: number) {
  return config.OBSERVABILITY_WRITE_TO_NODES
    ? (node: { readonly host: string; readonly port: number }) =>
        openDatabase<Schema>(context, name, sameDatabaseAt(config.DATABASE_URL, node), poolSize)
    : undefined;
}

/** A service that only closes the database; listed first, it stops after everything that uses connections. */
export function closing<Schema>(database: Database<Schema>): Service {
  return { name: "database", start: async () => undefined, stop: database.close };
}
