import { codeIndexMigrations, createCodeIndexApi, ensureCodeIndexTenant } from "@sightline/code-index";
import { createAccessTokenVerifier, type StartedVerifier } from "@sightline/foundation/http/access-token";
import { systemClock } from "@sightline/foundation/clock";
import { readConfig } from "@sightline/foundation/config";
import { createHttpServer, type Authenticator, type HttpServer, type Routes } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createIdentity, identityMigrations, type IdentitySchema } from "@sightline/identity";
import { identityVariables } from "@sightline/identity/settings";
import { createObservabilityApi, observabilityMigrations, type ObservabilitySchema } from "@sightline/observability";
import { z } from "zod";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { startIdentityProvider, type IdentityProvider } from "#testing/identity-provider.ts";
import type { DatabaseOf } from "#compose/wiring/database.ts";

const PASSWORD = "seven green lanterns";
const ISSUER = "http://localhost:3000";
const POLL_MS = 20;

type CodeIndexSchema = DatabaseOf<typeof createCodeIndexApi>;

/** Identity's clock, which is moved over the seconds that its feed is kept in memory. */
let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead) };

let identityDatabase: TestDatabase<IdentitySchema>;
let codeIndexDatabase: TestDatabase<CodeIndexSchema>;
let observabilityDatabase: TestDatabase<ObservabilitySchema>;
const stops: (() => unknown)[] = [];
let identityUrl: string;
let codeIndexUrl: string;
let observabilityUrl: string;
let createAccount: (address: string) => Promise<void>;
let email: string;
let count = 0;

beforeAll(async () => {
  identityDatabase = await createTestDatabase<IdentitySchema>(identityMigrations);
  codeIndexDatabase = await createTestDatabase<CodeIndexSchema>(codeIndexMigrations);
  observabilityDatabase = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  const identity = createIdentity({
    config: readConfig(identityVariables, {
      DATABASE_URL: identityDatabase.url,
      SECRET_KEY: "s".repeat(43),
      ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
    }),
    database: identityDatabase,
    log: silentLog,
    clock,
  });
  identityUrl = await listen(identity.authenticators, [identity.routes]);
  createAccount = async (address) => {
    await identity.createAdmin({ email: address, name: "Ada", password: PASSWORD, tenantName: "default" });
  };
  const tenant = await identity.ensureTenant("default");
  await ensureCodeIndexTenant(codeIndexDatabase, { tenantId: tenant.id, name: tenant.name });
  codeIndexUrl = await startCodeIndex(await ownVerifier());
  observabilityUrl = await startObservability(await ownVerifier());
});

beforeEach(async () => {
  count += 1;
  email = `user-${count}@example.org`;
  await createAccount(email);
});

afterAll(async () => {
  for (const stop of stops.toReversed()) {
    await stop();
  }
  await Promise.all([identityDatabase.drop(), codeIndexDatabase.drop(), observabilityDatabase.drop()]);
});

async function listen(authenticators: Readonly<Record<string, Authenticator>>, routes: readonly Routes[]): Promise<string> {
  const metrics = createMetrics("test");
  const options = { name: "test", title: "Test", version: "0.0.0", log: silentLog };
  const server: HttpServer = await createHttpServer({ ...options, metrics, authenticators, routes });
  stops.push(() => server.close());
  return server.listen({ host: "127.0.0.1", port: 0 });
}

async function ownVerifier(): Promise<StartedVerifier> {
  const verifier = createAccessTokenVerifier({
    log: silentLog,
    jwksUrl: `${identityUrl}/.well-known/jwks.json`,
    audience: "sightline",
    issuer: ISSUER,
    type: "at+jwt",
    epochs: { url: `${identityUrl}/.well-known/credential-epochs`, intervalMs: POLL_MS },
  });
  await verifier.start();
  stops.push(verifier.stop);
  return verifier;
}

async function startCodeIndex(accessTokens: StartedVerifier): Promise<string> {
  const config = {
    CODEINDEX_ALLOW_FILE_URLS: false,
    CODEINDEX_ALLOW_PRIVATE_HOSTS: [],
    CODEINDEX_ENCRYPTION_KEYS: undefined,
    CODEINDEX_EMBEDDER: "hash",
    CODEINDEX_TENANT_AUTO_PROVISION: false,
    CODEINDEX_MCP_CALLS_PER_MINUTE: 0,
    CODEINDEX_PUBLIC_URL: "http://localhost:8080",
    CODEINDEX_WEBHOOK_SECRET: undefined,
  } as const;
  const parts = {
    config,
    database: codeIndexDatabase,
    log: silentLog,
    clock: systemClock,
    metrics: createMetrics("test"),
    accessTokens,
    version: "0.0.0",
  };
  const api = createCodeIndexApi(parts);
  await api.start();
  stops.push(api.stop);
  return listen(api.authenticators, api.routes);
}

async function startObservability(accessTokens: StartedVerifier): Promise<string> {
  const api = createObservabilityApi({
    config: {
      API_KEY: `studio_${"0".repeat(64)}`,
      OBSERVABILITY_REDIS_URL: inject("redisUrl"),
      OBSERVABILITY_STREAM_NAME: "ended-credentials",
      OBSERVABILITY_STREAMS: 1,
      ENCRYPTION_KEYS: [{ id: "k1", secret: "x".repeat(43) }],
      PUBLIC_URL: "http://localhost:3000",
      OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS: false,
      OBSERVABILITY_ALLOW_MODEL_HOSTS: [],
      OBSERVABILITY_PUBLIC_URL: "http://localhost:8000",
      OBSERVABILITY_PUBLIC_REDIS_URL: undefined,
    },
    database: observabilityDatabase,
    log: silentLog,
    clock: systemClock,
    accessTokens,
    version: "0.0.0",
    metrics: createMetrics("test"),
  });
  await api.start();
  stops.push(api.stop);
  return listen(api.authenticators, [api.routes]);
}

