import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { isOfRun, type Run } from "./find-run.store.ts";

/** The steps of a run whose ids end as asked; a few are enough to see that there are several. */
export async function findStepIds(
  query: Kysely<ObservabilitySchema>,
  run: Run,
  ending: string,
): Promise<readonly { readonly id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct id::text as id from observability.observations
    where ${isOfRun(run)} and right(id::text, length(${ending})) = ${ending} limit 3`.execute(query);
  return rows;
}
