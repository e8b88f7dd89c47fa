/** The consumer's timing, in milliseconds. */
export type Tuning = {
  /** The longest wait for new entries; stopping waits as long. */
  readonly blockMs: number;
  /** An entry read but not acknowledged for this long is taken over, from whichever consumer has it. */
  readonly claimIdleMs: number;
  readonly claimEveryMs: number;
  /** How often the partitions are dealt out anew; a consumer that was not heard of for `claimIdleMs` is dealt none. */
  readonly shareEveryMs: number;
  /** A partition beyond those that there are to be ends when it is empty and nothing came for so long. */
  readonly quietMs: number;
  readonly heartbeatEveryMs: number;
  readonly heartbeatLivesMs: number;
  /** How often what SDKs ask for is left in Redis: a new project is known to them so long after. */
  readonly tellEveryMs: number;
  /** A number that is missing this long counts as lost. Longer than five deliveries of an entry that the database refuses. */
  readonly reorderWindowMs: number;
  readonly findGapsEveryMs: number;
  /** The rest between two looks for gaps where no number is missing and nothing is written. */
  readonly findGapsRestMs: number;
  readonly reapEveryMs: number;
  /** A consumer with nothing pending that has not been heard of for this long is removed. */
  readonly reapIdleMs: number;
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** How long masking rules are cached: all consumers follow a change within this time. */
  readonly maskingKnownMs: number;
};

export const defaultTuning: Tuning = {
  blockMs: 1_000,
  claimIdleMs: 15_000,
  claimEveryMs: 5_000,
  shareEveryMs: 5_000,
  quietMs: 900_000,
  heartbeatEveryMs: 5_000,
  heartbeatLivesMs: 30_000,
  tellEveryMs: 10_000,
  reorderWindowMs: 90_000,
  findGapsEveryMs: 5_000,
  findGapsRestMs: 60_000,
  reapEveryMs: 60_000,
  reapIdleMs: 600_000,
  firstRetryMs: 100,
  lastRetryMs: 5_000,
  maskingKnownMs: 15_000,
};

/** Deliveries after which an entry that the database refuses is set aside. */
export const MAX_DELIVERIES = 5;

/** Deliveries after which an entry that nobody finishes is set aside unread: it may be what consumers die of. */
export const MAX_UNFINISHED_DELIVERIES = 20;

/** The most batches that are written in one transaction, when so many wait: planning its statements takes as long for one of them. */
export const BATCHES_AT_ONCE = 10;

/** How many readers each partition has, and how many of all readers write at once, so that database and consumer seldom wait for each other. */
export const LANES = 3;

/** After so long a pending entry no longer delays the judgement of gaps. */
export const STUCK_MS = 900_000;
