import { createHash, randomUUID } from "node:crypto";
import { escapeIdentifier, escapeLiteral, type Client, type Pool } from "pg";
import { inject } from "vitest";
import { createDatabase, type Database } from "#database/database.ts";
import { migrateUp, readMigrations, type MigrationSet } from "#database/migrations.ts";
import { addressOf, onServer } from "./on-server.ts";
import { PGLITE, startPglite } from "./pglite.ts";
import { createClusterDatabase, dropClusterDatabase } from "./private-citus.ts";
import type { PrivateServer } from "./private-server.ts";
import { silentLog } from "./silent-log.ts";

export type TestDatabase<Schema> = Database<Schema> & {
  readonly url: string;
  /** Closes the pool and drops the database. */
  readonly drop: () => Promise<void>;
};

/**
 * Put behind the name of a test that needs what PGlite cannot do (sessions at once, databases, LISTEN across connections):
 * `test("two workers never take one job", needsRealPostgres, async () => …)`. Only there it is skipped.
 */
export const needsRealPostgres = { skip: inject("databaseUrl") === PGLITE };

/** A database of the test file's own, migrated to the latest revision of the sets given. */
export async function createTestDatabase<Schema>(...sets: readonly MigrationSet[]): Promise<TestDatabase<Schema>> {
  const server = inject("databaseUrl");
  const workers = inject("workerUrls");
  if (workers.length > 0) {
    return createOnCluster({ coordinator: server, workers }, sets);
  }
  return server === PGLITE ? createOnPglite(sets) : createFromTemplate(server, sets);
}

/** What spreads a database is of the database itself, so that none can be copied from another. */
async function createOnCluster<Schema>(
  cluster: { readonly coordinator: string; readonly workers: readonly string[] },
  sets: readonly MigrationSet[],
): Promise<TestDatabase<Schema>> {
  const name = newName();
  await createClusterDatabase(cluster, name);
  const coordinator = open<Schema>(addressOf(cluster.coordinator, name));
  await migrate(coordinator.pool, sets);
  for (const set of sets) {
    await set.distribute?.(coordinator.pool);
  }
  await coordinator.close();
  // Tables that are divided are read and written on any node; schemas are placed by the coordinator.
  const [worker = ""] = cluster.workers;
  const url = addressOf(sets.some((set) => set.distribute !== undefined) ? worker : cluster.coordinator, name);
  const database = open<Schema>(url);
  return {
    ...database,
    url,
    drop: async () => {
      await database.close();
      await dropClusterDatabase(cluster, name);
      for (const node of [cluster.coordinator, ...cluster.workers]) {
        await onServer(node, dropLeftRoles);
      }
    },
  };
}

/** Changes the definition of a table, which on a cluster its coordinator does. */
export async function define({ url, pool }: Pick<TestDatabase<unknown>, "url" | "pool">, statement: string): Promise<void> {
  if (inject("workerUrls").length === 0) {
    await pool.query(statement);
    return;
  }
  const coordinator = addressOf(inject("databaseUrl"), new URL(url).pathname.slice(1));
  await onServer(coordinator, (client) => client.query(statement));
}

function newName(): string {
  return `test_${randomUUID().replaceAll("-", "")}`;
}

/** Servers of this test file that hold nothing now: to start one takes seconds, to empty it a fraction of one. */
const emptied: PrivateServer[] = [];

async function createOnPglite<Schema>(sets: readonly MigrationSet[]): Promise<TestDatabase<Schema>> {
  const server = emptied.pop() ?? (await startPglite());
  const { url } = server;
  const database = open<Schema>(url);
  await migrate(database.pool, sets);
  return {
    ...database,
    url,
    drop: async () => {
      await database.close();
      await onServer(url, empty, EMPTYING).then(
        () => emptied.push(server),
        () => server.stop(),
      );
    },
  };
}

/** Leaves what a new PGlite has. Where there are extensions it fails: their code remembers what was in the database before. */
const EMPTY = `
  do $$
  declare named text;
  begin
    if exists (select from pg_extension where extname <> 'plpgsql') then
      raise exception 'a database with extensions is not used again';
    end if;
    for named in select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public') loop
      execute format('drop schema %I cascade', named);
    end loop;
    drop schema public cascade;
    create schema public;
    for named in select rolname from pg_roles where rolname <> current_user and rolname !~ '^pg_' loop
      execute format('drop owned by %I', named);
      execute format('drop role %I', named);
    end loop;
  end $$
`;

