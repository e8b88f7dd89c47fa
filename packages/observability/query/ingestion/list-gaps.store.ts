import type { Database } from "@sightline/foundation/database/database";
import { sql } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { selectInstant, selectMicros } from "#store/position.ts";
import { hasRoleIn, listVisibleIds, type Reader } from "#store/reader.ts";

export type Gap = {
  readonly id: string;
  readonly project_id: string;
  readonly producer_id: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly found_at: Date;
  /** The producer's description of itself, if that arrived. */
  readonly hello: unknown;
  readonly first_event_at: Date | null;
  readonly last_event_at: Date | null;
  readonly found_micros: string;
};

/** The position at which a page ended. */
export type GapPosition = {
  readonly micros: string;
  readonly projectId: string;
  readonly producerId: string;
  readonly firstSeq: number;
};

type GapsQuery = {
  readonly reader: Reader;
  readonly projectId: string | undefined;
  readonly after: GapPosition | undefined;
  readonly limit: number;
};

/**
 * Lists gaps of the projects that the reader may see, newest first; those that were found at one moment by producer,
 * the latest numbers first.
 */
export async function listGaps(query: Query, wanted: GapsQuery): Promise<readonly Gap[]> {
  const { reader, projectId, after } = wanted;
  const visible = projectId === undefined ? await listVisibleIds(query, reader) : [projectId];
  let rows = query
    .selectFrom("observability.ingest_gaps as gap")
    .leftJoin("observability.producers as producer", (join) =>
      join.onRef("producer.project_id", "=", "gap.project_id").onRef("producer.producer_id", "=", "gap.producer_id"),
    )
    .select([
      "gap.id",
      "gap.project_id",
      "gap.producer_id",
      "gap.first_seq",
      "gap.last_seq",
      "gap.found_at",
      "producer.hello",
      "producer.first_event_at",
      "producer.last_event_at",
      selectMicros("gap.found_at").as("found_micros"),
    ])
    .where("gap.project_id", "=", sql<string>`any(${visible}::uuid[])`);
  if (projectId !== undefined) {
    rows = rows.where(hasRoleIn(reader, "viewer", projectId));
  }
  if (after !== undefined) {
    rows = rows.where(
      sql<boolean>`(gap.found_at, gap.project_id, gap.producer_id, gap.first_seq)
        < (${selectInstant(after.micros)}, ${after.projectId}::uuid, ${after.producerId}::uuid, ${after.firstSeq}::bigint)`,
    );
  }
  return rows
    .orderBy("gap.found_at", "desc")
    .orderBy("gap.project_id", "desc")
    .orderBy("gap.producer_id", "desc")
    .orderBy("gap.first_seq", "desc")
    .limit(wanted.limit)
    .execute();
}

/** For health checks: the query of a database that hangs ends when the check does. */
const INCIDENTS = {
  has_gaps: { text: "select 1 from observability.ingest_gaps where found_at > $1 limit 1", query_timeout: 2_000 },
  has_dead_letters: {
    text: "select 1 from observability.dead_letters where state = 'open' and created_at > $1 limit 1",
    query_timeout: 2_000,
  },
};

const UNCOUNTED = {
  text: "select count(*)::int as hours, count(distinct project_id)::int as projects, min(since) as since from observability.uncounted_hours",
  query_timeout: 2_000,
};

type UncountedHours = { readonly hours: number; readonly projects: number; readonly since: Date | null };

/** The hours that could not be counted, of all projects. */
export async function countUncounted({ pool }: Database<ObservabilitySchema>): Promise<UncountedHours> {
  const { rows } = await pool.query<UncountedHours>(UNCOUNTED);
  return rows[0] ?? { hours: 0, projects: 0, since: null };
}

type Incidents = { readonly has_gaps: boolean; readonly has_dead_letters: boolean };

/** Whether anything was found lost, or became a dead letter that is open, since then. */
export async function findIncidents({ pool }: Database<ObservabilitySchema>, since: Date): Promise<Incidents> {
  const isAny = async (incident: keyof Incidents) => (await pool.query({ ...INCIDENTS[incident], values: [since] })).rows.length > 0;
  return { has_gaps: await isAny("has_gaps"), has_dead_letters: await isAny("has_dead_letters") };
}
