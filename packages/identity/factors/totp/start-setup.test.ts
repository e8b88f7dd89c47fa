import { encode } from "uqr";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accessTokenOf,
  cookieOf,
  createAccount,
  createIdentityFixture,
  logIn,
  PASSWORD,
  refresh,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";
import { addPasskey, stepUpByPasskey } from "#testing/passkeys.ts";
import { beginSetup, call, setUpSecondFactor, signedIn } from "#testing/second-factor-setup.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture({ environment: { REGISTRATION: "open" } });
});

afterAll(() => subject.close());

function setUp(token: string, payload?: object) {
  return call(subject.server, token, "/admin/2fa/setup", payload);
}

/** Every row of every table that is not the audit's. */
async function everythingStored(): Promise<Readonly<Record<string, unknown>>> {
  const { rows: tables } = await subject.database.pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'identity' and table_name not like 'audit%' order by 1",
  );
  const stored: Record<string, unknown> = {};
  for (const { name } of tables) {
    stored[name] = (await subject.database.pool.query(`select to_jsonb(r)::text as row from identity.${name} r order by 1`)).rows;
  }
  return stored;
}

describe("POST /admin/2fa/setup", () => {
  test("shows a secret of 160 bits, its address for authenticator apps, and a ticket, and nothing of it is cached", async () => {
    const token = await signedIn(subject, "ada+1@example.org");

    const answer = await setUp(token);

    expect(answer.statusCode).toBe(200);
    const shown = answer.json<{ secret: string; otpauth_url: string }>();
    expect(shown).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauth_url: `otpauth://totp/Sightline:ada%2B1%40example.org?secret=${shown.secret}&issuer=Sightline`,
      qr_svg: expect.stringMatching(/^<svg /),
      setup_token: expect.stringMatching(/^v1\.k1\.[\w.-]+$/),
      expires_in: 600,
    });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect((await setUp(token)).json<{ secret: string }>().secret).not.toBe(shown.secret);
  });

  test("stores nothing but a row of the audit, which holds no secret", async () => {
    const token = await signedIn(subject, "stores@example.org");
    const before = await everythingStored();

    const { secret, setup_token } = await beginSetup(subject.server, token);

    expect(Object.keys(before)).toContain("setup_tries");
    expect(await everythingStored()).toEqual(before);
    const row = await subject.database.query.selectFrom("identity.audit").selectAll().orderBy("id", "desc").executeTakeFirstOrThrow();
    expect(row).toMatchObject({ event: "2fa_setup_started", ip: "127.0.0.1", details: {} });
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(JSON.stringify(row)).not.toContain(setup_token);
  });

  test("the ticket shows nothing of the secret, and travels as a cookie that scripts and other sites do not get", async () => {
    const answer = await setUp(await signedIn(subject, "cookie@example.org"));

    const { secret, setup_token } = answer.json<{ secret: string; setup_token: string }>();
    expect(Buffer.from(setup_token.split(".")[3] ?? "", "base64url").toString("latin1")).not.toContain(secret);
    expect(answer.cookies).toEqual([
      {
        name: "__Host-sightline_2fa_setup",
        value: setup_token,
        path: "/",
        maxAge: 600,
        httpOnly: true,
        secure: true,
        sameSite: "Strict",
      },
    ]);
  });

  test("where browsers would drop a secure cookie, it has neither the flag nor the prefix", async () => {
    const { server } = await subject.replica({ environment: { PUBLIC_URL: "http://sightline.example.org" } });
    const token = await signedIn({ ...subject, server }, "plain@example.org");

    const [cookie] = (await call(server, token, "/admin/2fa/setup")).cookies;

    expect(cookie).toMatchObject({ name: "sightline_2fa_setup", httpOnly: true, sameSite: "Strict" });
    expect(cookie).not.toHaveProperty("secure");
  });

  test.each([
    { what: "nothing", headers: {}, payload: undefined },
    { what: "nothing as JSON", headers: { "content-type": "application/json" }, payload: "" },
    { what: "an empty object", headers: { "content-type": "application/json" }, payload: "{}" },
    { what: "an empty object without a content type", headers: { "content-length": "2" }, payload: Buffer.from("{}") },
    { what: "nothing as curl -d '' sends it", headers: { "content-type": "application/x-www-form-urlencoded" }, payload: "" },
    { what: "null", headers: { "content-type": "application/json" }, payload: "null" },
  ])("takes $what", async ({ what, headers, payload }) => {
    const token = await signedIn(subject, `${what.replaceAll(/\W/g, "-")}@example.org`);

    const answer = await subject.server.inject({
      method: "POST",
      url: "/admin/2fa/setup",
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(payload === undefined ? {} : { payload }),
    });

    expect(answer.statusCode).toBe(200);
  });

  test.each([
    { what: "a form", type: "application/x-www-form-urlencoded", payload: "password=x", status: 415 },
    { what: "half an object", type: "application/json", payload: "{", status: 400 },
    { what: "a poisoned object", type: "application/json", payload: '{"__proto__": {}}', status: 400 },
    { what: "a secret of the client's choice and nothing else", type: "application/json", payload: '"JBSWY3DPEHPK3PXP"', status: 400 },
  ])("refuses $what", async ({ type, payload, status }) => {
    const token = await accessTokenOf(subject.server, "cookie@example.org");

    const answer = await subject.server.inject({
      method: "POST",
      url: "/admin/2fa/setup",
      headers: { authorization: `Bearer ${token}`, "content-type": type },
      payload,
    });

    expect(answer.statusCode).toBe(status);
  });

  test("asks for the password when the login is older than ten minutes, however often it was refreshed", async () => {
    const email = "later@example.org";
    await createAccount(subject.identity, email);
    const login = await logIn(subject.server, email);
    const first = login.json<{ access_token: string }>().access_token;
    subject.clock.forward(600);
    expect((await setUp(first)).statusCode).toBe(200);
    subject.clock.forward(1);
    const token = (await refresh(subject.server, cookieOf(login))).json<{ access_token: string }>().access_token;

    const refused = await setUp(token);
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ error: "reauthentication_required" });
    expect(refused.cookies).toEqual([]);
    const wrong = await setUp(token, { password: "not the password" });
    expect(wrong.statusCode).toBe(403);
    expect(wrong.json()).toMatchObject({ error: "wrong_password" });
    expect((await setUp(token, { password: PASSWORD })).statusCode).toBe(200);
    expect((await setUp(await accessTokenOf(subject.server, email))).statusCode).toBe(200);
  });

  test("a wrong password is refused also where none was needed", async () => {
    const answer = await setUp(await accessTokenOf(subject.server, "cookie@example.org"), { password: "not the password" });

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "wrong_password" });
  });

  test("of an account whose second factor is a passkey asks for that one: the password does not replace it", async () => {
    const { passkey, token } = await addPasskey(subject.server, await signedIn(subject, "passkey@example.org"));
    expect((await setUp(token)).statusCode).toBe(200);
    subject.clock.forward(601);

    for (const payload of [{ password: PASSWORD }, undefined, { password: "not the password" }]) {
      const refused = await setUp(token, payload);
      expect([refused.statusCode, refused.json()]).toMatchObject([403, { error: "step_up_required" }]);
      expect(refused.cookies).toEqual([]);
    }
    expect((await stepUpByPasskey(subject.server, token, passkey)).statusCode).toBe(200);
    expect((await setUpSecondFactor(subject, token)).backupCodes).toHaveLength(10);
  });

  test("shows nothing once the second factor is on", async () => {
    const { token } = await setUpSecondFactor(subject, await signedIn(subject, "enabled@example.org"));

    const answer = await setUp(token);

    expect(answer.statusCode).toBe(409);
    expect(Object.keys(answer.json<object>())).toEqual(["error", "message"]);
    expect(answer.json()).toMatchObject({ error: "already_enabled" });
    expect(answer.cookies).toEqual([]);
  });

  test("is for admins alone", async () => {
    const member = { email: "member@example.org", password: PASSWORD, name: "Member" };
    await subject.server.inject({ method: "POST", url: "/api/v1/auth/register", payload: member });

    const refused = await setUp(await accessTokenOf(subject.server, "member@example.org"));
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ error: "admin_only" });
    expect((await setUp("no.such.token")).statusCode).toBe(401);
  });
});

