import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type PostgresPool,
  type TransactionSettings,
} from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";

/** A shard that is not where it is looked for: moved since, or the server there is another one. The coordinator finds it. */
export class ShardMovedError extends Error {
  constructor(shard: number) {
    super(`shard ${shard} is not on the node`);
    this.name = "ShardMovedError";
  }
}

/** Tells what a table is called where statements run: its name without the schema to its name there, without the schema too. */
export type TableNames = (table: string) => string;

/** The tables that go with one shard of `traces`, on the node that has it, as if they were all there is: statements run as on one PostgreSQL. */
export type Shard = {
  /**
   * Names the shard's own tables where statements are spelled with the names of the migrations, but not in statements that are compiled already.
   * Each transaction keeps the shard where it is, and fails with {@link ShardMovedError} when it is elsewhere.
   */
  readonly query: Query;
  readonly nameOf: TableNames;
};

type ShardOptions = {
  /** Connections to the node. */
  readonly pool: PostgresPool;
  /** The shard of `traces`. */
  readonly shard: number;
  /** What its tables are called. */
  readonly tables: ReadonlyMap<string, string>;
};

export function openShard({ pool, shard, tables }: ShardOptions): Shard {
  const nameOf: TableNames = (table) => tables.get(table) ?? table;
  return { query: new Kysely<ObservabilitySchema>({ dialect: new ShardDialect(pool, { shard, nameOf }) }), nameOf };
}

class ShardDialect extends PostgresDialect {
  readonly #pool: PostgresPool;
  readonly #shard: { readonly shard: number; readonly nameOf: TableNames };

  constructor(pool: PostgresPool, shard: { readonly shard: number; readonly nameOf: TableNames }) {
    super({ pool });
    this.#pool = pool;
    this.#shard = shard;
  }

  override createDriver() {
    return new ShardDriver(this.#pool, this.#shard.shard);
  }

  override createQueryCompiler() {
    return new ShardCompiler(this.#shard.nameOf);
  }
}

type OwnConnection = Parameters<PostgresDriver["rollbackTransaction"]>[0];

class ShardDriver extends PostgresDriver {
  readonly #shard: number;

  constructor(pool: PostgresPool, shard: number) {
    super({ pool });
    this.#shard = shard;
  }

  override async beginTransaction(connection: OwnConnection, settings: TransactionSettings): Promise<void> {
    await super.beginTransaction(connection, settings);
    try {
      await holdShard(connection, this.#shard);
    } catch (error) {
      // A connection that can't even do that is given up by the driver.
      await this.rollbackTransaction(connection).catch(() => undefined);
      throw error;
    }
  }
}

class ShardCompiler extends PostgresQueryCompiler {
  readonly #nameOf: TableNames;

  constructor(nameOf: TableNames) {
    super();
    this.#nameOf = nameOf;
  }

  override compileQuery<Result>(...given: Parameters<PostgresQueryCompiler["compileQuery"]>): CompiledQuery<Result> {
    const compiled = super.compileQuery(...given);
    return {
      ...compiled,
      sql: compiled.sql.replaceAll(TABLE, (_name, schema: string, table: string) => `${schema}${this.#nameOf(table)}`),
    };
  }
}

const TABLE = /("?\bobservability"?\."?)(\w+)/g;

/** `ShareLock`, which Citus' own writers take and with which a shard is neither moved nor split. */
const SHARE_LOCK = 5;

/** Lets a shard be written, which Citus keeps clients from, and its tables be seen in the catalog, where Citus hides them. */
const HOLD = `select set_config('citus.enable_manual_changes_to_shards', 'on', true), set_config('citus.override_table_visibility', 'off', true),
  lock_shard_metadata(${SHARE_LOCK}, array[$1::bigint])`;

const IS_HERE = `select groupid = (select groupid from pg_catalog.pg_dist_local_group) as is_here
from pg_catalog.pg_dist_placement where shardid = $1`;

/** Keeps the shard where it is until the transaction ends, as Citus itself does for what is written; then, with a new snapshot, looks whether it is here. */
async function holdShard(connection: DatabaseConnection, shard: number): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(HOLD, [shard]));
  const { rows } = await connection.executeQuery<{ is_here: boolean }>(CompiledQuery.raw(IS_HERE, [shard]));
  if (rows.length !== 1 || rows[0]?.is_here !== true) {
    throw new ShardMovedError(shard);
  }
}
