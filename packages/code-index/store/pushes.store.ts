import { sql } from "kysely";
import type { CodeIndexDatabase } from "./tenant.ts";

export type PushedRepository = { readonly id: string; readonly tenant_id: string };

/** Counts a push to the repositories of this name, in either case, which may be registered by several tenants, and returns them. */
export async function notePush(database: CodeIndexDatabase, fullName: string): Promise<readonly PushedRepository[]> {
  return database.query
    .updateTable("codeindex.repositories")
    .set({ behind: sql`behind + 1` })
    .where(sql`lower(full_name)`, "=", fullName.toLowerCase())
    .returning(["id", "tenant_id"])
    .execute();
}