describe("the QR code", () => {
  test("holds the address and nothing else: black modules on white of its own, with the quiet zone around", async () => {
    const token = await accessTokenOf(subject.server, "cookie@example.org");
    const { otpauth_url, qr_svg } = await beginSetup(subject.server, token);

    const { data, size } = encode(otpauth_url, { ecc: "M", border: 4 });

    expect(qr_svg).toContain(`viewBox="0 0 ${size} ${size}"`);
    expect(qr_svg).toContain(`<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`);
    expect(modulesOf(qr_svg, size)).toEqual(data);
  });

  test("has a name for screen readers, and neither script nor style nor anything of the account", async () => {
    const { qr_svg } = await beginSetup(subject.server, await accessTokenOf(subject.server, "cookie@example.org"));

    expect(qr_svg).toContain('role="img"');
    expect(qr_svg).toContain("<title>QR code to scan with an authenticator app</title>");
    expect(qr_svg).toMatch(/^<svg [^<>]*><title>[\w ]+<\/title><path [^<>]*\/><path [^<>]*\/><\/svg>$/);
    expect(qr_svg).not.toMatch(/style|script|href|cookie@/);
  });
});

/** Draws the black path again. */
function modulesOf(svg: string, size: number): boolean[][] {
  const modules = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  const [, path = ""] = /<path fill="#000" d="([^"]*)"/.exec(svg) ?? [];
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    modules[Number(y)]?.fill(true, Number(x), Number(x) + Number(length));
  }
  return modules;
}
