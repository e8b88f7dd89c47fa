import { decodeJwt } from "jose";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  auditOf,
  cookieOf,
  createAccount,
  createIdentityFixture,
  logIn,
  refresh,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

let subject: IdentityFixture;
let cookie: string;
let accessToken: string;

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, "ada@example.org");
});

beforeEach(async () => {
  const login = await logIn(subject.server, "ada@example.org");
  cookie = cookieOf(login);
  accessToken = login.json<{ access_token: string }>().access_token;
});

afterAll(() => subject.close());

async function generationOf(token: string): Promise<number> {
  const sid = String(decodeJwt(token)["sid"]);
  const row = await subject.database.query
    .selectFrom("identity.sessions")
    .select("generation")
    .where("id", "=", sid)
    .executeTakeFirstOrThrow();
  return row.generation;
}

describe("POST /login/refresh", () => {
  test("gives a new access token of the same session and the next cookie", async () => {
    const answer = await refresh(subject.server, cookie);

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ token_type: "bearer", access_token: expect.any(String), expires_in: 3600 });
    expect(answer.headers["cache-control"]).toBe("no-store");
    const before = decodeJwt(accessToken);
    const after = decodeJwt(answer.json<{ access_token: string }>().access_token);
    expect(after).toMatchObject({ sid: before["sid"], auth_time: before["auth_time"], sub: before.sub });
    expect(after.jti).not.toBe(before.jti);
    expect(cookieOf(answer)).not.toBe(cookie);
    expect((await refresh(subject.server, cookieOf(answer))).statusCode).toBe(200);
  });

  test("twenty at once with one cookie, over two replicas, rotate once and get one successor", needsRealPostgres, async () => {
    const { server: other } = await subject.replica();

    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => refresh(index % 2 === 0 ? subject.server : other, cookie)));

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(answers.map(cookieOf)).size).toBe(1);
    expect(await generationOf(accessToken)).toBe(1);
  });

  test("the cookie just replaced gets the same successor for ten seconds: two tabs, or an answer lost on the way", async () => {
    const first = await refresh(subject.server, cookie);
    subject.clock.forward(10);

    const second = await refresh(subject.server, cookie);

    expect(second.statusCode).toBe(200);
    expect(cookieOf(second)).toBe(cookieOf(first));
  });

  test("a replaced cookie that comes back later ends the session for everyone who holds it", async () => {
    const next = cookieOf(await refresh(subject.server, cookie));
    subject.clock.forward(11);

    const replayed = await refresh(subject.server, cookie);

    expect(replayed.statusCode).toBe(401);
    expect(replayed.json()).toMatchObject({ error: "session_ended" });
    expect((await refresh(subject.server, next)).statusCode).toBe(401);
    expect((await auditOf(subject)).at(-1)).toBe("session_revoked");
    const me = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${accessToken}` } });
    expect(me.statusCode).toBe(401);
  });

  test("a cookie two rotations old ends the session at once", async () => {
    const second = cookieOf(await refresh(subject.server, cookie));
    const third = cookieOf(await refresh(subject.server, second));

    expect((await refresh(subject.server, cookie)).statusCode).toBe(401);
    expect((await refresh(subject.server, third)).statusCode).toBe(401);
  });

  test("a cookie that we never made ends nothing", async () => {
    const [name, value = ""] = cookie.split("=");
    const changed = `${value.slice(0, 40)}${value.charAt(40) === "A" ? "B" : "A"}${value.slice(41)}`;
    for (const forged of [changed, "", "x", "A".repeat(70), `${value}A`]) {
      const answer = await refresh(subject.server, `${name}=${forged}`);
      expect(answer.statusCode).toBe(401);
      expect(answer.cookies).toMatchObject([{ value: "", maxAge: 0 }]);
    }

    expect((await refresh(subject.server, cookie)).statusCode).toBe(200);
  });

  test("a cookie made with another SECRET_KEY is refused", async () => {
    const { server: other } = await subject.replica({ environment: { SECRET_KEY: "another-secret-key-0123456789abcdefgh" } });

    expect((await refresh(other, cookie)).statusCode).toBe(401);
    expect((await refresh(subject.server, cookie)).statusCode).toBe(200);
  });

  test("twelve idle hours end a session", async () => {
    subject.clock.forward(12 * HOUR - 1);
    const kept = await refresh(subject.server, cookie);
    subject.clock.forward(12 * HOUR);

    expect(kept.statusCode).toBe(200);
    expect((await refresh(subject.server, cookieOf(kept))).statusCode).toBe(401);
  });

  test("thirty days end a session however busy it is", async () => {
    let current = cookie;
    for (let hours = 0; hours < (30 * DAY) / HOUR - 11; hours += 11) {
      subject.clock.forward(11 * HOUR);
      const answer = await refresh(subject.server, current);
      expect(answer.statusCode).toBe(200);
      current = cookieOf(answer);
    }
    subject.clock.forward(11 * HOUR);

    expect((await refresh(subject.server, current)).statusCode).toBe(401);
  });

  test("a disabled account gets nothing more", async () => {
    await createAccount(subject.identity, "gone@example.org");
    const login = await logIn(subject.server, "gone@example.org");
    await subject.database.query
      .updateTable("identity.users")
      .set({ disabled_at: subject.clock.now() })
      .where("email", "=", "gone@example.org")
      .execute();

    expect((await refresh(subject.server, cookieOf(login))).statusCode).toBe(401);
  });

  test("nothing that is stored is a token or a hash of one", async () => {
    const [, token = ""] = cookie.split("=");
    const stored = JSON.stringify(await subject.database.query.selectFrom("identity.sessions").selectAll().execute());

    expect(stored).not.toContain(token);
    expect(stored).not.toContain(Buffer.from(token, "base64url").subarray(20).toString("hex"));
  });
});

describe("POST /logout", () => {
  test("ends the session at once, its access token included, and takes the cookie away", async () => {
    const answer = await subject.server.inject({ method: "POST", url: "/logout", headers: { cookie } });

    expect(answer.statusCode).toBe(204);
    expect(answer.cookies).toMatchObject([{ name: "__Host-sightline_refresh", value: "", maxAge: 0, secure: true, path: "/" }]);
    expect((await refresh(subject.server, cookie)).statusCode).toBe(401);
    const me = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${accessToken}` } });
    expect(me.statusCode).toBe(401);
  });

  test("without a session it is done already", async () => {
    expect((await subject.server.inject({ method: "POST", url: "/logout" })).statusCode).toBe(204);
  });
});

