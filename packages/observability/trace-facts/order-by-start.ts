type Started = {
  readonly id: string;
  readonly parentId: string | null;
  readonly producerId: string | null;
  readonly seq: number;
  readonly startedAt: Date;
};

/** Of a producer's UUID: it hands on what others have finished, so its numbers tell the order of arrival. */
const VERSION_OF_INTAKES = "8";
const VERSION_AT = 14;

/** Whether a producer's UUID is one of an intake, which hands on what many processes did. */
export function isIntake(producerId: string): boolean {
  return producerId[VERSION_AT] === VERSION_OF_INTAKES;
}

/**
 * By start, parents before their children. Within one producer the numbers tell the order, whatever its clock did;
 * several producers share nothing but the time.
 */
export function orderByStart<Row extends Started>(rows: readonly Row[]): readonly Row[] {
  const producers = new Set(rows.map(({ producerId }) => producerId));
  const isOneProducer = producers.size <= 1 && !isIntake(rows[0]?.producerId ?? "");
  const byStart = rows.toSorted((left, right) => {
    const time = isOneProducer ? 0 : left.startedAt.getTime() - right.startedAt.getTime();
    return time === 0 ? left.seq - right.seq : time;
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  // A set keeps the order in which it was filled.
  const ordered = new Set<Row>();
  for (const row of byStart) {
    for (const next of lineOf(row, byId, ordered)) {
      ordered.add(next);
    }
  }
  return [...ordered];
}

/** The row and those of its ancestors that are still missing, the eldest first. Parents that lead in a circle end the line. */
function lineOf<Row extends Started>(row: Row, byId: ReadonlyMap<string, Row>, ordered: ReadonlySet<Row>): readonly Row[] {
  const line = new Set<Row>();
  for (let next: Row | undefined = row; next !== undefined && !ordered.has(next) && !line.has(next);) {
    line.add(next);
    next = next.parentId === null ? undefined : byId.get(next.parentId);
  }
  return [...line].toReversed();
}

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
