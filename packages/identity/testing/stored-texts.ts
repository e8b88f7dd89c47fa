import type { Database } from "@sightline/foundation/database/database";

/** One value of the database as text. */
export type StoredText = { readonly table: string; readonly column: string; readonly id: string; readonly value: string };

/** Everything that the schema holds at this moment. */
export async function readStoredTexts(pool: Database<unknown>["pool"]): Promise<readonly StoredText[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'identity' order by 1",
  );
  const texts: StoredText[] = [];
  for (const { name: table } of tables) {
    const { rows } = await pool.query<Record<string, unknown>>(`select * from identity."${table}"`);
    for (const row of rows) {
      for (const [column, stored] of Object.entries(row)) {
        texts.push(
          ...[stored]
            .flat()
            .flatMap(asTexts)
            .map((value) => ({ table, column, id: typeof row["id"] === "string" ? row["id"] : "", value })),
        );
      }
    }
  }
  return texts;
}

function asTexts(stored: unknown): readonly string[] {
  if (Buffer.isBuffer(stored)) {
    return [stored.toString("hex"), stored.toString("base64url")];
  }
  if (typeof stored === "string") {
    return [stored];
  }
  return typeof stored === "object" && stored !== null && !(stored instanceof Date) ? [JSON.stringify(stored)] : [];
}
