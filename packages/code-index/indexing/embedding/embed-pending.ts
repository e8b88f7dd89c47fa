import type { Clock } from "@sightline/foundation/clock";
import type { Hints } from "@sightline/foundation/database/hints";
import type { Logger } from "@sightline/foundation/log";
import { repeat } from "@sightline/foundation/repeat";
import { EmbedderError, type Embedder } from "#embedding/embedder.ts";
import { clearWaiting, tenantsThatWait } from "./embedding-progress.store.ts";
import { listTenants, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import { forgetWaiting } from "./waiting-vectors.store.ts";
import { createTenantBackfill, type Filling, type TenantBackfill } from "./embed-tenant.ts";

/** Short enough that nobody needs to be called when a provider recovers. */
const MAX_PAUSE_MS = 60_000;
/** Failures that last, such as a wrong key, are retried less often. */
const PERMANENT_FACTOR = 10;
const MAX_ASKED_PAUSE_MS = 15 * 60_000;

/** Logs the provider's words once, and lets the pauses grow. */
function createFailureReport(log: Logger, firstMs: number): (error: unknown, failures: number) => number {
  let lastMessage: string | undefined;
  return (error, failures) => {
    lastMessage = failures === 0 ? undefined : lastMessage;
    const grownMs = firstMs * 2 ** Math.min(failures, 20);
    // Not all processes at once.
    const jitter = 1 + Math.random() / 4;
    if (!(error instanceof EmbedderError)) {
      log.error({ err: error }, "vectors could not be made, trying again");
      lastMessage = undefined;
      return Math.min(grownMs, MAX_PAUSE_MS) * jitter;
    }
    if (error.message !== lastMessage) {
      log.warn({ reason: error.message }, "the embedder's provider fails; new code is found by the other legs meanwhile");
      lastMessage = error.message;
    }
    const pauseMs = Math.min(grownMs * (error.transient ? 1 : PERMANENT_FACTOR), MAX_PAUSE_MS);
    return Math.max(pauseMs, Math.min(error.retryAfterMs ?? 0, MAX_ASKED_PAUSE_MS)) * jitter;
  };
}

export type BackfillOptions = {
  readonly database: CodeIndexDatabase;
  /** `undefined`: nothing is embedded, and nothing waits. */
  readonly embedder: Embedder | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  /** While they are heard it rests longer when nothing waits. */
  readonly hints?: Hints;
  /** For tests, which can't wait as long. */
  readonly timing?: BackfillTiming;
};

export type BackfillTiming = {
  /** Between two looks when nothing waits, or nothing is heard. */
  readonly idleMs: number;
  /** After the provider's first failure; it doubles. */
  readonly retryMs: number;
  readonly leaseMs: number;
};

const TIMING: BackfillTiming = { idleMs: 1_000, retryMs: 1_000, leaseMs: 60_000 };

/** Between two looks at a tenant of which nothing is known to wait; and while hints are heard. */
const REFRESH_MS = 15_000;
const REFRESH_HEARD_MS = 60_000;

/**
 * Makes the vectors that were not made while indexing, of every tenant: because that takes a network, because the provider
 * failed, or because the embedder is another one now. Any number of processes may do so at once.
 *
 * The vectors of a new embedder are made beside those in use, which searches keep to until the last one is there.
 * Stopping it gives back what is in hand.
 */
export function createBackfill({ database, embedder, log, clock, hints, timing = TIMING }: BackfillOptions): Backfill {
  if (embedder === undefined) {
    return { start: () => forgetAll(database), stop: async () => undefined };
  }
  let round: Round | undefined;
  const run = (signal: AbortSignal) => {
    round ??= createRound({ database, embedder, log, clock, leaseMs: timing.leaseMs, signal }, hints);
    return round.run();
  };
  const repeated = repeat({
    log,
    tasks: [
      {
        name: "making vectors",
        everyMs: timing.idleMs,
        restMs: () => (hints?.areHeard() === true && round?.isSettled() === true ? REFRESH_HEARD_MS : timing.idleMs),
        wakenBy: (wake) => {
          hints?.wakenBy("vectors")(wake);
          hints?.wakenBy("tenants")(() => {
            round?.forgetTenants();
            wake();
          });
        },
        run,
        onFailure: createFailureReport(log, timing.retryMs),
      },
    ],
  });
  return { start: async () => repeated.start(), stop: repeated.stop };
}

export type Backfill = { readonly start: () => Promise<void>; readonly stop: () => Promise<void> };

type Round = {
  /** One batch of each tenant that has something to do; false when none had. */
  readonly run: () => Promise<boolean>;
  /** Whether nothing waits and no tenant has to be looked at again soon. */
  readonly isSettled: () => boolean;
  /** Reads the tenants anew with the next run. */
  readonly forgetTenants: () => void;
};

function createRound(filling: Filling, hints: Hints | undefined): Round {
  const { database, log, clock, signal } = filling;
  const backfills = new Map<string, TenantBackfill>();
  let tenants: readonly Tenant[] = [];
  let refreshedAt = -Infinity;
  let turn = 0;
  let isSettled = false;

  async function refreshTenants(): Promise<boolean> {
    const all = clock.now().getTime() - refreshedAt >= (isSettled && hints?.areHeard() === true ? REFRESH_HEARD_MS : REFRESH_MS);
    if (all) {
      tenants = await listTenants(database);
      refreshedAt = clock.now().getTime();
    }
    return all;
  }

  async function step(tenant: Tenant): Promise<boolean> {
    const backfill = backfills.get(tenant.tenantId) ?? createTenantBackfill(filling, tenant);
    backfills.set(tenant.tenantId, backfill);
    try {
      return (await backfill.step()) === "worked";
    } catch (error) {
      if (error instanceof EmbedderError || signal.aborted) {
        throw error;
      }
      // A failure of one tenant, as while it is being deleted, does not stop the others.
      backfills.delete(tenant.tenantId);
      log.error({ err: error, tenant: tenant.name }, "a tenant's vectors could not be made, trying again later");
      return false;
    }
  }

  async function run(): Promise<boolean> {
    const all = await refreshTenants();
    const waiting = await tenantsThatWait(database);
    const due = tenants.filter(({ tenantId }) => all || waiting.has(tenantId) || backfills.get(tenantId)?.settled() === false);
    // Another one is first each time, so that a provider's failure is not always the same tenant's.
    turn++;
    let worked = false;
    for (let index = 0; index < due.length; index++) {
      const tenant = due[(index + turn) % due.length];
      if (tenant !== undefined && !signal.aborted) {
        worked = (await step(tenant)) || worked;
      }
    }
    isSettled = waiting.size === 0 && tenants.every(({ tenantId }) => backfills.get(tenantId)?.settled() !== false);
    return worked;
  }

  return { run, isSettled: () => isSettled, forgetTenants: () => (refreshedAt = -Infinity) };
}

async function forgetAll(database: CodeIndexDatabase): Promise<void> {
  for (const tenant of await listTenants(database)) {
    await forgetWaiting(database, tenant);
    await clearWaiting(database, tenant);
  }
}