describe("routes of the cookie", () => {
  const foreign = { origin: "https://evil.example.com" };

  test.each([
    { from: "another site", headers: { ...foreign, "sec-fetch-site": "cross-site" }, allowed: false },
    { from: "another site, in a browser without Sec-Fetch-Site", headers: foreign, allowed: false },
    { from: "a sandboxed frame", headers: { origin: "null" }, allowed: false },
    {
      from: "a sibling of the console's domain",
      headers: { origin: "http://evil.localhost:3000", "sec-fetch-site": "same-site" },
      allowed: false,
    },
    { from: "another site that sends no origin", headers: { "sec-fetch-site": "cross-site" }, allowed: false },
    {
      from: "the console, as the browser says",
      headers: { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-origin" },
      allowed: true,
    },
    { from: "the console at PUBLIC_URL", headers: { origin: "http://localhost:3000" }, allowed: true },
    { from: "an origin of CORS_ORIGINS", headers: { origin: "https://tools.example.org", "sec-fetch-site": "cross-site" }, allowed: true },
    { from: "a program", headers: {}, allowed: true },
  ])("a call from $from: allowed $allowed", async ({ headers, allowed }) => {
    const { server } = await subject.replica({ environment: { CORS_ORIGINS: '["https://tools.example.org"]' } });

    for (const url of ["/login/refresh", "/logout"]) {
      const answer = await server.inject({ method: "POST", url, headers });
      expect(answer.statusCode === 403).toBe(!allowed);
    }
  });

  test.each([
    { publicUrl: "https://sightline.example.org", name: "__Host-sightline_refresh", secure: true },
    { publicUrl: "http://127.0.0.1:3000", name: "__Host-sightline_refresh", secure: true },
    { publicUrl: "http://sightline.lan:3000", name: "sightline_refresh", secure: undefined },
  ])("at $publicUrl the cookie is $name", async ({ publicUrl, name, secure }) => {
    const { server } = await subject.replica({ environment: { PUBLIC_URL: publicUrl } });

    const login = await logIn(server, "ada@example.org");

    expect(login.cookies[0]?.name).toBe(name);
    expect(login.cookies[0]?.secure).toBe(secure);
    expect(login.cookies[0]).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
    expect((await refresh(server, cookieOf(login))).statusCode).toBe(200);
  });
});
