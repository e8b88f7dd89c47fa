import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect } from "kysely";
import { Client, Pool, TypeOverrides, type PoolClient } from "pg";
import { openDatabaseSocket, READ_TIMEOUT } from "#database-unavailable.ts";
import { errorMessage } from "#errors.ts";
import { parseExactly } from "#exact-json.ts";
import type { Check } from "#health.ts";
import type { Logger } from "#log.ts";
import { createHints, type Hints } from "./hints.ts";

export type DatabaseOptions = {
  readonly url: string;
  /** The most connections. */
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly log: Logger;
  /** Milliseconds after which the server gives a statement up. */
  readonly statementTimeoutMs?: number;
  /** Whether connections keep the plans of what they are asked often; only where a session is nobody else's. */
  readonly keepsPlans?: boolean;
};

/** A pool of connections and the typed query builder over it. */
export type Database<Schema> = {
  readonly pool: Pool;
  readonly query: Kysely<Schema>;
  /** Cancels a statement of another connection. It has a small pool of its own, since it must not wait for a free connection. */
  readonly cancel: (running: Running) => Promise<void>;
  /** Listens on a connection of its own, once it is started. */
  readonly listen: (channel: string) => Hints;
  readonly check: Check;
  /**
   * Lets running statements finish within {@link CLOSE_MS}; statements on a server that hangs fail then.
   */
  readonly close: () => Promise<void>;
};

/** A running transaction, as the server identifies it. */
export type Running = {
  readonly pid: number;
  /** When it began, as text to the microsecond, so that the next transaction of the same connection is never mistaken for it. */
  readonly began: string;
};

const CLOSE_MS = 3_000;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;

/** A check gives its connection up soon, since closing the pool waits for it. */
const CHECK = { text: "select 1", query_timeout: 2_000 };

/** The pool for cancelling opens when something is cancelled, and closes soon after. */
const ASIDE = { max: 2, connectionTimeoutMillis: CONNECT_MS, query_timeout: 2_000, idleTimeoutMillis: 10_000 };

/**
 * How soon the server ends the connection of a machine that went silent, with the locks that it holds: after half a minute. By default it
 * would wait for two hours.
 */
const SILENCE = { tcp_keepalives_idle: "15", tcp_keepalives_interval: "5", tcp_keepalives_count: "3", tcp_user_timeout: "30000" };

/** What decides how values are written and read, and what statements mean: a server's, a database's or a role's own setting must not. */
const MEANING = {
  DateStyle: "ISO,MDY",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  extra_float_digits: "1",
  bytea_output: "hex",
  standard_conforming_strings: "on",
  array_nulls: "on",
  transform_null_equals: "off",
  row_security: "on",
  gin_fuzzy_search_limit: "0",
  lock_timeout: "0",
  default_transaction_isolation: String.raw`read\ committed`,
  default_transaction_read_only: "off",
  default_transaction_deferrable: "off",
};

/** The address, and the settings of a connection; those in the `options` of the address come last, and count. */
function connectTo(url: string): { readonly connectionString: string; readonly options: string } {
  const ours = Object.entries({ ...SILENCE, ...MEANING }).map(([name, value]) => `-c ${name}=${value}`);
  if (!/[?&]options=/.test(url)) {
    return { connectionString: url, options: ours.join(" ") };
  }
  const address = new URL(url);
  const own = address.searchParams.get("options") ?? "";
  address.searchParams.delete("options");
  return { connectionString: address.toString(), options: [...ours, own].join(" ") };
}

/** The type id of 64-bit integers, which arrive as numbers (counts and ids here stay far below 2^53). */
const INT8 = 20;
/**
 * The type id of json, whose numbers arrive as they were written ({@link parseExactly}). PostgreSQL writes fractions its own way (1e-05), so
 * what a statement makes of them is jsonb, whose numbers are numbers.
 */
const JSON_AS_WRITTEN = 114;

