import { sql } from "kysely";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "./seed-build.ts";

/** A repository of one file with so many chunks, written at once: `export const value7 = 7;` and so on, from 0. */
export async function seedChunks(database: CodeIndexDatabase, tenant: Tenant, count: number): Promise<void> {
  await seedBuild(database, { tenant, repo: "acme/shop", files: { "values.ts": "export const value0 = 0;\n" } });
  const chunks = sql.id(tenant.schema, "code_chunks");
  await sql`
    insert into ${chunks} (chunk_id, segment_id, ordinal, document_id, path, language, start_line, end_line, start_byte, end_byte,
      symbols, scope, content, text_hash)
    select chunk_id + number, segment_id, number, document_id, path, language, number, number, number, number,
      symbols, scope, 'export const value' || number || ' = ' || number || ';', md5(number::text)::uuid
    from ${chunks} cross join generate_series(1, ${count - 1}) as number
  `.execute(database.query);
}
