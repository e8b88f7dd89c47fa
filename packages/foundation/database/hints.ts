import { Client, escapeIdentifier } from "pg";
import { openDatabaseSocket } from "#database-unavailable.ts";
import { errorMessage } from "#errors.ts";
import type { Logger } from "#log.ts";
import { repeat, type WakenBy } from "#repeat.ts";

/** Hears what other processes on the same database tell of by `pg_notify(channel, hint)`: that there may be something to do. */
export type Hints = {
  /** Wakes at this hint, and whenever hints may have been missed or begin or cease to be heard. */
  readonly wakenBy: (hint: string) => WakenBy;
  /** While false, nobody is told anything: whoever waits for hints has to look often. */
  readonly areHeard: () => boolean;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
};

export type HintsOptions = {
  readonly url: string;
  readonly channel: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly log: Logger;
  /** For tests, which can't wait as long. */
  readonly timing?: HintsTiming;
};

export type HintsTiming = {
  /** Between two tries whether hints still arrive. */
  readonly probeMs: number;
  /** What one that was told may take to arrive. */
  readonly arrivesMs: number;
};

const TIMING: HintsTiming = { probeMs: 60_000, arrivesMs: 5_000 };

/** What this process tells itself, to see that hints arrive: through a pooler of transactions, or to a server that went silent, none does. */
const PROBE = "?";

/**
 * Listens on a connection of its own. A hint may get lost with its connection and nobody may depend on it: it shortens the pause of
 * work that is looked for in any case.
 */
export function createHints({ url, channel, applicationName, log, timing = TIMING }: HintsOptions): Hints {
  const wakers = new Set<{ readonly hint: string; readonly wake: () => void }>();
  let client: Client | undefined;
  let areHeard = false;
  let onProbe: () => void = () => undefined;

  function wakeAll(): void {
    wakers.forEach(({ wake }) => wake());
  }

  function hear(hint: string): void {
    if (hint === PROBE) {
      onProbe();
    }
    wakers.forEach((waker) => {
      if (waker.hint === hint) {
        waker.wake();
      }
    });
  }

  function lose(lost: Client): void {
    if (client === lost) {
      client = undefined;
      void lost.end().catch(() => undefined);
      if (areHeard) {
        areHeard = false;
        wakeAll();
      }
    }
  }

  async function listen(): Promise<Client> {
    const opened = new Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: timing.arrivesMs,
      query_timeout: timing.arrivesMs,
      keepAlive: true,
      stream: openDatabaseSocket,
    });
    client = opened;
    opened.on("error", () => lose(opened));
    opened.on("end", () => lose(opened));
    opened.on("notification", ({ payload = "" }) => hear(payload));
    await opened.connect();
    await opened.query(`listen ${escapeIdentifier(channel)}`);
    return opened;
  }

  /** Connects where it is not connected, and tells itself something. */
  async function probe(signal: AbortSignal): Promise<void> {
    const arrival = Promise.withResolvers<void>();
    const late = setTimeout(() => arrival.reject(new Error("what is told does not arrive")), timing.arrivesMs);
    arrival.promise.catch(() => undefined);
    onProbe = arrival.resolve;
    try {
      const listening = client ?? (await listen());
      await listening.query("select pg_notify($1, $2)", [channel, PROBE]);
      await arrival.promise;
      signal.throwIfAborted();
      if (!areHeard) {
        areHeard = true;
        // Whatever was told until now was not heard.
        wakeAll();
      }
    } catch (error) {
      if (client !== undefined) {
        lose(client);
      }
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  let lastReason = "";
  const probing = repeat({
    log,
    tasks: [
      {
        name: "listening to the database",
        everyMs: timing.probeMs,
        run: async (signal) => {
          await probe(signal);
          lastReason = "";
        },
        wakenBy: (wake) => void wakers.add({ hint: "", wake: () => areHeard || wake() }),
        onFailure: (error, failures) => {
          const reason = errorMessage(error);
          if (reason !== lastReason) {
            lastReason = reason;
            log.warn({ reason, channel }, "other processes can't be listened to; what there is to do is looked for more often instead");
          }
          return Math.min(1_000 * 2 ** failures, timing.probeMs) * (1 + Math.random() / 4);
        },
      },
    ],
  });

  return {
    wakenBy: (hint) => (wake) => void wakers.add({ hint, wake }),
    areHeard: () => areHeard,
    start: probing.start,
    stop: async () => {
      areHeard = false;
      const last = client;
      client = undefined;
      await Promise.all([probing.stop(), last?.end().catch(() => undefined)]);
    },
  };
}
