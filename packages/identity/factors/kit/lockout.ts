type RollingLimit = { readonly tries: number; readonly seconds: number };

export const MINUTE = 60;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** How often wrong codes of a kind are evaluated. */
export type CodeLimits = {
  /** The most within a time, whatever succeeded in between. */
  readonly rolling: readonly RollingLimit[];
  /** Whether failures in a row lock it too, and in the end suspend it; then its rolling limits tell that the password is known. */
  readonly inARow: boolean;
};

/** After so long no try of any kind matters any more. */
export const MAX_WINDOW_SECONDS: number = 30 * DAY;

const FAILURES_PER_LOCK = 5;
const LOCK_SECONDS = [15 * MINUTE, 30 * MINUTE, HOUR] as const;
const MAX_LOCK_SECONDS: number = DAY;
const FAILURES_TO_SUSPENSION = 100;
/** The wait that a suspended client is told, although waiting does not help. */
const SUSPENDED_RETRY_SECONDS: number = DAY;

/** The counters of one kind of code of one account; tries that are being evaluated count as wrong ones. */
export type PoolState = {
  readonly inARow: number;
  readonly lockedUntil: Date | null;
  readonly suspended: boolean;
  /** Newest first. */
  readonly triedAt: readonly Date[];
};

export type Block = { readonly until: Date; readonly reason: "in_a_row" | "rolling" | "suspended" };

/** @returns why no code of the kind is looked at, and until when, the longest first; empty when one is. */
export function findBlocks(limits: CodeLimits, state: PoolState, now: Date): readonly Block[] {
  if (state.suspended) {
    return [{ until: after(now, SUSPENDED_RETRY_SECONDS), reason: "suspended" }];
  }
  const locks: Block[] = state.lockedUntil === null ? [] : [{ until: state.lockedUntil, reason: "in_a_row" }];
  for (const { tries, seconds } of limits.rolling) {
    const oldest = state.triedAt[tries - 1];
    if (oldest !== undefined) {
      locks.push({ until: after(oldest, seconds), reason: "rolling" });
    }
  }
  return locks.filter(({ until }) => until > now).toSorted((one, other) => other.until.getTime() - one.until.getTime());
}

/** The state with one more try in it, which counts as wrong until it is known to be right. */
export function withTry(limits: CodeLimits, state: PoolState, now: Date): PoolState {
  const triedAt = [now, ...state.triedAt];
  if (!limits.inARow) {
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
