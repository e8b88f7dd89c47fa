import { setTimeout as delay } from "node:timers/promises";
import { runScript } from "#scripts.ts";

/** What a tenant's tables hold, by table; `written` changes when a row is written anew as it was. */
export type Digests = Readonly<Record<string, { readonly rows: number; readonly held: string; readonly written: string }>>;

/** What is left of an older build is swept after the job has ended. */
const SWEPT_MS = 120_000;

/** Once nothing but the index in use is left. */
export async function digestTables(databaseUrl: string, schema: string): Promise<Digests> {
  for (const deadline = Date.now() + SWEPT_MS; Date.now() < deadline; await delay(500)) {
    const [row] = await query<{ count: number }>(databaseUrl, `select count(*)::integer as count from ${schema}.builds`);
    if (row?.count === 1) {
      return JSON.parse(await runScript("packages/code-index/testing/digest-tables.ts", databaseUrl, schema)) as Digests;
    }
  }
  throw new Error("what was left of an older build was not swept in two minutes");
}

/** A full build has a new generation, whose files and bitmaps are new rows that hold the same. */
const WRITTEN_ANEW = ["files", "visible"];
/** When a build began; since when an embedder's vectors are complete. */
const TIMES = ["builds", "embedders"];

export function changedTables(before: Digests, after: Digests, mode: "full" | "incremental"): readonly string[] {
  return Object.keys({ ...before, ...after })
    .filter((table) => {
      const [one, other] = [before[table], after[table]];
      const isAnew = mode === "full" && WRITTEN_ANEW.includes(table);
      return (
        one?.rows !== other?.rows || (!TIMES.includes(table) && (isAnew ? one?.held !== other?.held : one?.written !== other?.written))
      );
    })
    .map((table) => `${mode}: ${table} is not as it was`);
}

/** Tables and indexes of a tenant. */
export async function indexBytes(databaseUrl: string, schema: string): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    databaseUrl,
    "select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace " +
      `where n.nspname = '${schema}' and c.relkind = 'r'`,
  );
  return row?.bytes ?? 0;
}

export async function query<Row>(databaseUrl: string, statement: string): Promise<readonly Row[]> {
  return JSON.parse(await runScript("packages/foundation/testing/run-sql.ts", databaseUrl, statement)) as Row[];
}
