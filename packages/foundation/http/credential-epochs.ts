import { createHash } from "node:crypto";
import { jwtVerify, type JWTVerifyGetKey } from "jose";
import { Gauge, type Registry } from "prom-client";
import { z } from "zod";
import { errorMessage } from "#errors.ts";
import type { Logger } from "#log.ts";
import { repeat } from "#repeat.ts";

/** The `typ` of the feed's header, so that neither an access token passes for a feed nor the other way round. */
export const CREDENTIAL_EPOCHS_TYPE = "epochs+jwt";

/**
 * How the feed names an account or a session: a hash, which whoever holds a token of it can compute, and nobody can turn back. So
 * whoever reads the feed learns no id.
 */
export function nameInFeed(id: string): string {
  return createHash("sha256").update(id).digest().subarray(0, NAME_BYTES).toString("base64url");
}

const NAME_BYTES = 16;

/** The claims of a token that are checked against the feed. */
type TokenOrigin = { readonly subject: string; readonly epoch: number | undefined; readonly sessionId: string | undefined };

export type CredentialEpochsOptions = {
  readonly url: string;
  /** The keys that sign the feed, the same that sign the tokens. */
  readonly keys: JWTVerifyGetKey;
  readonly issuer: readonly string[] | undefined;
  readonly log: Logger;
  readonly metrics?: Registry;
  readonly intervalMs?: number;
};

const INTERVAL_MS = 20_000;
const FIRST_RETRY_MS = 1_000;
const TIMEOUT_MS = 3_000;
const CLOCK_TOLERANCE_SECONDS = 30;
/** A reading that is further behind comes from a server whose clock was corrected. */
const REPLICA_LAG_SECONDS = 60;
/** How many failures in a row are logged; fewer are a restart or a lost packet. */
const OUTAGE = 3;
/** The same before the first reading: identity, which serves the feed, may be starting, too. Half a minute. */
const OUTAGE_AT_START = 6;

const feedSchema = z.object({
  iat: z.number(),
  epochs: z.record(z.string(), z.number()),
  sessions: z.array(z.string()),
});

type Known = {
  readonly issuedAt: number;
  readonly epochs: ReadonlyMap<string, number>;
  readonly sessions: ReadonlySet<string>;
};

/**
 * Follows the feed of tokens that were invalidated before they expire. While it can't be read the last reading counts:
 * refusing everyone would make one part's outage everyone's, and tokens expire within the hour.
 */
export function createCredentialEpochs(options: CredentialEpochsOptions) {
  const { url, log, metrics, intervalMs = INTERVAL_MS } = options;
  const firstReading = Promise.withResolvers<void>();
  let known: Known = { issuedAt: 0, epochs: new Map(), sessions: new Set() };
  let readAt: number | undefined;
  let isOutage = false;

  async function read(signal: AbortSignal): Promise<void> {
    const next = await fetchFeed(options, signal);
    // Replicas sign feeds of their own; one that lags must not undo what a newer one has reported.
    const behind = known.issuedAt - next.issuedAt;
    if (behind <= 0 || behind > REPLICA_LAG_SECONDS) {
      known = next;
    }
    readAt = Date.now();
    if (isOutage) {
      log.info({ url }, "the feed of ended credentials is read again");
    }
    isOutage = false;
  }

  function onFailure(error: unknown, failures: number): number {
    if (failures + 1 === (readAt === undefined ? OUTAGE_AT_START : OUTAGE)) {
      isOutage = true;
      const meanwhile = readAt === undefined ? "until then tokens are valid until they expire" : "what was read last still counts";
      log.warn({ url, reason: errorMessage(error) }, `the feed of ended credentials can't be read; ${meanwhile}`);
    }
    return Math.min(FIRST_RETRY_MS * 2 ** failures, intervalMs);
  }

  const run = (signal: AbortSignal) => read(signal).finally(firstReading.resolve);
  const reading = repeat({ log, tasks: [{ name: "reading the feed of ended credentials", everyMs: intervalMs, run, onFailure }] });
  if (metrics !== undefined) {
    registerAge(metrics, () => readAt);
  }
  return {
    /** Reads the feed once, then again and again in the background. Resolves when the first reading has succeeded or failed. */
    start: (): Promise<void> => {
      reading.start();
      return firstReading.promise;
    },
    stop: reading.stop,
    /** The reason why a token with a valid signature is refused; undefined when it is not, as far as is known. */
    refusal: ({ subject, epoch = 0, sessionId }: TokenOrigin): string | undefined => {
      if (epoch < (known.epochs.get(nameInFeed(subject)) ?? 0)) {
        return "the account has changed since the access token was issued; log in again";
      }
      return sessionId !== undefined && known.sessions.has(nameInFeed(sessionId))
        ? "the session of the access token has ended; log in again"
        : undefined;
    },
  };
}

async function fetchFeed({ url, keys, issuer }: CredentialEpochsOptions, stopping: AbortSignal): Promise<Known> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]) });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`it answered ${response.status}`);
  }
  const { payload } = await jwtVerify(text, keys, {
    algorithms: ["RS256"],
    typ: CREDENTIAL_EPOCHS_TYPE,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ["iss", "iat", "exp"],
    ...(issuer === undefined ? {} : { issuer: [...issuer] }),
  });
  const { iat, epochs, sessions } = feedSchema.parse(payload);
  return { issuedAt: iat, epochs: new Map(Object.entries(epochs)), sessions: new Set(sessions) };
}

function registerAge(metrics: Registry, readAt: () => number | undefined): void {
  metrics.registerMetric(
    new Gauge({
      name: "sightline_credential_epochs_age_seconds",
      help: "Time since the feed of ended credentials was read; -1 when it never was.",
      registers: [],
      collect() {
        const at = readAt();
        this.set(at === undefined ? -1 : (Date.now() - at) / 1000);
      },
    }),
  );
}
