/** Milliseconds since 1970. */
type Times = { readonly started: number | null; readonly ended: number | null; readonly durationMs: number | null; readonly seen: number };

/** When the start has not arrived, the end tells when it was. */
export function startOf({ started, ended, durationMs, seen }: Times): Date {
  if (started !== null) {
    return new Date(started);
  }
  const computed = ended === null || durationMs === null ? Number.NaN : ended - durationMs;
  return new Date(computed >= FIRST_TIME ? computed : seen);
}

/** Years before this one are written in another way. */
const FIRST_TIME = Date.parse("0000-01-01T00:00:00Z");

type RowTimes = {
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly duration_ms: number | null;
  readonly seen_at: Date;
};

export function startOfRow(row: RowTimes): Date {
  return startOf({
    started: row.started_at?.getTime() ?? null,
    ended: row.ended_at?.getTime() ?? null,
    durationMs: row.duration_ms,
    seen: row.seen_at.getTime(),
  });
}