async function logIn(): Promise<string> {
  const answer = await fetch(`${identityUrl}/login/access-token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}

function claimsOf(token: string): { readonly sub: string; readonly sid: string } {
  const [, payload = ""] = token.split(".");
  return z.object({ sub: z.string(), sid: z.string() }).parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** What both APIs answer to the token. */
async function statuses(token: string): Promise<readonly number[]> {
  const answers = await Promise.all([
    fetch(`${codeIndexUrl}/api/v1/repos`, { headers: bearer(token) }),
    fetch(`${observabilityUrl}/api/v1/projects`, { headers: bearer(token) }),
  ]);
  return answers.map(({ status }) => status);
}

/** Over the time that identity answers from memory. */
async function expectRefusedAfterNextPoll(token: string): Promise<void> {
  ahead += 6_000;
  await vi.waitFor(async () => expect(await statuses(token)).toEqual([401, 401]), { interval: POLL_MS, timeout: 10_000 });
}

describe("an access token opens code index and observability no more once their next reading of the feed is done", () => {
  test("when its session was revoked, while the user's other sessions go on", async () => {
    const [stolen, mine] = [await logIn(), await logIn()];
    expect(await statuses(stolen)).toEqual([200, 200]);

    const ending = await fetch(`${identityUrl}/login/sessions/${claimsOf(stolen).sid}`, { method: "DELETE", headers: bearer(mine) });
    expect(ending.status).toBe(204);

    await expectRefusedAfterNextPoll(stolen);
    expect(await statuses(mine)).toEqual([200, 200]);
    const told = await fetch(`${codeIndexUrl}/api/v1/repos`, { headers: bearer(stolen) });
    expect(await told.json()).toEqual({
      error: "auth_failed",
      message: "The token was refused: the session of the access token has ended; log in again.",
    });
  });

  test("when the password was changed, and the session opened in its place works", async () => {
    const before = await logIn();
    const change = await fetch(`${identityUrl}/login/password`, {
      method: "POST",
      headers: { ...bearer(before), "content-type": "application/json" },
      body: JSON.stringify({ current_password: PASSWORD, new_password: "nine violet umbrellas" }),
    });
    const { access_token: after } = z.object({ access_token: z.string() }).parse(await change.json());

    await expectRefusedAfterNextPoll(before);
    expect(await statuses(after)).toEqual([200, 200]);
  });

  test.each([
    ["disabled", "PATCH", { disabled: true }],
    ["made a member", "PATCH", { role: "member" }],
    ["told to change its password", "PATCH", { must_change_password: true }],
    ["deleted", "DELETE", undefined],
  ])("when the account was %s, while the admin who did it goes on", async (_what, method, body) => {
    const token = await logIn();
    await createAccount((email = `admin-${count}@example.org`));
    const admin = await logIn();
    const headers = { ...bearer(admin), "content-type": "application/json" };
    await fetch(`${identityUrl}/step-up`, { method: "POST", headers, body: JSON.stringify({ password: PASSWORD }) });
    const change = await fetch(`${identityUrl}/admin/users/${claimsOf(token).sub}`, {
      method,
      ...(body === undefined ? { headers: bearer(admin) } : { headers, body: JSON.stringify(body) }),
    });
    expect(change.ok).toBe(true);

    await expectRefusedAfterNextPoll(token);
    expect(await statuses(admin)).toEqual([200, 200]);
  });
});

describe("a code index of an external identity provider", () => {
  let provider: IdentityProvider;
  let tid: string;
  let url: string;

  beforeAll(async () => {
    provider = await startIdentityProvider();
    stops.push(provider.close);
    const row = await identityDatabase.query.selectFrom("identity.tenants").select("id").executeTakeFirstOrThrow();
    tid = row.id;
    url = await startCodeIndex(createAccessTokenVerifier({ log: silentLog, jwksUrl: provider.jwksUrl, audience: "sightline" }));
  });

  async function statusOf(token: string): Promise<number> {
    return (await fetch(`${url}/api/v1/repos`, { headers: bearer(token) })).status;
  }

  test("needs to be told its keys and the audience alone: whatever the issuer, the header's type, and no epoch", async () => {
    expect(await statusOf(provider.issue({ tid }))).toBe(200);
    expect(await statusOf(provider.issue({ tid, iss: "https://elsewhere.example" }))).toBe(200);
  });

  test("refuses what is not for it, has no tenant, is over, or is signed by our own identity", async () => {
    expect(await statusOf(provider.issue({ tid, aud: "another" }))).toBe(401);
    expect(await statusOf(provider.issue({}))).toBe(401);
    expect(await statusOf(provider.issue({ tid, exp: Math.floor(Date.now() / 1000) - 60 }))).toBe(401);
    expect(await statusOf(await logIn())).toBe(401);
  });

  test("accepts RS256 and nothing else: no other key that is published, no HMAC with a public key, and nothing unsigned", async () => {
    for (const algorithm of ["ES256", "HS256", "none"] as const) {
      expect(await statusOf(provider.issue({ tid }, algorithm))).toBe(401);
    }
  });

  test("does not make its tokens good for the parts that trust our own identity", async () => {
    expect(await statuses(provider.issue({ tid }))).toEqual([401, 401]);
  });
});
