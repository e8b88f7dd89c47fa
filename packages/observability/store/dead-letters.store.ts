import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { isAfter, microsOf, type Position } from "./position.ts";

const ENTRY_SHOWN = 4_000;

export type DeadLetter = {
  readonly id: string;
  readonly stream: string;
  readonly entry_id: string;
  readonly project_id: string | null;
  readonly reason: string;
  readonly created_at: Date;
  readonly entry: string;
  readonly entry_length: number;
  readonly position: string;
};

/** Newest first; with a tenant, those of its projects. */
export async function listDeadLetters(
  query: Kysely<ObservabilitySchema>,
  wanted: { readonly tenantId: string | undefined; readonly after: Position | undefined; readonly limit: number },
): Promise<readonly DeadLetter[]> {
  const { tenantId, after } = wanted;
  let rows = query
    .selectFrom("observability.dead_letters as letter")
    .select([
      "letter.id",
      "letter.stream",
      "letter.entry_id",
      "letter.project_id",
      "letter.reason",
      "letter.created_at",
      sql<string>`left(letter.entry, ${ENTRY_SHOWN})`.as("entry"),
      sql<number>`length(letter.entry)`.as("entry_length"),
      microsOf("letter.created_at").as("position"),
    ]);
  if (tenantId !== undefined) {
    rows = rows.where("letter.project_id", "in", (projects) =>
      projects.selectFrom("observability.projects").select("id").where("tenant_id", "=", tenantId),
    );
  }
  if (after !== undefined) {
    rows = rows.where(isAfter("letter.created_at", "letter.id", after));
  }
  return rows.orderBy("letter.created_at", "desc").orderBy("letter.id", "desc").limit(wanted.limit).execute();
}
