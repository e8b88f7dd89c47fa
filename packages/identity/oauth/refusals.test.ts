import { nameInFeed } from "@sightline/foundation/http/credential-epochs";
import { decodeJwt } from "jose";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ALL,
  askFor,
  CALLBACK,
  claimsOf,
  codeFor,
  connectApp,
  consent,
  exchange,
  goOn,
  questionOf,
  refreshTokens,
  registerApp,
  RESOURCE,
  type App,
  type Tokens,
} from "#testing/connect-app.ts";
import { createHousekeeping } from "#housekeeping.ts";
import { createSealer } from "#keys/sealed-values.ts";
import {
  accessTokenOf,
  auditOf,
  createAccount,
  createIdentityFixture,
  PASSWORD,
  SECRETS,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";

const EMAIL = "ada@example.org";

let subject: IdentityFixture;
let app: App;

beforeEach(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, EMAIL);
  app = await registerApp(subject.server);
});

afterEach(() => subject.close());

describe("a request of an app", () => {
  test.for<readonly [string, Readonly<Record<string, string | undefined>>, string]>([
    ["for another resource", { resource: "http://localhost:8000/mcp" }, "invalid_target"],
    ["for no address as a resource", { resource: "mcp" }, "invalid_target"],
    ["without a challenge", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["with a challenge that hides nothing", { code_challenge_method: "plain" }, "invalid_request"],
    ["for a token in the address", { response_type: "token" }, "unsupported_response_type"],
    ["for nobody to be asked", { prompt: "none" }, "consent_required"],
    ["for nobody to be asked, by a form that sends itself", { prompt: "none", response_mode: "form_post" }, "consent_required"],
    ["for nobody to be asked, in the fragment", { prompt: "none", response_mode: "fragment" }, "consent_required"],
    [
      "for another resource, by a form that sends itself",
      { response_mode: "form_post", resource: "http://localhost:8000/mcp" },
      "invalid_target",
    ],
  ])("%s is refused on a page: the browser goes nowhere", async ([, parameters, error]) => {
    const site = await registerApp(subject.server, { redirect_uris: ["https://assistant.example/callback"] });
    const of = (asking: App, more: object = {}) => askFor(subject.server, asking, { ...parameters, ...more }, "", { accept: "text/html" });
    for (const answer of [await of(app), await of(site, { redirect_uri: "https://assistant.example/callback" })]) {
      expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
      expect(answer.body).toContain(error);
      expect(answer.body).not.toMatch(/<form|<script|assistant\.example/);
    }
  });

  test.for<readonly [string, boolean]>([
    [CALLBACK, true],
    ["https://assistant.example/callback", false],
    ["com.example.assistant:/callback", false],
  ])("that a person refuses is told to a program on their own machine alone: %s", async ([redirect, isTold]) => {
    const asking = await registerApp(subject.server, { redirect_uris: [redirect] });
    const question = questionOf(await askFor(subject.server, asking, { redirect_uri: redirect }));
    const denied = await consent(subject.server, question, await accessTokenOf(subject.server, EMAIL), { decision: "deny" });
    const { continue_to: next } = denied.json<{ continue_to: string }>();
    const headers = { cookie: question.cookie, accept: "text/html" };
    const answer = await subject.server.inject({ url: new URL(next).pathname.replace("/api/identity", ""), headers });
    expect(String(answer.headers.location).startsWith(`${redirect}?error=access_denied`)).toBe(isTold);
    expect(answer.body.includes("The app was not let in")).toBe(!isTold);
  });

  test("of an unknown app is a page that says so and runs nothing", async () => {
    const answer = await askFor(subject.server, { ...app, clientId: "<script>alert(1)</script>" });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.body).not.toContain("<script");
    const page = await subject.server.inject({ url: "/oauth/authorize?client_id=x", headers: { accept: "text/html" } });
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.body).toContain("connect from the app once more");
  });

  test.for(["a\u0000b", "\uD800", "a".repeat(8_000)])("of a client that cannot be is refused as of an unknown one", async (clientId) => {
    const odd = { ...app, clientId };
    expect((await askFor(subject.server, odd)).statusCode).toBe(400);
    expect((await exchange(subject.server, odd, "code")).json()).toMatchObject({ error: "invalid_client" });
    expect((await refreshTokens(subject.server, odd, "token")).json()).toMatchObject({ error: "invalid_client" });
  });

  test("for no resource is for the one there is", async () => {
    const question = questionOf(await askFor(subject.server, app, { resource: undefined }));
    const consented = await consent(subject.server, question, await accessTokenOf(subject.server, EMAIL));
    const { searchParams } = await goOn(subject.server, consented, question.cookie);
    const answer = await exchange(subject.server, app, searchParams.get("code") ?? "");
    expect(claimsOf(answer.json<Tokens>().access_token).aud).toBe(RESOURCE);
  });

  test("is refused from a place that asks without end", async () => {
    for (let count = 0; count < 100; count += 1) {
      await askFor(subject.server, app);
    }
    expect((await askFor(subject.server, app)).json()).toMatchObject({ error: "too_many_tries" });
  });
});