export function createDatabase<Schema>(options: DatabaseOptions): Database<Schema> {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, Number);
  types.setTypeParser(JSON_AS_WRITTEN, (json) => parseExactly(json));
  const pool = new Pool({
    ...connectTo(options.url),
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    // A plan is of its tables' sizes then, and of tenants that may have gone.
    ...(options.keepsPlans === true ? { maxLifetimeSeconds: PLANS_S } : {}),
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_MS,
    query_timeout: (options.statementTimeoutMs ?? STATEMENT_MS) + 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 15_000,
    stream: openDatabaseSocket,
    types,
  });
  // An idle connection that breaks is replaced by the pool; without a listener the process would end.
  pool.on("error", (error) => options.log.warn({ reason: error.message }, "an idle database connection broke"));
  // The pool does not listen to a connection that is taken. One that breaks between two statements fails the next of them.
  pool.on("connect", (client) => closeWhenSilent(client.on("error", () => undefined)));
  pool.on("connect", (client) => (options.keepsPlans === true ? keepPlans(client) : undefined));
  const taken = new Set<PoolClient>();
  pool.on("acquire", (client) => taken.add(client));
  pool.on("release", (_error, client) => taken.delete(client));

  const aside = new Pool({ ...ASIDE, connectionString: options.url, application_name: `${options.applicationName}-cancel` });
  aside.on("error", () => undefined);
  aside.on("connect", (client) => client.on("error", () => undefined));

  const query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    pool,
    query,
    cancel: async ({ pid, began }) =>
      void (await aside.query("select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and xact_start = $2::timestamptz", [
        pid,
        began,
      ])),
    listen: (channel) => createHints({ url: options.url, channel, applicationName: `${options.applicationName}-hints`, log: options.log }),
    check: { name: "database", check: async () => void (await pool.query(CHECK)) },
    close: async () => {
      const cutting = setTimeout(() => taken.forEach((client) => void client.end()), CLOSE_MS);
      await query.destroy();
      await aside.end();
      // The query builder ends the pool only when it was used itself.
      if (!pool.ended) {
        await pool.end();
      }
      clearTimeout(cutting);
    },
  };
}

/**
 * Closes a connection on which an answer did not come in time, so that the pool makes another. The driver would keep it, and whoever
 * gets it next waits behind that answer: for good where the network came back after the server had given the connection up.
 */
function closeWhenSilent(client: PoolClient): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const watched = (...given: unknown[]) => {
    const answer = query(...given);
    if (answer instanceof Promise) {
      void answer.catch((error: unknown) => (errorMessage(error) === READ_TIMEOUT ? client.end() : undefined));
    }
    return answer;
  };
  Object.assign(client, { query: watched });
}

/** How long a connection keeps plans, and of how many statements. */
const PLANS_S = 600;
const MAX_PLANS = 300;
const MAX_ASKED = 1_000;
/** A statement is worth a plan that is kept once a connection was asked it so often. */
const OFTEN = 3;

/** Names the statements with parameters that a connection is asked often, so that the server parses and plans them once. */
function keepPlans(client: PoolClient): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const asked = new Map<string, number>();
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    const times = (asked.get(text) ?? 0) + 1;
    if (known !== undefined || names.size >= MAX_PLANS) {
      return known;
    }
    if (times < OFTEN) {
      // What is asked once a while is forgotten before it is often.
      if (asked.size >= MAX_ASKED) {
        asked.clear();
      }
      asked.set(text, times);
      return undefined;
    }
    asked.delete(text);
    names.set(text, `plan_${names.size}`);
    return names.get(text);
  };
  const named = (text: unknown, values: unknown, ...others: unknown[]) => {
    const name = typeof text === "string" && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    return name === undefined ? query(text, values, ...others) : query({ name, text, values });
  };
  Object.assign(client, { query: named });
}

type WaitOptions = {
  readonly url: string;
  readonly log: Logger;
  /** The variable that holds the address, for the message. */
  readonly variable: string;
  readonly giveUpAfterMs?: number;
};

const GIVE_UP_MS = 30_000;

/**
 * Waits until the database answers, with growing pauses.
 *
 * @throws {Error} after 30 s, naming host, database and variable but never the password.
 */
export async function waitForDatabase({ url, log, variable, giveUpAfterMs = GIVE_UP_MS }: WaitOptions): Promise<void> {
  const deadline = Date.now() + giveUpAfterMs;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 4_000)) {
    try {
      await ping(url);
      return;
    } catch (error) {
      const reason = errorMessage(error);
      if (Date.now() + pauseMs > deadline) {
        throw new Error(
          `PostgreSQL at ${describeAddress(url)} did not answer for ${Math.round(giveUpAfterMs / 1000)} s: ${reason}. Check ${variable}, and that the server runs.`,
          {
            cause: error,
          },
        );
      }
      log.warn({ reason, retryInMs: pauseMs }, `PostgreSQL at ${describeAddress(url)} does not answer, trying again`);
      await delay(pauseMs);
    }
  }
}

async function ping(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** `host:port/database` of a connection string: what may be shown of it. */
export function describeAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}
