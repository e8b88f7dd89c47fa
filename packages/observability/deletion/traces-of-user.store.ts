import { sql } from "kysely";
import type { Query } from "#schema.ts";

/** The most ids of one statement, and how many runs it looks at. */
const TRACES = 500;
const RUNS = 20_000;

type OfUser = { readonly projectId: string; readonly userId: string };

/** The traces that the list tells as the user's, in parts; found by an index. */
export async function* listTracesOfUser(query: Query, { projectId, userId }: OfUser): AsyncGenerator<readonly string[]> {
  let after = sql`true`;
  for (;;) {
    const { rows } = await sql<{ id: string; at: string }>`
      select trace_id as id, sort_at::text as at from observability.trace_entries
      where project_id = ${projectId}::uuid and user_id = ${userId}::text and ${after}
      order by sort_at, trace_id limit ${TRACES}`.execute(query);
    yield rows.map(({ id }) => id);
    const last = rows.at(-1);
    if (last === undefined || rows.length < TRACES) {
      return;
    }
    after = sql`(sort_at, trace_id) > (${last.at}::timestamptz, ${last.id}::uuid)`;
  }
}

/**
 * The runs that name the user, in parts: also one that went on with somebody else's trace, which the list does not tell. No index has them, so all of the
 * project's are looked at, by their key.
 */
export async function* listRunsOfUser(query: Query, { projectId, userId }: OfUser): AsyncGenerator<readonly string[]> {
  for (let last: string | null = FIRST_ID; last !== null;) {
    const found: RunsFound | undefined = await findRuns(query, { projectId, userId, after: last });
    last = found?.last ?? null;
    yield found?.ids ?? [];
  }
}

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

type RunsFound = {
  readonly ids: readonly string[];
  /** The last one that was looked at; null where there is none. */ readonly last: string | null;
};

async function findRuns(query: Query, { projectId, userId, after }: OfUser & { readonly after: string }): Promise<RunsFound | undefined> {
  const { rows } = await sql<RunsFound>`
    select coalesce(array_agg(id::text) filter (where user_id = ${userId}::text), '{}') as ids, max(id::text) as last
    from (
      select id, user_id from observability.traces where project_id = ${projectId}::uuid and id > ${after}::uuid order by id limit ${RUNS}
    ) as run`.execute(query);
  return rows[0];
}