describe("a consent", () => {
  test("is not given from another browser than the app has opened, nor for another question", async () => {
    const token = await accessTokenOf(subject.server, EMAIL);
    const [mine, theirs] = [questionOf(await askFor(subject.server, app)), questionOf(await askFor(subject.server, app))];
    expect((await consent(subject.server, { ...theirs, cookie: "" }, token)).json()).toMatchObject({ error: "connection_request_over" });
    const crossed = await consent(subject.server, { uid: theirs.uid, cookie: mine.cookie }, token);
    expect(crossed.json()).toMatchObject({ error: "connection_request_over" });
    const forged = await consent(subject.server, { ...mine, cookie: mine.cookie.replace(/\.sig=.{4}/, ".sig=AAAA") }, token);
    expect(forged.json()).toMatchObject({ error: "connection_request_over" });
    expect(await subject.database.query.selectFrom("identity.oauth_grants").selectAll().execute()).toEqual([]);
  });

  test("asks for a session: the cookies alone, which another site can make a browser send, do nothing", async () => {
    const question = questionOf(await askFor(subject.server, app));
    expect((await consent(subject.server, question, "")).statusCode).toBe(401);
    const way = { url: `/oauth/authorize/${question.uid}`, headers: { cookie: question.cookie } };
    expect((await subject.server.inject(way)).headers.location).toMatch(/\/oauth\/interactions\//);
  });

  test("asks again who is there when the login is older than ten minutes; a no does not", async () => {
    const token = await accessTokenOf(subject.server, EMAIL);
    subject.clock.forward(601);
    const question = questionOf(await askFor(subject.server, app));
    expect((await consent(subject.server, question, token)).json()).toMatchObject({ error: "step_up_required" });
    expect(await subject.database.query.selectFrom("identity.oauth_grants").selectAll().execute()).toEqual([]);
    const denied = questionOf(await askFor(subject.server, app));
    expect((await consent(subject.server, denied, token, { decision: "deny" })).statusCode).toBe(200);

    const headers = { authorization: `Bearer ${token}` };
    await subject.server.inject({ method: "POST", url: "/step-up", headers, payload: { password: PASSWORD } });
    expect((await consent(subject.server, question, token)).statusCode).toBe(200);
  });

  test("is given once, whoever asks at the same moment", async () => {
    const token = await accessTokenOf(subject.server, EMAIL);
    const question = questionOf(await askFor(subject.server, app));
    const answers = await Promise.all(Array.from({ length: 5 }, () => consent(subject.server, question, token)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect((await consent(subject.server, question, token)).statusCode).toBe(409);
    expect(await subject.database.query.selectFrom("identity.oauth_grants").selectAll().execute()).toHaveLength(1);
  });

  test.for<readonly [string, Readonly<Record<string, unknown>>]>([
    ["for longer than 90 days", { ...ALL, days: 365 }],
    ["to no repository", { ...ALL, repositories: [] }],
    ["to what is no repository", { ...ALL, repositories: ["acme/shop"] }],
    ["without a word on traces", { decision: "allow", repositories: null, days: 1 }],
    ["for evaluation without traces", { decision: "allow", repositories: null, traces: false, evaluation: true, days: 1 }],
  ])("%s is none", async ([, answer]) => {
    const question = questionOf(await askFor(subject.server, app));
    expect((await consent(subject.server, question, await accessTokenOf(subject.server, EMAIL), answer)).statusCode).toBe(400);
  });
});

describe("what was granted ends", () => {
  async function expectOver(tokens: Tokens, connected: App): Promise<void> {
    expect((await refreshTokens(subject.server, connected, tokens.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
  }

  async function ended(): Promise<readonly string[]> {
    const feed = await subject.server.inject({ url: "/.well-known/credential-epochs" });
    return decodeJwt<{ sessions: string[] }>(feed.body).sessions;
  }

  test("when the person ends it, which the feed tells the other parts", async () => {
    const { app: connected, tokens } = await connectApp(subject.server, EMAIL);
    const sid = String(claimsOf(tokens.access_token)["sid"]);
    const headers = { authorization: `Bearer ${await accessTokenOf(subject.server, EMAIL)}` };
    const url = `/login/connections/${sid}`;
    expect((await subject.server.inject({ method: "DELETE", url, headers })).statusCode).toBe(204);
    expect((await subject.server.inject({ method: "DELETE", url, headers })).statusCode).toBe(404);
    await expectOver(tokens, connected);
    expect(await ended()).toEqual([nameInFeed(sid)]);
    expect((await auditOf(subject)).at(-1)).toBe("oauth_revoked");
  });

  test("when the app itself ends it, and no other app can", async () => {
    const { app: connected, tokens } = await connectApp(subject.server, EMAIL);
    const revoke = (clientId: string) => {
      const payload = new URLSearchParams({ client_id: clientId, token: tokens.refresh_token }).toString();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return subject.server.inject({ method: "POST", url: "/oauth/revoke", headers, payload });
    };
    await revoke(app.clientId);
    expect(await ended()).toEqual([]);
    subject.clock.forward(6);
    expect((await revoke(connected.clientId)).statusCode).toBe(200);
    await expectOver(tokens, connected);
    expect(await ended()).toEqual([nameInFeed(String(claimsOf(tokens.access_token)["sid"]))]);
  });

  test("when the account changes in a way that ends sessions", async () => {
    const { app: connected, tokens } = await connectApp(subject.server, EMAIL);
    await subject.database.query.updateTable("identity.users").set({ epoch: 2 }).execute();
    await expectOver(tokens, connected);
    const headers = { authorization: `Bearer ${await accessTokenOf(subject.server, EMAIL)}` };
    expect((await subject.server.inject({ url: "/login/connections", headers })).json()).toEqual({ connections: [] });
  });

  test("while its owner has to set up a second factor first, from the day that the policy names", async () => {
    const { app: connected, tokens } = await connectApp(subject.server, EMAIL);
    const { tenant_id: tenantId } = await subject.database.query.selectFrom("identity.users").select("tenant_id").executeTakeFirstOrThrow();
    const from = new Date(subject.clock.now().getTime() + 3600_000);
    const policy = { tenant_id: tenantId, admins_need_second_factor_from: from, resets_need_two: false };
    await subject.database.query.insertInto("identity.policies").values(policy).execute();
    const next = (await refreshTokens(subject.server, connected, tokens.refresh_token)).json<Tokens>();
    subject.clock.forward(3600);
    await expectOver(next, connected);
  });

  test("when the account is disabled, before the code was exchanged too", async () => {
    const code = await codeFor(subject.server, app, EMAIL);
    await subject.database.query.updateTable("identity.users").set({ disabled_at: subject.clock.now() }).execute();
    expect((await exchange(subject.server, app, code)).json()).toMatchObject({ error: "invalid_grant" });
  });
});

test("an app's token opens nothing of identity", async () => {
  const { tokens } = await connectApp(subject.server, EMAIL);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  for (const url of ["/login/me", "/login/sessions", "/login/connections", "/admin/users", "/admin/audit", "/admin/2fa"]) {
    expect((await subject.server.inject({ url, headers })).statusCode, url).toBe(401);
  }
});

test("what is over leaves the tables", async () => {
  await connectApp(subject.server, EMAIL);
  const count = async () => {
    const tables = ["identity.oauth_clients", "identity.oauth_grants", "identity.oauth_states"] as const;
    const rows = await Promise.all(tables.map((table) => subject.database.query.selectFrom(table).select("id").execute()));
    return rows.map(({ length }) => length);
  };
  const sealer = createSealer([{ id: "k1", secret: SECRETS.ENCRYPTION_KEYS.replace("k1:", "") }]);
  const sweep = () => createHousekeeping({ queries: subject.database.query, sealer, log: silentLog, clock: subject.clock }).run();
  expect(await count()).toEqual([2, 1, 2]);
  subject.clock.forward(2 * 24 * 3600);
  await sweep();
  expect(await count()).toEqual([1, 0, 0]);
  subject.clock.forward(40 * 24 * 3600);
  await sweep();
  expect(await count()).toEqual([0, 0, 0]);
});
