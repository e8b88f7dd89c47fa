import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool, PoolClient } from "pg";

/** One part's migrations: `NNNN_name.up.sql` with its `.down.sql` beside it. */
export type MigrationSet = {
  /** The part's name; its applied revisions are recorded under it. */
  readonly part: string;
  /** Absolute path of the folder. */
  readonly folder: string;
};

export type Revision = {
  readonly part: string;
  readonly name: string;
  readonly appliedAt: Date | undefined;
};

type Migration = {
  readonly name: string;
  readonly up: string;
  readonly down: string;
};

/** An arbitrary number; all parts take the same lock, so that two processes never migrate at once. */
const LOCK = 7_417_340_921;

const LEDGER = `
  create schema if not exists sightline;
  create table if not exists sightline.revisions (
    part text not null,
    name text not null,
    applied_at timestamptz not null default now(),
    primary key (part, name)
  );
`;

/** Applies missing revisions, each in a transaction of its own, and returns their names. */
export async function migrateUp(pool: Pool, set: MigrationSet): Promise<readonly string[]> {
  const migrations = await readMigrations(set);
  const applied: string[] = [];
  for (const migration of migrations) {
    const ran = await locked(pool, async (client) => {
      const done = await appliedNames(client, set.part);
      if (done.has(migration.name)) {
        return false;
      }
      await client.query(migration.up);
      await client.query("insert into sightline.revisions (part, name) values ($1, $2)", [set.part, migration.name]);
      return true;
    });
    if (ran) {
      applied.push(migration.name);
    }
  }
  return applied;
}

/**
 * Takes the newest applied revision back; `undefined` when there is none.
 *
 * @throws {Error} when a newer version applied others, which stand on those of this one.
 */
export async function migrateDown(pool: Pool, set: MigrationSet): Promise<string | undefined> {
  const migrations = await readMigrations(set);
  return locked(pool, async (client) => {
    const done = await appliedNames(client, set.part);
    const [foreign] = unknownNames(done, migrations);
    if (foreign !== undefined) {
      throw new Error(`A newer version of Sightline applied ${foreign} of ${set.part}: take it back with that version first.`);
    }
    const newest = migrations.findLast((migration) => done.has(migration.name));
    if (newest === undefined) {
      return undefined;
    }
    await client.query(newest.down);
    await client.query("delete from sightline.revisions where part = $1 and name = $2", [set.part, newest.name]);
    return newest.name;
  });
}

/** Lists revisions that a newer version applied and this one does not know, oldest first. */
export async function foreignRevisions(pool: Pool, set: MigrationSet): Promise<readonly string[]> {
  const migrations = await readMigrations(set);
  return unknownNames(await locked(pool, (client) => appliedNames(client, set.part)), migrations);
}

/** Every revision of the set, applied or not, oldest first. */
export async function migrationStatus(pool: Pool, set: MigrationSet): Promise<readonly Revision[]> {
  const migrations = await readMigrations(set);
  const done = await locked(pool, (client) => appliedNames(client, set.part));
  return migrations.map(({ name }) => ({ part: set.part, name, appliedAt: done.get(name) }));
}

/**
 * The lock is the transaction's, not the session's: the embedded database serves
 * all clients on one session, where a session lock would be granted to everyone.
 */
async function locked<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    // A migration may take longer than a request is allowed to.
    await client.query("set local statement_timeout = 0");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(LEDGER);
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

async function appliedNames(client: PoolClient, part: string): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await client.query<{ name: string; applied_at: Date }>(
    "select name, applied_at from sightline.revisions where part = $1",
    [part],
  );
  return new Map(rows.map((row) => [row.name, row.applied_at]));
}

function unknownNames(done: ReadonlyMap<string, Date>, migrations: readonly Migration[]): readonly string[] {
  const known = new Set(migrations.map(({ name }) => name));
  return [...done.keys()].filter((name) => !known.has(name)).toSorted();
}

async function readMigrations({ folder }: MigrationSet): Promise<readonly Migration[]> {
  const files = await readdir(folder);
  const names = files.filter((file) => file.endsWith(".up.sql")).map((file) => file.slice(0, -".up.sql".length));
  return Promise.all(
    names.toSorted().map(async (name) => ({
      name,
      up: await readFile(join(folder, `${name}.up.sql`), "utf8"),
      down: await readFile(join(folder, `${name}.down.sql`), "utf8"),
    })),
  );
}
