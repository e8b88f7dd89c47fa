import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessTokenOf, createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, "ada@example.org");
});

afterAll(() => subject.close());

describe("POST /login/access-token", () => {
  test("e-mail address and password give a full session", async () => {
    const answer = await logIn(subject.server, "ada@example.org");

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ token_type: "bearer", access_token: expect.any(String), expires_in: 3600 });
    expect(answer.headers["cache-control"]).toBe("no-store");
    const [cookie] = answer.cookies;
    expect(cookie).toMatchObject({
      name: "__Host-sightline_refresh",
      path: "/",
      httpOnly: true,
      secure: true,
      sameSite: "Lax",
      maxAge: 43_200,
    });
    expect(cookie).not.toHaveProperty("domain");
  });

  test("the OAuth2 form with username and password does the same", async () => {
    const answer = await subject.server.inject({
      method: "POST",
      url: "/login/access-token",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams({ grant_type: "password", username: "ada@example.org", password: PASSWORD }).toString(),
    });

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ token_type: "bearer", expires_in: 3600 });
  });

  test("a form is read by no other route", async () => {
    const answer = await subject.server.inject({
      method: "POST",
      url: "/api/v1/auth/register",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: "email=eve%40example.org&password=seven+green+lanterns&name=Eve",
    });

    expect(answer.statusCode).toBe(415);
  });

  test("the case of the e-mail address and spaces around it do not matter", async () => {
    expect((await logIn(subject.server, " Ada@Example.ORG ")).statusCode).toBe(200);
  });

  test("the access token carries the claims that the other parts ask for", async () => {
    const token = await accessTokenOf(subject.server, "ada@example.org");

    const now = subject.clock.now().getTime() / 1000;
    const user = await subject.database.query.selectFrom("identity.users").selectAll().executeTakeFirstOrThrow();
    const session = await subject.database.query
      .selectFrom("identity.sessions")
      .select("id")
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    expect(decodeProtectedHeader(token)).toEqual({ alg: "RS256", typ: "at+jwt", kid: expect.any(String) });
    expect(decodeJwt(token)).toEqual({
      iss: "http://localhost:3000",
      sub: user.id,
      tid: user.tenant_id,
      aud: "sightline",
      iat: now,
      exp: now + 3600,
      jti: expect.any(String),
      auth_time: now,
      amr: ["pwd"],
      role: "admin",
      epoch: 1,
      sid: session.id,
    });
  });

  test("an unknown address, a wrong password and a disabled account get the same answer after the same work", async () => {
    await createAccount(subject.identity, "gone@example.org");
    await subject.database.query
      .updateTable("identity.users")
      .set({ disabled_at: subject.clock.now() })
      .where("email", "=", "gone@example.org")
      .execute();

    const answers = [
      await logIn(subject.server, "nobody@example.org"),
      await logIn(subject.server, "ada@example.org", "not the password"),
      await logIn(subject.server, "gone@example.org"),
    ];

    for (const answer of answers) {
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toEqual({
        error: "invalid_credentials",
        message: "E-mail address or password is wrong. Check both, then try again.",
      });
      expect(answer.cookies).toEqual([]);
    }
  });

  test.each([
    { wrong: "nothing", payload: {} },
    { wrong: "no password", payload: { email: "ada@example.org" } },
    { wrong: "a list for an address", payload: { email: ["ada@example.org"], password: PASSWORD } },
    { wrong: "a password over the limit", payload: { email: "ada@example.org", password: "x".repeat(1025) } },
    { wrong: "an address over the limit", payload: { email: `${"a".repeat(320)}@example.org`, password: PASSWORD } },
  ])("$wrong is refused as invalid_request", async ({ payload }) => {
    const answer = await subject.server.inject({ method: "POST", url: "/login/access-token", payload });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "invalid_request" });
  });

  test("a body over 16 KiB is refused", async () => {
    const payload = { email: "ada@example.org", password: PASSWORD, more: "x".repeat(17_000) };

    expect((await subject.server.inject({ method: "POST", url: "/login/access-token", payload })).statusCode).toBe(413);
  });

  test("characters that PostgreSQL does not keep are an unknown address, not an error of ours", async () => {
    expect((await logIn(subject.server, "ada@example.org\0", PASSWORD, "203.0.113.99")).statusCode).toBe(401);
  });

  test("another site can not log a browser in", async () => {
    const answer = await subject.server.inject({
      method: "POST",
      url: "/login/access-token",
      headers: { origin: "https://evil.example.com", "sec-fetch-site": "cross-site" },
      payload: { email: "ada@example.org", password: PASSWORD },
    });

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "cross_origin" });
  });
});

describe("GET /login/me", () => {
  test("tells whose session it is", async () => {
    const token = await accessTokenOf(subject.server, "ada@example.org");

    const answer = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } });

    const [tenant] = await subject.identity.listTenants();
    expect(answer.json()).toEqual({
      id: decodeJwt(token).sub,
      email: "ada@example.org",
      name: "Ada",
      role: "admin",
      tenant,
      must_change_password: false,
      totp_enabled: false,
      second_factor_due: null,
      passkeys: 0,
      may_add_passkeys: true,
      step_up_until: null,
    });
  });
});
