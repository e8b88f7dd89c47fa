const NANOS_OF_MICRO = 1000n;
const MICROS_OF_SECOND = 1_000_000n;

/** Formats a time to the microsecond, the precision of the database. */
export function toTimestamp(nanos: bigint): string {
  const micros = nanos / NANOS_OF_MICRO;
  const seconds = new Date(Number(micros / MICROS_OF_SECOND) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(micros % MICROS_OF_SECOND).padStart(6, "0")}Z`;
}