/** Whoever left a transaction open holds the one session. */
const EMPTYING = { connectionTimeoutMillis: 5_000, query_timeout: 10_000 };

/** The one session of a PGlite goes on after its clients. */
async function empty(client: Client): Promise<void> {
  await client.query(EMPTY);
  await client.query("discard all");
}

async function createFromTemplate<Schema>(server: string, sets: readonly MigrationSet[]): Promise<TestDatabase<Schema>> {
  const name = newName();
  await onServer(server, async (client) => {
    const template = sets.length === 0 ? "template1" : await ensureTemplate(client, server, sets);
    // Page by page through the log, which is the default, takes twice the work.
    await client.query(`create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)} strategy file_copy`);
  });
  return openOnServer(server, name);
}

/**
 * A database as a server abroad has it: Turkish, in which the small letter of I is ı, and with settings (`DateStyle to 'German'`) of its
 * own. An ordinary one where there is but one kind.
 */
export async function createOddDatabase<Schema>(
  { settings = [] }: { readonly settings?: readonly string[] },
  ...sets: readonly MigrationSet[]
): Promise<TestDatabase<Schema>> {
  const server = inject("databaseUrl");
  if (server === PGLITE || inject("workerUrls").length > 0) {
    return createTestDatabase(...sets);
  }
  const name = newName();
  await onServer(server, async (client) => {
    await client.query(`create database ${escapeIdentifier(name)} locale_provider icu icu_locale 'tr-TR' template template0`);
    for (const setting of settings) {
      await client.query(`alter database ${escapeIdentifier(name)} set ${setting}`);
    }
  });
  const database = openOnServer<Schema>(server, name);
  await migrate(database.pool, sets);
  return database;
}

function openOnServer<Schema>(server: string, name: string): TestDatabase<Schema> {
  const url = addressOf(server, name);
  const database = open<Schema>(url);
  return {
    ...database,
    url,
    drop: async () => {
      await database.close();
      await onServer(server, async (client) => {
        await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
        await dropLeftRoles(client);
      });
    },
  };
}

/**
 * Roles belong to the server and stay when a database goes. Those that a part makes have their database's number in the
 * name, `…_<number>_<12 hexadecimal digits>`: what names a database that is no more is dropped, also for runs that were killed.
 */
async function dropLeftRoles(client: Client): Promise<void> {
  const pattern = "^tenant_.*_([0-9]+)_[0-9a-f]{12}$";
  const { rows } = await client.query<{ rolname: string }>(
    `select rolname from pg_roles where rolname ~ $1 and not exists (
      select from pg_database where oid::text = substring(rolname from $1)
    )`,
    [pattern],
  );
  for (const { rolname } of rows) {
    // Another test's end may be doing the same.
    await client.query(`drop role if exists ${escapeIdentifier(rolname)}`).catch(() => undefined);
  }
}

/**
 * A migrated database to copy from, made once a server and state of the migrations. Test workers meet at the lock;
 * the mark of a template that was finished is that nobody may connect to it any more.
 */
async function ensureTemplate(client: Client, server: string, sets: readonly MigrationSet[]): Promise<string> {
  const name = `sightline_template_${await hashOf(sets)}`;
  const identifier = escapeIdentifier(name);
  await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]);
  const { rows } = await client.query<{ datallowconn: boolean }>("select datallowconn from pg_database where datname = $1", [name]);
  if (rows[0]?.datallowconn !== false) {
    await client.query(`drop database if exists ${identifier} with (force)`);
    await client.query(`create database ${identifier}`);
    const database = open(addressOf(server, name));
    try {
      await migrate(database.pool, sets);
    } finally {
      await database.close();
    }
    await client.query(`alter database ${identifier} with allow_connections false`);
    await client.query(`comment on database ${identifier} is ${escapeLiteral(sets.map(({ part }) => part).join(", "))}`);
  }
  await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]);
  return name;
}

/** Of everything that decides what the migrated database looks like. */
async function hashOf(sets: readonly MigrationSet[]): Promise<string> {
  const hash = createHash("sha256");
  for (const set of sets) {
    for (const { name, content } of await readMigrations(set)) {
      hash.update(`${set.part}/${name}/${content}\0`);
    }
  }
  return hash.digest("hex").slice(0, 16);
}

function open<Schema>(url: string): Database<Schema> {
  return createDatabase<Schema>({ url, poolSize: 30, applicationName: "sightline-test", log: silentLog });
}

async function migrate(pool: Pool, sets: readonly MigrationSet[]): Promise<void> {
  for (const set of sets) {
    await migrateUp(pool, set);
  }
}
