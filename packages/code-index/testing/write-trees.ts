import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { sql } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

/** Writes the files of an index into a folder, for programs that search files. Arguments: the database's address, the schema, the folder. */
const [url = "", schema = "", folder = ""] = process.argv.slice(2);
const log = createLog({ name: "trees", level: "warn" });
const database = createDatabase<CodeIndexTables>({ url, poolSize: 1, applicationName: "trees", log });

const AT_ONCE = 500;

type Row = { readonly document_id: number; readonly repo: string; readonly path: string; readonly content: string | null };

for (let after = -1; ;) {
  const { rows } = await sql<Row>`
    with batch as (
      select document_id, min(generation) as generation from ${sql.id(schema, "files")}
      where document_id > ${after} group by document_id order by document_id limit ${AT_ONCE}
    )
    select batch.document_id, repository.full_name as repo, document.path,
      (select string_agg(content, '' order by start_byte) from ${sql.id(schema, "code_chunks")} as chunk
        where chunk.document_id = batch.document_id) as content
    from batch
    join ${sql.id(schema, "documents")} as document using (document_id)
    join codeindex.refs as ref on ref.generation = batch.generation
    join codeindex.repositories as repository on repository.id = ref.repo_id
    order by batch.document_id
  `.execute(database.query);
  for (const { repo, path, content } of rows) {
    const file = join(folder, repo, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content ?? "");
  }
  const last = rows.at(-1)?.document_id;
  if (last === undefined) {
    break;
  }
  after = last;
}
await database.close();
