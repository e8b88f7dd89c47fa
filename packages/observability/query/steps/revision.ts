import type { Seen } from "./steps.store.ts";

/**
 * What of a trace could be seen at one moment: everything written by transactions before `next`, but for those that still ran. It is the
 * database's own notion of a snapshot, so nothing that was committed late is passed over, however writers overtook each other.
 */
export type Revision = { readonly next: number; readonly running: readonly number[] };

/** More of them at once than clients carry around; what came after the first of them then counts as not seen. */
const MAX_RUNNING = 100;
const WRAPS_AT = 2 ** 32;

/** The moment of a reading, and the trace's revision then. */
export function readSeen({ snapshot: text, versions }: Seen): { readonly snapshot: Revision; readonly revision: Revision } {
  const snapshot = readSnapshot(text);
  return {
    snapshot,
    revision: narrowSnapshot(
      snapshot,
      versions.map((version) => widenVersion(version, snapshot)),
    ),
  };
}

export function readSnapshot(snapshot: string): Revision {
  const [, next = "0", running = ""] = snapshot.split(":");
  return { next: Number(next), running: running === "" ? [] : running.split(",").map(Number) };
}

/** The whole number of a transaction of which only 32 bits are known: it is the last such one that `snapshot` can see. */
export function widenVersion(version: number, { next }: Revision): number {
  return next - 1 - ((((next - 1 - version) % WRAPS_AT) + WRAPS_AT) % WRAPS_AT);
}

/** `snapshot` without what came after the last of the `versions`: it stays the same as long as nobody writes. */
export function narrowSnapshot(snapshot: Revision, versions: Iterable<number>): Revision {
  let last = 0;
  for (const version of versions) {
    last = Math.max(last, version);
  }
  const running = snapshot.running.filter((version) => version <= last);
  return running.length > MAX_RUNNING ? { next: Math.min(...running), running: [] } : { next: last + 1, running };
}

export function isSince({ next, running }: Revision, version: number): boolean {
  return version >= next || running.includes(version);
}

/** Whether something seen was written after `since`. That others' transactions ended meanwhile makes another revision, and is no change. */
export function isWritten({ snapshot: text, versions }: Seen, since: Revision): boolean {
  const snapshot = readSnapshot(text);
  return versions.some((version) => isSince(since, widenVersion(version, snapshot)));
}

export function writeRevision({ next, running }: Revision): string {
  return [next, ...running].join("-");
}

/** @returns undefined for what {@link writeRevision} did not write, or not over this database. */
export function parseRevision(text: string, now: Revision): Revision | undefined {
  if (!/^\d{1,15}(?:-\d{1,15}){0,100}$/.test(text)) {
    return undefined;
  }
  const [next = 0, ...running] = text.split("-").map(Number);
  return next > now.next ? undefined : { next, running };
}
