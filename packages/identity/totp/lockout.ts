import type { SecondFactorPool } from "#schema.ts";

type RollingLimit = { readonly tries: number; readonly seconds: number };

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The most wrong codes that are evaluated within a time, whatever succeeded in between. */
export const ROLLING_LIMITS: Readonly<Record<SecondFactorPool, readonly RollingLimit[]>> = {
  totp: [
    { tries: 20, seconds: DAY },
    { tries: 100, seconds: 30 * DAY },
  ],
  backup_code: [
    { tries: 5, seconds: 15 * MINUTE },
    { tries: 20, seconds: DAY },
  ],
};

/** After so long no try of either pool matters any more. */
export const MAX_WINDOW_SECONDS: number = 30 * DAY;

const FAILURES_PER_LOCK = 5;
const LOCK_SECONDS = [15 * MINUTE, 30 * MINUTE, HOUR] as const;
const MAX_LOCK_SECONDS: number = DAY;
const FAILURES_TO_SUSPENSION = 100;
/** The wait that a suspended client is told, although waiting does not help. */
const SUSPENDED_RETRY_SECONDS: number = DAY;

/** The counters of one kind of second factor of one account; tries that are being evaluated count as wrong ones. */
export type PoolState = {
  readonly inARow: number;
  readonly lockedUntil: Date | null;
  readonly suspended: boolean;
  /** Newest first. */
  readonly triedAt: readonly Date[];
};

export type Block = { readonly until: Date; readonly reason: "in_a_row" | "rolling" | "suspended" };

/** @returns why no code of the pool is looked at, and until when, the longest first; empty when one is. */
export function blocksOf(pool: SecondFactorPool, state: PoolState, now: Date): readonly Block[] {
  if (state.suspended) {
    return [{ until: after(now, SUSPENDED_RETRY_SECONDS), reason: "suspended" }];
  }
  const locks: Block[] = state.lockedUntil === null ? [] : [{ until: state.lockedUntil, reason: "in_a_row" }];
  for (const { tries, seconds } of ROLLING_LIMITS[pool]) {
    const oldest = state.triedAt[tries - 1];
    if (oldest !== undefined) {
      locks.push({ until: after(oldest, seconds), reason: "rolling" });
    }
  }
  return locks.filter(({ until }) => until > now).toSorted((one, other) => other.until.getTime() - one.until.getTime());
}

/** The state with one more try in it, which counts as wrong until it is known to be right. */
export function withTry(pool: SecondFactorPool, state: PoolState, now: Date): PoolState {
  const triedAt = [now, ...state.triedAt];
  if (pool !== "totp") {
    return { ...state, triedAt };
  }
  const inARow = state.inARow + 1;
  return { inARow, lockedUntil: lockAfter(inARow, now) ?? state.lockedUntil, suspended: inARow >= FAILURES_TO_SUSPENSION, triedAt };
}

/** Failures in a row with one less: the lock that it had brought is lifted. */
export function withoutTry({ inARow, lockedUntil, suspended, triedAt }: PoolState): PoolState {
  const left = Math.max(inARow - 1, 0);
  const liftsLock = inARow % FAILURES_PER_LOCK === 0;
  return { inARow: left, lockedUntil: liftsLock ? null : lockedUntil, suspended: suspended && left >= FAILURES_TO_SUSPENSION, triedAt };
}

/** The lock lasts 15 minutes after 5 failures, 30 after 10, an hour after 15; then it doubles up to a day. */
function lockAfter(inARow: number, now: Date): Date | undefined {
  if (inARow % FAILURES_PER_LOCK !== 0) {
    return undefined;
  }
  const round = inARow / FAILURES_PER_LOCK - 1;
  const seconds = LOCK_SECONDS[round] ?? HOUR * 2 ** (round - LOCK_SECONDS.length + 1);
  return after(now, Math.min(seconds, MAX_LOCK_SECONDS));
}

function after(start: Date, seconds: number): Date {
  return new Date(start.getTime() + seconds * 1000);
}
