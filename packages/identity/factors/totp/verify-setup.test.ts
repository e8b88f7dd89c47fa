import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeAt } from "#testing/authenticator.ts";
import { accessTokenOf, auditOf, cookieOf, createIdentityFixture, refresh, type IdentityFixture } from "#testing/identity-fixture.ts";
import { beginSetup, call, setUpSecondFactor, openSecret, signedIn, userOf } from "#testing/second-factor-setup.ts";
import { wrongCodeOf } from "#testing/second-factor.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

function verify(token: string, payload: object, server = subject.server) {
  return call(server, token, "/admin/2fa/verify-setup", payload);
}

function now(): Date {
  return subject.clock.now();
}

function inSeconds(seconds: number): Date {
  return new Date(now().getTime() + seconds * 1000);
}

async function lastAudit(event: string) {
  return subject.database.query
    .selectFrom("identity.audit")
    .selectAll()
    .where("event", "=", event)
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
}

describe("POST /admin/2fa/verify-setup", () => {
  test("with the code that the authenticator shows stores the sealed secret and answers ten backup codes once", async () => {
    const token = await signedIn(subject, "ada@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const code = codeAt(secret, now());

    const answer = await verify(token, { code: `${code.slice(0, 3)} ${code.slice(3)} `, setup_token });

    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const { backup_codes: codes } = answer.json<{ backup_codes: string[] }>();
    expect(answer.json()).toEqual({
      totp_enabled: true,
      backup_codes: codes,
      token_type: "bearer",
      access_token: expect.any(String),
      expires_in: 3600,
    });
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const backupCode of codes) {
      expect(backupCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    }
    expect(answer.cookies).toEqual([
      expect.objectContaining({ name: "__Host-sightline_2fa_setup", value: "", maxAge: 0 }),
      expect.objectContaining({ name: "__Host-sightline_refresh", httpOnly: true, secure: true }),
    ]);
    const step = Math.floor(now().getTime() / 30_000);
    const user = await userOf(subject, token);
    expect(user).toMatchObject({ totp_enabled: true, totp_last_step: step, totp_last_used_at: new Date(step * 30_000), epoch: 1 });
    expect(user.totp_secret).toMatch(/^v1\.k1\./);
    expect(openSecret(user)).toBe(secret);
    expect(user.totp_backup_codes).toHaveLength(10);
    for (const [index, hash] of user.totp_backup_codes.entries()) {
      expect(hash).toMatch(/^[0-9A-Z]{2}:\$2b\$10\$/);
      expect(hash).not.toContain(codes[index]?.replaceAll("-", "").slice(2, 8));
    }
  });

  test("is written into the audit and told to the owner, without a secret in either", async () => {
    const token = await signedIn(subject, "told@example.org");
    const { secret, backupCodes } = await setUpSecondFactor(subject, token);

    const row = await lastAudit("2fa_enabled");
    const notice = await subject.database.query
      .selectFrom("identity.notices")
      .selectAll()
      .where("user_id", "=", row.user_id)
      .executeTakeFirstOrThrow();

    const { sub, sid } = decodeJwt(token);
    expect(row).toMatchObject({ user_id: sub, actor_id: sub, session_id: sid, ip: "127.0.0.1" });
    expect(notice).toMatchObject({ kind: "two_factor_enabled", shown: true });
    for (const hidden of [secret, ...backupCodes]) {
      expect(JSON.stringify([row, notice])).not.toContain(hidden);
    }
  });

  test("ends all of the user's sessions and partial tokens; a new session that both factors opened takes the place of the one that asked", async () => {
    const elsewhere = await (async () => {
      await signedIn(subject, "elsewhere@example.org");
      return accessTokenOf(subject.server, "elsewhere@example.org");
    })();
    const token = await accessTokenOf(subject.server, "elsewhere@example.org");
    const { id: user_id } = await userOf(subject, token);
    await subject.database.query
      .insertInto("identity.partial_tokens")
      .values({ token_hash: Buffer.alloc(32), user_id, epoch: 1, ip: "::1", authenticated_at: now(), expires_at: inSeconds(300) })
      .execute();

    const { secret, setup_token } = await beginSetup(subject.server, token);
    const enabled = await verify(token, { code: codeAt(secret, now()), setup_token });

    const { access_token: successor } = enabled.json<{ access_token: string }>();
    const statusOf = async (bearer: string) =>
      (await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${bearer}` } })).statusCode;
    expect(await Promise.all([successor, token, elsewhere].map(statusOf))).toEqual([200, 401, 401]);
    expect(decodeJwt(successor)).toMatchObject({ amr: ["pwd", "otp", "mfa"], auth_time: decodeJwt(token)["auth_time"] });
    expect(decodeJwt(successor)["sid"]).not.toBe(decodeJwt(token)["sid"]);
    expect((await refresh(subject.server, cookieOf(enabled))).statusCode).toBe(200);
    expect(await subject.database.query.selectFrom("identity.partial_tokens").selectAll().where("user_id", "=", user_id).execute()).toEqual(
      [],
    );
    expect((await auditOf(subject)).slice(-4)).toEqual(["2fa_enabled", "session_revoked", "session_revoked", "session_revoked"]);
  });

  test("takes the ticket from its cookie, so that the code alone will do", async () => {
    const token = await signedIn(subject, "cookie@example.org");
    const shown = await call(subject.server, token, "/admin/2fa/setup");
    const [cookie] = shown.cookies;

    const answer = await subject.server.inject({
      method: "POST",
      url: "/admin/2fa/verify-setup",
      headers: { authorization: `Bearer ${token}`, cookie: `${cookie?.name}=${cookie?.value}` },
      payload: { code: codeAt(shown.json<{ secret: string }>().secret, now()) },
    });

    expect(answer.statusCode).toBe(200);
  });

  test("the cookie alone, which another site could make a browser send, opens nothing", async () => {
    const token = await signedIn(subject, "forged@example.org");
    const shown = await call(subject.server, token, "/admin/2fa/setup");
    const [cookie] = shown.cookies;

    const answer = await subject.server.inject({
      method: "POST",
      url: "/admin/2fa/verify-setup",
      headers: { origin: "https://evil.example.com", cookie: `${cookie?.name}=${cookie?.value}` },
      payload: { code: codeAt(shown.json<{ secret: string }>().secret, now()) },
    });

    expect(answer.statusCode).toBe(401);
    expect((await userOf(subject, token)).totp_enabled).toBe(false);
  });

  test.each([-30, 30])("accepts a code that is %i s off", async (seconds) => {
    const token = await signedIn(subject, `off${seconds}@example.org`);
    const { secret, setup_token } = await beginSetup(subject.server, token);

    expect((await verify(token, { code: codeAt(secret, inSeconds(seconds)), setup_token })).statusCode).toBe(200);

    expect((await userOf(subject, token)).totp_last_step).toBe(Math.floor(inSeconds(seconds).getTime() / 30_000));
  });

  test("with TOTP_WINDOW=0 accepts the code of the present step alone", async () => {
    const { server } = await subject.replica({ environment: { TOTP_WINDOW: "0" } });
    const token = await signedIn(subject, "strict@example.org");
    const { secret, setup_token } = await beginSetup(server, token);

    const late = await verify(token, { code: codeAt(secret, inSeconds(-30)), setup_token }, server);
    expect(late.statusCode).toBe(400);
    expect(late.json<{ message: string }>().message).toContain("your phone's clock is about 30 s slow");
    expect((await verify(token, { code: codeAt(secret, now()), setup_token }, server)).statusCode).toBe(200);
  });
});

describe("a wrong code", () => {
  test("is no 401, which would end the console's session; it is audited, and leaves the ticket good", async () => {
    const token = await signedIn(subject, "wrong@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);

    const answer = await verify(token, { code: wrongCodeOf(secret, subject.clock), setup_token });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({
      error: "invalid_code",
      message: "The code is wrong. Enter the six digits that the app shows for Sightline now. Tries left: 9.",
    });
    expect(await lastAudit("2fa_setup_failed")).toMatchObject({ details: { reason: "wrong_code" } });
    expect((await userOf(subject, token)).totp_enabled).toBe(false);
    expect((await verify(token, { code: codeAt(secret, now()), setup_token })).statusCode).toBe(200);
  });

  test.each([
    { seconds: -300, told: "your phone's clock is about 300 s slow" },
    { seconds: -60, told: "your phone's clock is about 60 s slow" },
    { seconds: 90, told: "your phone's clock is about 90 s fast" },
    { seconds: 300, told: "your phone's clock is about 300 s fast" },
  ])("of a clock that is $seconds s off is refused, and the clock is told", async ({ seconds, told }) => {
    const token = await signedIn(subject, `clock${seconds}@example.org`);
    const { secret, setup_token } = await beginSetup(subject.server, token);

    const answer = await verify(token, { code: codeAt(secret, inSeconds(seconds)), setup_token });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "invalid_code", message: expect.stringContaining(told) });
    expect(await lastAudit("2fa_setup_failed")).toMatchObject({ details: { reason: "clock_off" } });
  });

  test("further off is wrong and nothing else", async () => {
    const token = await signedIn(subject, "faraway@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);

    const answer = await verify(token, { code: codeAt(secret, inSeconds(-330)), setup_token });

    expect(answer.json<{ message: string }>().message).not.toContain("clock");
  });

  test.each(["12345", "1234567", "ABCD-EFGH-JKMN-PQRS", "１２３４５６", "12345x"])("such as %s is a try like any other", async (code) => {
    const token = await accessTokenOf(subject.server, "faraway@example.org");
    const { setup_token } = await beginSetup(subject.server, token);

    const answer = await verify(token, { code, setup_token });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "invalid_code" });
  });

  test("ten times wears the ticket out, and the right code comes too late", async () => {
    const token = await signedIn(subject, "worn@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);

    for (let round = 1; round <= 10; round++) {
      const answer = await verify(token, { code: wrongCodeOf(secret, subject.clock), setup_token });
      expect(answer.json()).toMatchObject({ error: "invalid_code" });
      expect(answer.json<{ message: string }>().message).toContain(round === 10 ? "That was the last try" : `Tries left: ${10 - round}.`);
    }
    const late = await verify(token, { code: codeAt(secret, now()), setup_token });

    expect(late.statusCode).toBe(400);
    expect(late.json()).toMatchObject({ error: "setup_expired" });
    const again = await beginSetup(subject.server, token);
    expect((await verify(token, { code: codeAt(again.secret, now()), setup_token: again.setup_token })).statusCode).toBe(200);
  });

  test("that an error of ours kept from being evaluated is no try", async () => {
    const token = await signedIn(subject, "unlucky@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const { pool } = subject.database;
    await pool.query("alter table identity.users rename column totp_last_step to elsewhere");

    const answer = await verify(token, { code: codeAt(secret, now()), setup_token });

    await pool.query("alter table identity.users rename column elsewhere to totp_last_step");
    expect(answer.statusCode).toBe(500);
    const { id } = await userOf(subject, token);
    const tries = subject.database.query.selectFrom("identity.setup_tries").select(["tries", "used_at"]).where("user_id", "=", id);
    expect(await tries.execute()).toEqual([{ tries: 0, used_at: null }]);
    expect((await verify(token, { code: codeAt(secret, now()), setup_token })).statusCode).toBe(200);
  });
});
