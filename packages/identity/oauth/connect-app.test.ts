import { randomUUID } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from "jose";
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
  type Tokens,
} from "#testing/connect-app.ts";
import { accessTokenOf, auditOf, createAccount, createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

const EMAIL = "ada@example.org";

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, EMAIL);
});

afterEach(() => subject.close());

function connections(token: string) {
  return subject.server.inject({ url: "/login/connections", headers: { authorization: `Bearer ${token}` } });
}

describe("an app that a person lets in", () => {
  test("gets a token of an hour for /mcp alone, that says what was allowed", async () => {
    const repositories = [randomUUID()];
    const { tokens } = await connectApp(subject.server, EMAIL, { ...ALL, repositories, traces: true, evaluation: true });

    const user = await subject.database.query.selectFrom("identity.users").selectAll().executeTakeFirstOrThrow();
    const grant = await subject.database.query.selectFrom("identity.oauth_grants").selectAll().executeTakeFirstOrThrow();
    const { iat = 0, ...claims } = claimsOf(tokens.access_token);
    expect(claims).toEqual({
      iss: "http://localhost:3000",
      aud: RESOURCE,
      sub: user.id,
      tid: user.tenant_id,
      sid: grant.id,
      epoch: user.epoch,
      scope: "mcp",
      repositories,
      traces: true,
      evaluation: true,
      client_id: grant.client_id,
      jti: expect.any(String),
      exp: iat + 3600,
    });
    expect(tokens).toMatchObject({ expires_in: 3600, scope: "mcp", token_type: "Bearer" });
    expect(await auditOf(subject)).toContain("oauth_granted");
    const notices = await subject.database.query.selectFrom("identity.notices").select(["kind", "details"]).execute();
    expect(notices).toMatchObject([{ kind: "app_connected", details: { name: "Test assistant", host: "127.0.0.1:41999", days: "1" } }]);
  });

  test("is told the person's no", async () => {
    const app = await registerApp(subject.server);
    const question = questionOf(await askFor(subject.server, app));
    const denied = await consent(subject.server, question, await accessTokenOf(subject.server, EMAIL), { decision: "deny" });
    const callback = await goOn(subject.server, denied, question.cookie);
    expect(callback.searchParams.get("error")).toBe("access_denied");
    expect(callback.searchParams.get("code")).toBeNull();
  });

  test("asks anew each time, whatever the browser has allowed before", async () => {
    const { app } = await connectApp(subject.server, EMAIL);
    const again = await askFor(subject.server, app);
    expect(again.headers.location).toMatch(/^http:\/\/localhost:3000\/api\/identity\/oauth\/interactions\//);
    const silently = await askFor(subject.server, app, { prompt: "none" });
    expect([silently.statusCode, silently.headers.location]).toEqual([400, undefined]);
  });

  test("may come back on any port of its own machine, since programs take a free one", async () => {
    const app = await registerApp(subject.server);
    const callback = "http://127.0.0.1:50123/callback";
    const question = questionOf(await askFor(subject.server, app, { redirect_uri: callback }));
    const consented = await consent(subject.server, question, await accessTokenOf(subject.server, EMAIL));
    const { href, searchParams } = await goOn(subject.server, consented, question.cookie);
    expect(href.startsWith(`${callback}?`)).toBe(true);
    const answer = await exchange(subject.server, app, searchParams.get("code") ?? "", { redirect_uri: callback });
    expect(answer.statusCode).toBe(200);
  });

  test("may open an address of its own scheme, as it registered it, and the person is shown which", async () => {
    const callback = "cursor://anysphere.cursor-mcp/oauth/callback";
    const app = await registerApp(subject.server, { redirect_uris: [callback] });
    const token = await accessTokenOf(subject.server, EMAIL);
    for (const other of [`${callback}/`, `${callback}?x=1`, "cursor://anysphere.cursor-mcp", "cursor://evil/oauth/callback"]) {
      expect((await askFor(subject.server, app, { redirect_uri: other })).statusCode).toBe(400);
    }

    const question = questionOf(await askFor(subject.server, app, { redirect_uri: callback }));
    const headers = { authorization: `Bearer ${token}`, cookie: question.cookie };
    const asked = await subject.server.inject({ url: `/oauth/interactions/${question.uid}/consent`, headers });
    expect(asked.json()).toMatchObject({ app: { redirect_host: "cursor://anysphere.cursor-mcp" } });
    const { href, searchParams } = await goOn(subject.server, await consent(subject.server, question, token), question.cookie);
    expect(href.startsWith(`${callback}?code=`)).toBe(true);

    const code = searchParams.get("code") ?? "";
    const unproved = await exchange(subject.server, app, code, { redirect_uri: callback, code_verifier: "x".repeat(43) });
    expect(unproved.json()).toMatchObject({ error: "invalid_grant" });
    const answer = await exchange(subject.server, app, code, { redirect_uri: callback });
    expect(answer.json()).toMatchObject({ scope: "mcp" });
  });

  test("of a scheme of its own has no pages: a sandboxed one, whose origin is null too, reads no token", async () => {
    const app = await registerApp(subject.server, { redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"] });
    const payload = new URLSearchParams({ client_id: app.clientId, grant_type: "refresh_token", refresh_token: "x" }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "null" };
    const answer = await subject.server.inject({ method: "POST", url: "/oauth/token", headers, payload });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("goes on through another replica at every step", async () => {
    const other = (await subject.replica()).server;
    const app = await registerApp(subject.server);
    const question = questionOf(await askFor(other, app));
    const consented = await consent(subject.server, question, await accessTokenOf(other, EMAIL));
    const { searchParams } = await goOn(other, consented, question.cookie);
    const tokens = (await exchange(subject.server, app, searchParams.get("code") ?? "")).json<Tokens>();
    expect((await refreshTokens(other, app, tokens.refresh_token)).statusCode).toBe(200);
  });

  test("gets tokens by the key that signs now, though another one signed before", async () => {
    const before = (await connectApp(subject.server, EMAIL)).tokens;
    const { kid } = await subject.identity.keys.rotateSigningKey();
    subject.clock.forward(16 * 60);
    const after = (await connectApp(subject.server, EMAIL)).tokens;
    expect(decodeProtectedHeader(before.access_token).kid).not.toBe(kid);
    expect(decodeProtectedHeader(after.access_token)).toEqual({ alg: "RS256", typ: "at+jwt", kid });
    const jwks = (await subject.server.inject({ url: "/.well-known/jwks.json" })).json<JSONWebKeySet>();
    for (const { access_token: token } of [before, after]) {
      const verified = await jwtVerify(token, createLocalJWKSet(jwks), { issuer: "http://localhost:3000", audience: RESOURCE });
      expect(verified.payload["scope"]).toBe("mcp");
    }
  });

  test("is led by TLS addresses and cookies where the console has them, whatever the proxy in front says", async () => {
    const { server } = await subject.replica({ environment: { PUBLIC_URL: "https://sightline.example.org" } });
    const app = await registerApp(server);
    const answer = await askFor(server, app, {}, "", { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" });
    expect(answer.headers.location).toMatch(/^https:\/\/sightline\.example\.org\/api\/identity\/oauth\/interactions\//);
    expect(answer.cookies).toHaveLength(4);
    expect(
      answer.cookies.filter(
        ({ name, secure, httpOnly, sameSite }) => !name.startsWith("__Secure-") || !secure || !httpOnly || sameSite !== "lax",
      ),
    ).toEqual([]);
    const question = questionOf(answer);
    const consented = await consent(server, question, await accessTokenOf(server, EMAIL));
    const { searchParams } = await goOn(server, consented, question.cookie);
    expect(searchParams.get("iss")).toBe("https://sightline.example.org");
    expect((await exchange(server, app, searchParams.get("code") ?? "")).statusCode).toBe(200);
  });

  test("is listed to the person who let it in, and to nobody else", async () => {
    await createAccount(subject.identity, "grace@example.org");
    const { app, tokens } = await connectApp(subject.server, EMAIL, { ...ALL, days: 30 });
    const [mine, theirs] = [await accessTokenOf(subject.server, EMAIL), await accessTokenOf(subject.server, "grace@example.org")];
    const now = subject.clock.now().getTime();
    expect((await connections(mine)).json()).toEqual({
      connections: [
        {
          id: claimsOf(tokens.access_token)["sid"],
          app: { name: "Test assistant", redirect_host: "127.0.0.1:41999" },
          repositories: null,
          traces: false,
          evaluation: false,
          created_at: new Date(now).toISOString(),
          last_used_at: new Date(now).toISOString(),
          expires_at: new Date(now + 30 * 24 * 3600_000).toISOString(),
        },
      ],
    });
    expect((await connections(theirs)).json()).toEqual({ connections: [] });
    const url = `/login/connections/${String(claimsOf(tokens.access_token)["sid"])}`;
    const headers = { authorization: `Bearer ${theirs}` };
    expect((await subject.server.inject({ method: "DELETE", url, headers })).statusCode).toBe(404);
    expect((await refreshTokens(subject.server, app, tokens.refresh_token)).statusCode).toBe(200);
  });
});

describe("a refresh token", () => {
  test("is for one use, and its successor goes on until the grant is over", async () => {
    const { app, tokens } = await connectApp(subject.server, EMAIL);
    const next = (await refreshTokens(subject.server, app, tokens.refresh_token)).json<Tokens>();
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    expect(claimsOf(next.access_token)).toMatchObject({ aud: RESOURCE, sid: claimsOf(tokens.access_token)["sid"] });

    subject.clock.forward(24 * 3600 + 1);
    expect((await refreshTokens(subject.server, app, next.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
  });

  test("that is shown a second time ends the grant, for whoever has the successor too", async () => {
    const { app, tokens } = await connectApp(subject.server, EMAIL);
    const next = (await refreshTokens(subject.server, app, tokens.refresh_token)).json<Tokens>();
    expect((await refreshTokens(subject.server, app, tokens.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
    expect((await refreshTokens(subject.server, app, next.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
    expect((await auditOf(subject)).slice(-2)).toEqual(["oauth_reuse_detected", "oauth_revoked"]);
  });

  test("that is shown by ten at once over two replicas is exchanged by one at the most, who has nothing of it either", async () => {
    const { app, tokens } = await connectApp(subject.server, EMAIL);
    const servers = [subject.server, (await subject.replica()).server];
    const shown = servers.flatMap((server) => Array.from({ length: 5 }, () => refreshTokens(server, app, tokens.refresh_token)));
    const answers = await Promise.all(shown);
    const taken = answers.filter(({ statusCode }) => statusCode === 200).map((answer) => answer.json<Tokens>());
    expect(taken.length).toBeLessThanOrEqual(1);
    for (const { refresh_token: successor } of taken) {
      expect((await refreshTokens(subject.server, app, successor)).json()).toMatchObject({ error: "invalid_grant" });
    }
    expect((await auditOf(subject)).filter((event) => event === "oauth_revoked")).toHaveLength(1);
  });

  test("of another app is none", async () => {
    const { tokens } = await connectApp(subject.server, EMAIL);
    const other = await registerApp(subject.server);
    expect((await refreshTokens(subject.server, other, tokens.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
  });
});

describe("a code", () => {
  test.for<readonly [string, Readonly<Record<string, string>>, string]>([
    ["another verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:41999/other" }, "invalid_grant"],
    ["another port", { redirect_uri: "http://127.0.0.1:50123/callback" }, "invalid_grant"],
    ["another resource", { resource: "http://localhost:8000/mcp" }, "invalid_target"],
  ])("with %s is refused", async ([, parameters, error]) => {
    const app = await registerApp(subject.server);
    const answer = await exchange(subject.server, app, await codeFor(subject.server, app, EMAIL), parameters);
    expect(answer.json()).toMatchObject({ error });
    expect(answer.statusCode).toBe(400);
  });

  test("that is shown twice ends what the first time gave", async () => {
    const app = await registerApp(subject.server);
    const code = await codeFor(subject.server, app, EMAIL);
    const first = (await exchange(subject.server, app, code)).json<Tokens>();
    expect((await exchange(subject.server, app, code)).json()).toMatchObject({ error: "invalid_grant" });
    expect((await refreshTokens(subject.server, app, first.refresh_token)).json()).toMatchObject({ error: "invalid_grant" });
    expect(await auditOf(subject)).toContain("oauth_reuse_detected");
  });

  test("that is shown by 20 at once is exchanged by one at the most, and its grant is ended", async () => {
    const app = await registerApp(subject.server);
    const code = await codeFor(subject.server, app, EMAIL);
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(subject.server, app, code)));
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(19);
    const events = await auditOf(subject);
    expect(events.filter((event) => event === "oauth_reuse_detected")).toHaveLength(1);
  });

  test("is over after a minute", async () => {
    const app = await registerApp(subject.server);
    const code = await codeFor(subject.server, app, EMAIL);
    subject.clock.forward(61);
    expect((await exchange(subject.server, app, code)).json()).toMatchObject({ error: "invalid_grant" });
  });
});

test("a browser is sent nowhere but to an address that the app has registered", async () => {
  const app = await registerApp(subject.server);
  for (const redirect of ["https://evil.example/callback", "http://127.0.0.1:41999/other", `${CALLBACK}?more=1`]) {
    const answer = await askFor(subject.server, app, { redirect_uri: redirect });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers.location).toBeUndefined();
  }
});
