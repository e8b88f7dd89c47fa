import { expect, test } from "vitest";
import { isSince, isWritten, narrowSnapshot, parseRevision, readSnapshot, widenVersion, writeRevision } from "./revision.ts";

test("what was committed after a snapshot is since it, though its transaction began before", () => {
  const snapshot = readSnapshot("90:100:90,95");
  const revision = narrowSnapshot(snapshot, [80, 97]);
  expect(revision).toEqual({ next: 98, running: [90, 95] });
  expect([80, 90, 94, 95, 97, 98, 120].filter((version) => isSince(revision, version))).toEqual([90, 95, 98, 120]);
});

test("a revision stays the same while transactions that write elsewhere come and go", () => {
  const revisions = ["99:99:", "99:120:99,110", "500:500:"].map((snapshot) =>
    writeRevision(narrowSnapshot(readSnapshot(snapshot), [7, 42])),
  );
  expect(new Set(revisions)).toEqual(new Set(["43"]));
});

test("nothing is written when another's transaction ends, and something when one does that wrote the trace", () => {
  const before = narrowSnapshot(readSnapshot("90:100:90,95"), [80, 97]);
  expect(isWritten({ snapshot: "101:101:", versions: [80, 97] }, before)).toBe(false);
  expect(isWritten({ snapshot: "101:101:", versions: [80, 97, 95] }, before)).toBe(true);
  expect(isWritten({ snapshot: "102:102:", versions: [80, 101] }, before)).toBe(true);
});

test("of more running transactions than fit, the first one bounds what counts as seen", () => {
  const running = Array.from({ length: 200 }, (_, index) => 1_000 + index);
  const revision = narrowSnapshot({ next: 2_000, running }, [1_900]);
  expect(revision).toEqual({ next: 1_000, running: [] });
});

test("a revision is read as it was written; what is none, or comes from a database that was further, is not", () => {
  const now = readSnapshot("90:100:90");
  const revision = narrowSnapshot(now, [99]);
  expect(parseRevision(writeRevision(revision), now)).toEqual(revision);
  expect(["", "x", "101", "1-", "-1", "1:2", `1${"-1".repeat(101)}`].map((text) => parseRevision(text, now))).toEqual(
    Array.from({ length: 7 }, () => undefined),
  );
});

test("transactions are told apart after their 32 bits have come round", () => {
  const now = { next: 2 ** 32 + 10, running: [] };
  expect([9, 3, 10, 2 ** 32 - 1].map((version) => widenVersion(version, now))).toEqual([2 ** 32 + 9, 2 ** 32 + 3, 10, 2 ** 32 - 1]);
});
