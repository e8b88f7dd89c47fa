import type { Logger } from "@sightline/foundation/log";
import { readConfig } from "@sightline/foundation/config";
import { createHttpServer, type HttpServer, type Routes } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { identityVariables, type IdentityConfig } from "#config.ts";
import { createPasswordHasher } from "#accounts/password-hash.ts";
import { createIdentity, identityMigrations, type Identity } from "#index.ts";
import { makeKeyPair } from "#keys/add-signing-key.ts";
import { createSealer } from "#keys/sealed-values.ts";
import { insertSigningKey } from "#keys/signing-keys.store.ts";
import { createRegistration } from "#registration.ts";
import type { IdentitySchema } from "#schema.ts";
import type { FetchDocument } from "#oauth/fetch-document.ts";
import type { Sleep } from "#throttle/waiting-room.ts";
import { startDnsServer, type DnsServer } from "./dns-server.ts";
import { assertNothingLeaked } from "./leak-scan.ts";
import { createRecording } from "./recording.ts";

export const SECRETS = {
  SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
  ENCRYPTION_KEYS: "k1:ring-secret-of-the-tests-0123456789abcdef",
};

export const PASSWORD = "seven green lanterns";

/** A clock that stands still, at the whole second of its making, until it is moved. */
class TestClock {
  #now = new Date(Math.floor(Date.now() / 1000) * 1000);
  readonly now = (): Date => this.#now;
  forward(seconds: number): void {
    this.#now = new Date(this.#now.getTime() + seconds * 1000);
  }
}

export type IdentityFixture = {
  readonly database: TestDatabase<IdentitySchema>;
  readonly identity: Identity;
  readonly server: HttpServer;
  readonly clock: TestClock;
  /** Method and address of every route. */
  readonly routes: ReadonlySet<string>;
  /** Where the records of e-mail domains are looked up. */
  readonly dns: DnsServer;
  /** Another process over the same database. */
  readonly replica: (options?: Options) => Promise<Replica>;
  /** @throws {Error} when a secret stands where none may: in a log line, an answer or a row. */
  readonly close: () => Promise<void>;
};

type Replica = { readonly identity: Identity; readonly server: HttpServer };

type Options = {
  /** Instead of an ordinary one. */
  readonly database?: TestDatabase<IdentitySchema>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly log?: Logger;
  readonly routes?: readonly Routes[];
  readonly sleep?: Sleep;
  readonly fetchDocument?: FetchDocument;
  /** Leaves it to identity to make its first signing key, which takes half a second. */
  readonly withoutSigningKey?: boolean;
};

/** Real argon2id hashes that take a twentieth of the time: hundreds of tests hash what they log in with. */
const hasher = createPasswordHasher({ memoryCost: 1_024, timeCost: 1 });

/** The signing key of every identity in a test file. */
let signingKey: ReturnType<typeof makeKeyPair> | undefined;

async function giveSigningKey({ query }: TestDatabase<IdentitySchema>, now: Date): Promise<void> {
  signingKey ??= makeKeyPair(
    createSealer(readConfig(identityVariables, { DATABASE_URL: "postgres://unused", ...SECRETS }).ENCRYPTION_KEYS),
  );
  const key = await signingKey;
  await query.transaction().execute((transaction) => insertSigningKey(transaction, { ...key, active_from: now }, now));
}

export async function createIdentityFixture(options: Options = {}): Promise<IdentityFixture> {
  const database = options.database ?? (await createTestDatabase<IdentitySchema>(identityMigrations));
  const clock = new TestClock();
  const dns = await startDnsServer();
  const replicas: Replica[] = [];
  const configs: IdentityConfig[] = [];
  const recording = createRecording();

  async function replica(own: Options = {}): Promise<Replica> {
    const { environment, log = recording.log, routes = [], sleep, fetchDocument } = { ...options, ...own };
    const config = readConfig(identityVariables, {
      DATABASE_URL: database.url,
      IDENTITY_DNS_SERVERS: dns.address,
      ...SECRETS,
      ...environment,
    });
    const identity = createIdentity({
      config,
      database,
      log,
      clock,
      hasher,
      ...(sleep === undefined ? {} : { sleep }),
      ...(fetchDocument === undefined ? {} : { fetchDocument }),
    });
    const server = await recording.of(() =>
      createHttpServer({
        name: "identity",
        title: "Identity",
        version: "0.0.0",
        log,
        metrics: createMetrics("identity"),
        authenticators: identity.authenticators,
        routes: [
          identity.routes,
          createRegistration({ config, database, clock, hasher, ...(sleep === undefined ? {} : { sleep }) }),
          ...routes,
        ],
      }),
    );
    replicas.push({ identity, server });
    configs.push(config);
    return { identity, server };
  }

  if (options.withoutSigningKey !== true) {
    await giveSigningKey(database, clock.now());
  }
  const first = await replica();
  await first.identity.signAudit();
  return {
    ...first,
    database,
    clock,
    routes: recording.routes,
    dns,
    replica,
    close: async () => {
      for (const { server, identity } of replicas) {
        await server.close();
        await identity.stop();
      }
      await dns.stop();
      try {
        await assertNothingLeaked({ recording, pool: database.pool, configs, passwords: [PASSWORD] });
      } finally {
        await database.drop();
      }
    },
  };
}

/** An admin who has set a password of their own. */
export async function createAccount(identity: Identity, email: string, password: string = PASSWORD): Promise<void> {
  await identity.createAdmin({ email, name: "Ada", password, tenantName: "default" });
}

export function logIn(server: HttpServer, email: string, password: string = PASSWORD, ip = "203.0.113.7") {
  return server.inject({ method: "POST", url: "/login/access-token", payload: { email, password }, remoteAddress: ip });
}

export async function accessTokenOf(server: HttpServer, email: string, password: string = PASSWORD): Promise<string> {
  const answer = await logIn(server, email, password);
  return answer.json<{ access_token: string }>().access_token;
}

export function refresh(server: HttpServer, cookie: string) {
  return server.inject({ method: "POST", url: "/login/refresh", headers: { cookie } });
}

/** The refresh cookie that an answer sets, as a browser would send it back. */
export function cookieOf(answer: Awaited<ReturnType<typeof logIn>>): string {
  const cookie = answer.cookies.find(({ name }) => name.endsWith("sightline_refresh"));
  return cookie === undefined ? "" : `${cookie.name}=${cookie.value}`;
}

/** Whether a statement waits for a lock that another transaction holds. */
export async function isSomeoneWaiting({ database }: IdentityFixture): Promise<boolean> {
  const { rows } = await database.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length > 0;
}

/** The events of the audit, oldest first. */
export async function auditOf({ database }: IdentityFixture): Promise<readonly string[]> {
  const rows = await database.query.selectFrom("identity.audit").select("event").orderBy("id").execute();
  return rows.map(({ event }) => event);
}
