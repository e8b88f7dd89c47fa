import { describe, expect, test } from "vitest";
import { backupCodes } from "#factors/backup-code/backup-codes.ts";
import { TOTP } from "#factors/totp/totp.ts";
import { findBlocks, withoutTry, withTry, type PoolState } from "./lockout.ts";

const START = new Date("2026-01-01T00:00:00Z");
const NOTHING: PoolState = { inARow: 0, lockedUntil: null, suspended: false, triedAt: [] };

const LIMITS = { totp: TOTP.limits, backup_code: backupCodes.limits };

const secondsOf = (pool: keyof typeof LIMITS, state: PoolState, now: Date) => {
  const [block] = findBlocks(LIMITS[pool], state, now);
  return block === undefined ? undefined : (block.until.getTime() - now.getTime()) / 1000;
};

/** Wrong codes one after the other, each as soon as it is looked at; the rolling budgets left out. */
function locksInARow(failures: number): readonly number[] {
  let state = NOTHING;
  let now = START;
  const locks: number[] = [];
  for (let failure = 0; failure < failures; failure++) {
    state = { ...withTry(TOTP.limits, state, now), triedAt: [] };
    const seconds = secondsOf("totp", state, now);
    if (seconds !== undefined) {
      locks.push(seconds);
      now = new Date(now.getTime() + seconds * 1000);
    }
  }
  return locks;
}

describe("failures in a row of codes by time", () => {
  test("lock for 15 minutes after 5, 30 after 10, an hour after 15, then twice as long up to a day", () => {
    const hours = locksInARow(99).map((seconds) => seconds / 3600);

    expect(hours).toEqual([0.25, 0.5, 1, 2, 4, 8, 16, ...Array.from({ length: 12 }, () => 24)]);
  });

  test("suspend after 100, whatever time goes by", () => {
    const state = withTry(TOTP.limits, { ...NOTHING, inARow: 99 }, START);

    expect(state.suspended).toBe(true);
    const later = new Date(START.getTime() + 400 * 86_400_000);
    expect(findBlocks(TOTP.limits, { ...state, triedAt: [] }, later)).toMatchObject([{ reason: "suspended" }]);
  });

  test("are undone with their lock when the try is given back", () => {
    for (const inARow of [0, 3, 4, 9, 99]) {
      const before = { ...NOTHING, inARow };
      const { triedAt: _triedAt, ...after } = withoutTry(withTry(TOTP.limits, before, START));
      expect({ ...after, triedAt: [] }).toEqual(before);
    }
  });

  test("given back without any are still none", () => {
    expect(withoutTry(NOTHING)).toEqual(NOTHING);
  });
});

describe("rolling budgets", () => {
  test.each([
    { pool: "totp", tries: 20, seconds: 86_400, apart: 3600 },
    { pool: "totp", tries: 100, seconds: 30 * 86_400, apart: 20_000 },
    { pool: "backup_code", tries: 5, seconds: 900, apart: 60 },
    { pool: "backup_code", tries: 20, seconds: 86_400, apart: 2000 },
  ] as const)("of $pool: $tries in $seconds s, until the oldest slides out", ({ pool, tries, seconds, apart }) => {
    const now = new Date(START.getTime() + (tries - 1) * apart * 1000);
    const triedAt = Array.from({ length: tries }, (_, index) => new Date(now.getTime() - index * apart * 1000));

    expect(secondsOf(pool, { ...NOTHING, triedAt: triedAt.slice(0, -1) }, now)).toBeUndefined();
    expect(secondsOf(pool, { ...NOTHING, triedAt }, now)).toBe(seconds - (tries - 1) * apart);
    const slidOut = new Date(START.getTime() + seconds * 1000);
    expect(secondsOf(pool, { ...NOTHING, triedAt }, new Date(slidOut.getTime() - 1))).toBe(0.001);
    expect(secondsOf(pool, { ...NOTHING, triedAt }, slidOut)).toBeUndefined();
  });

  test("stand beside a lock by failures in a row, the longer one first", () => {
    const triedAt = Array.from({ length: 20 }, () => new Date(START.getTime() - 82_800_000));
    const state = { ...NOTHING, inARow: 20, lockedUntil: new Date(START.getTime() + 7_200_000), triedAt };

    expect(findBlocks(TOTP.limits, state, START).map(({ reason }) => reason)).toEqual(["in_a_row", "rolling"]);
  });

  test("of backup codes know no failures in a row", () => {
    expect(withTry(backupCodes.limits, NOTHING, START)).toEqual({ ...NOTHING, triedAt: [START] });
  });
});
