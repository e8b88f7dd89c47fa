import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool, PoolClient } from "pg";

export type Migration = {
  readonly name: string;
  readonly up: string;
  readonly down: string;
  /** SHA-256 of `up`. */
  readonly content: string;
};

/** One part's migrations: `NNNN_name.up.sql`, or a folder `NNNN_name.up` of files in the order of their names, with `NNNN_name.down.sql` beside it. */
export type MigrationSet = {
  /** The part's name; its applied revisions are recorded under it. */
  readonly part: string;
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Divides the part's tables over the nodes of a Citus cluster, as far as they are not, and tells what it did. */
  readonly distribute?: (pool: Pool) => Promise<readonly string[]>;
};

export type Revision = {
  readonly part: string;
  readonly name: string;
  readonly appliedAt: Date | undefined;
};

/** An arbitrary number; all parts take the same lock, so that two processes never migrate at once. */
const LOCK = 7_417_340_921;

const LEDGER = `
  create schema if not exists sightline;
  create table if not exists sightline.revisions (
    part text not null,
    name text not null,
    -- SHA-256 of the SQL that was applied.
    content text not null,
    applied_at timestamptz not null default now(),
    primary key (part, name)
  );
`;

/**
 * Applies missing revisions, each in a transaction of its own, and returns their names.
 *
 * @throws {Error} as all of these functions do, before anything is written, where a revision was applied with another text.
 */
export async function migrateUp(pool: Pool, set: MigrationSet): Promise<readonly string[]> {
  const migrations = await readMigrations(set);
  const applied: string[] = [];
  for (const migration of migrations) {
    const ran = await locked(pool, set, migrations, async (client) => {
      const done = await appliedNames(client, set.part);
      if (done.has(migration.name)) {
        return false;
      }
      await client.query(migration.up);
      await client.query("insert into sightline.revisions (part, name, content) values ($1, $2, $3)", [
        set.part,
        migration.name,
        migration.content,
      ]);
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
  return locked(pool, set, migrations, async (client) => {
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
  return unknownNames(await locked(pool, set, migrations, (client) => appliedNames(client, set.part)), migrations);
}

/** Every revision of the set, applied or not, oldest first. */
export async function migrationStatus(pool: Pool, set: MigrationSet): Promise<readonly Revision[]> {
  const migrations = await readMigrations(set);
  const done = await locked(pool, set, migrations, (client) => appliedNames(client, set.part));
  return migrations.map(({ name }) => ({ part: set.part, name, appliedAt: done.get(name) }));
}

/**
 * The lock is the transaction's, not the session's: the embedded database serves
 * all clients on one session, where a session lock would be granted to everyone.
 */
async function locked<Result>(
  pool: Pool,
  { part }: MigrationSet,
  migrations: readonly Migration[],
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    // A migration may take longer than a request is allowed to.
    await client.query("set local statement_timeout = 0");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(LEDGER);
    await refuseOtherText(client, part, migrations);
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw withHint(error);
  } finally {
    client.release();
  }
}

/** Before the first release a part's only migration is edited: a database that another text of it made has other tables. */
async function refuseOtherText(client: PoolClient, part: string, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string; content: string }>(
    "select name, content from sightline.revisions where part = $1 order by name",
    [part],
  );
  const newest = migrations.at(-1)?.name ?? "";
  const contents = new Map(migrations.map(({ name, content }) => [name, content]));
  const other = rows.find(({ name, content }) => name <= newest && contents.get(name) !== content);
  if (other !== undefined) {
    throw new Error(
      `${other.name} of ${part} was applied by an unreleased version of Sightline, with another text. Nothing was changed. Start with an empty database, or where it is embedded, move the folder SIGHTLINE_HOME aside.`,
    );
  }
}

/** What a revision refuses says in its hint what to do. */
function withHint(error: unknown): unknown {
  return error instanceof Error && "hint" in error && typeof error.hint === "string" && error.hint !== ""
    ? new Error(`${error.message}. ${error.hint}`, { cause: error })
    : error;
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

/** Its migrations, oldest first. */
export async function readMigrations({ folder }: MigrationSet): Promise<readonly Migration[]> {
  const ups = (await readdir(folder)).filter((entry) => /\.up(?:\.sql)?$/.test(entry));
  return Promise.all(
    ups.toSorted().map(async (entry) => {
      const name = entry.slice(0, entry.indexOf(".up"));
      const up = await readSql(join(folder, entry));
      const down = await readSql(join(folder, `${name}.down.sql`));
      return { name, up, down, content: createHash("sha256").update(up).digest("hex") };
    }),
  );
}

/** A file's text, or those of a folder one after the other. */
async function readSql(path: string): Promise<string> {
  if (path.endsWith(".sql")) {
    return readFile(path, "utf8");
  }
  const files = (await readdir(path)).filter((file) => file.endsWith(".sql")).toSorted();
  return (await Promise.all(files.map((file) => readFile(join(path, file), "utf8")))).join("\n");
}
