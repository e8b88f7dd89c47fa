import type { Database } from "@sightline/foundation/database/database";
import type { ObservabilitySchema } from "#schema.ts";

export type Ingested = {
  /** Ids of the events that have a payload row. */
  readonly rows: readonly string[];
  /** Ids of the events that a trace or an observation names as its start or end. */
  readonly halves: readonly string[];
  /** The numbers in gaps, as `producer seq`. */
  readonly lost: ReadonlySet<string>;
  readonly lostEvents: number;
  readonly gaps: number;
  /** The dead letters by the id of the event, or the text, that was set aside. */
  readonly letters: ReadonlyMap<string, readonly string[]>;
  readonly openLetters: number;
  /** Producers whose holes are not judged yet. */
  readonly unsettled: number;
};

export async function readIngested({ pool }: Database<ObservabilitySchema>): Promise<Ingested> {
  const read = async <Row extends object>(statement: string) => (await pool.query<Row>(statement)).rows;
  // First: once all is judged, nothing that is read after it changes any more.
  const [producers] = await read<{ unsettled: number }>("select count(*) as unsettled from observability.producers where holes <> lost");
  const rows = await read<{ event_id: string }>("select event_id from observability.payloads");
  const halves = await read<{ event: string }>(`
    select event from (
      select start_event, end_event from observability.traces union all select start_event, end_event from observability.observations
    ) as row, lateral (values (start_event), (end_event)) as half (event) where event is not null`);
  const gaps = await read<{ producer_id: string; first_seq: number; last_seq: number }>(
    "select producer_id, first_seq, last_seq from observability.ingest_gaps",
  );
  const letters = await read<{ id: string; entry: string; state: string }>("select id, entry, state from observability.dead_letters");
  const ranges = gaps.map(({ producer_id: producer, first_seq: first, last_seq: last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => `${producer} ${first + index}`),
  );
  const byMarker = new Map<string, string[]>();
  for (const { id, entry } of letters) {
    const marker = markerOf(entry);
    byMarker.set(marker, [...(byMarker.get(marker) ?? []), id]);
  }
  return {
    rows: rows.map((row) => row.event_id),
    halves: halves.map((row) => row.event),
    lost: new Set(ranges.flat()),
    lostEvents: ranges.reduce((sum, range) => sum + range.length, 0),
    gaps: gaps.length,
    letters: byMarker,
    openLetters: letters.filter(({ state }) => state === "open").length,
    unsettled: producers?.unsettled ?? 0,
  };
}

/** How many traces and observations the hourly figures count, beside how many there are; `marks` are hours to be counted anew. */
export async function readFigures({ pool }: Database<ObservabilitySchema>) {
  const { rows } = await pool.query<{
    marks: number;
    traces: number;
    observations: number;
    counted_traces: number;
    counted_observations: number;
  }>(`
    select (select count(*) from observability.hourly_marks) as marks,
      (select count(*) from observability.traces) as traces,
      (select count(*) from observability.observations) as observations,
      (select coalesce(sum(observations), 0)::bigint from observability.hourly where number = 'duration_ms' and kind = 'trace') as counted_traces,
      (select coalesce(sum(observations), 0)::bigint from observability.hourly where number = 'duration_ms' and kind <> 'trace') as counted_observations`);
  return rows[0];
}

/** What a numbered entry is recognised by. */
export function markerOf(entry: string): string {
  const fields = JSON.parse(entry) as string[];
  const at = fields.indexOf("id");
  return fields[at === -1 ? 1 : at + 1] ?? "";
}
