import { errorCode } from "@sightline/foundation/errors";
import { sql, type RawBuilder } from "kysely";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { storedEmbedders, vectorsTable } from "./vectors.store.ts";

/** The condition of the vectors that the index made at that moment holds: an index serves a query that says the same. */
export function isIndexed(until: Date): RawBuilder<unknown> {
  return sql`made <= ${moment(until)}`;
}

export function isFresh(until: Date): RawBuilder<unknown> {
  return sql`made > ${moment(until)}`;
}

/** No parameter: the planner must know it. */
function moment(until: Date): RawBuilder<unknown> {
  return sql`${sql.lit(until.toISOString())}::timestamptz`;
}

type VectorsInUse = Tenant & { readonly embedderId: number; readonly dimensions: number; readonly until: Date | null };

/** The number of the embedder in use of each tenant with so many chunks, and until when its vectors are indexed. */
export async function largeTenants(database: CodeIndexDatabase, tenants: readonly Tenant[], chunks: number): Promise<readonly Tenant[]> {
  const { rows } = await sql<{ tenant_id: string }>`
    select tenant_id from codeindex.refs where generation is not null group by tenant_id having sum(chunks) >= ${chunks}
  `.execute(database.query);
  const large = new Set(rows.map((row) => row.tenant_id));
  return tenants.filter(({ tenantId }) => large.has(tenantId));
}

/** Finds the vectors that searches of a tenant compare; `undefined` when it has none. */
export async function findVectorsInUse(database: CodeIndexDatabase, tenant: Tenant): Promise<VectorsInUse | undefined> {
  const [used] = await storedEmbedders(database.query, tenant);
  return used === undefined ? undefined : { ...tenant, embedderId: used.embedder_id, dimensions: used.dimensions, until: used.near_until };
}

export type VectorIndex = { readonly name: string; readonly until: Date; readonly valid: boolean };

export type VectorIndexes = {
  readonly vectors: number;
  /** Made since the index in use was. */
  readonly fresh: number;
  /** All there are, also what a process that died left. */
  readonly indexes: readonly VectorIndex[];
  /** Somebody makes or drops one just now, or cleans the table up. */
  readonly busy: boolean;
};

type VectorTable = Pick<Tenant, "schema"> & { readonly embedderId: number };

export async function vectorIndexes(database: CodeIndexDatabase, place: VectorTable, until: Date | null): Promise<VectorIndexes> {
  const { schema, embedderId } = place;
  const { rows: indexes } = await sql<{ name: string; valid: boolean; busy: boolean }>`
    select index.relname as name, pg_index.indisvalid as valid
    from pg_namespace join pg_class as index on index.relnamespace = pg_namespace.oid join pg_index on pg_index.indexrelid = index.oid
    where nspname = ${schema} and index.relname ~ ${`^vectors_${embedderId}_near_[0-9]+$`}
  `.execute(database.query);
  const { rows: locks } = await sql`
    select from pg_locks where mode = 'ShareUpdateExclusiveLock' and granted and relation = (
      select pg_class.oid from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = ${schema} and relname = ${`vectors_${embedderId}`}
    ) and database = (select oid from pg_database where datname = current_database())
  `.execute(database.query);
  const table = vectorsTable(schema, embedderId);
  const { rows: counts } = await sql<{ vectors: number; fresh: number }>`
    select (select count(*) from ${table} where embedding is not null) as vectors,
      ${until === null ? sql`0` : sql`(select count(*) from ${table} where ${isFresh(until)} and made > '-infinity')`} as fresh
  `.execute(database.query);
  return {
    vectors: counts[0]?.vectors ?? 0,
    fresh: counts[0]?.fresh ?? 0,
    busy: locks.length > 0,
    indexes: indexes.map(({ name, valid }) => ({ name, valid, until: new Date(Number(name.split("_").at(-1))) })),
  };
}

type Making = VectorTable & { readonly until: Date; readonly bytes: number; readonly signal: AbortSignal };

/** Longer than any index takes to be made. */
const MAKE_MS = 12 * 60 * 60_000;
/** An index is made far faster where all of it fits into the memory that the database may use for that. */
const MIN_MB = 64;
const MAX_MB = 1_024;

/**
 * Makes an index of the vectors made until a moment, while others read and write. It is used from `useVectorIndex` on.
 * A signal that is aborted ends it; what is left of it then is not valid.
 */
export async function makeVectorIndex(database: CodeIndexDatabase, making: Making): Promise<void> {
  try {
    await makeWith(database, making, {});
  } catch (error) {
    // Several processes of the database share memory of which some containers have next to none: 64 MB in Docker.
    if (!["53100", "53200"].includes(errorCode(error) ?? "")) {
      throw error;
    }
    await dropVectorIndex(database, making, indexName(making));
    await makeWith(database, making, { max_parallel_maintenance_workers: "0" });
  }
}

async function makeWith(database: CodeIndexDatabase, wanted: Making, settings: Readonly<Record<string, string>>): Promise<void> {
  const { schema, embedderId, until, bytes, signal } = wanted;
  const megabytes = Math.min(MAX_MB, Math.max(MIN_MB, Math.ceil(bytes / 2 ** 20)));
  const client = await database.pool.connect();
  let usable = false;
  const cancel = () => void database.pool.query("select pg_cancel_backend($1)", [pid]).catch(() => undefined);
  let pid = 0;
  try {
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    pid = rows[0]?.pid ?? 0;
    const session = { statement_timeout: "0", maintenance_work_mem: `${megabytes}MB`, ...settings };
    for (const [name, value] of Object.entries(session)) {
      await client.query("select set_config($1, $2, false)", [name, value]);
    }
    const { sql: text } = sql`
      create index concurrently if not exists ${sql.id(indexName(wanted))} on ${vectorsTable(schema, embedderId)}
      using hnsw (embedding halfvec_cosine_ops) where ${isIndexed(until)}
    `.compile(database.query);
    signal.throwIfAborted();
    signal.addEventListener("abort", cancel, { once: true });
    const making = { text, query_timeout: MAKE_MS };
    await client.query(making);
    for (const name of Object.keys(session)) {
      await client.query(`reset ${name}`);
    }
    usable = true;
  } finally {
    signal.removeEventListener("abort", cancel);
    client.release(!usable);
  }
}

function indexName({ embedderId, until }: Pick<Making, "embedderId" | "until">): string {
  return `vectors_${embedderId}_near_${until.getTime()}`;
}

/** From now on searches use the index of that moment; none with null. */
export async function useVectorIndex(database: CodeIndexDatabase, { schema, embedderId }: VectorTable, until: Date | null): Promise<void> {
  await database.query
    .withSchema(schema)
    .updateTable("embedders")
    .set({ near_until: until })
    .where("embedder_id", "=", embedderId)
    .execute();
}

export async function dropVectorIndex(database: CodeIndexDatabase, { schema }: Pick<VectorTable, "schema">, name: string): Promise<void> {
  await sql`drop index concurrently if exists ${sql.id(schema, name)}`.execute(database.query);
}

/** Where one session serves everybody, making an index would stop all of them for minutes. */
export async function isShared(database: CodeIndexDatabase): Promise<boolean> {
  const { rows } = await sql<{ shared: boolean }>`select strpos(version(), 'PGlite') > 0 as shared`.execute(database.query);
  return rows[0]?.shared === true;
}
