/** The length of a time as most are written. */
const WITH_MILLISECONDS = "2026-01-01T00:00:00.000Z".length;

/** PostgreSQL keeps microseconds; texts cut to them compare as the times do. */
export function toInstant(timestamp: string): string {
  if (timestamp.length === WITH_MILLISECONDS && timestamp[19] === ".") {
    return `${timestamp.slice(0, -1)}000Z`;
  }
  const [, minutes = "", seconds = "00", fraction = ""] = /^(.{16})(?::(\d\d))?(?:\.(\d+))?Z$/.exec(timestamp) ?? [];
  return `${minutes}:${seconds}.${fraction.slice(0, 6).padEnd(6, "0")}Z`;
}
