import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { codeAt } from "#testing/authenticator.ts";
import { auditOf, createIdentityFixture, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { beginSetup, call, openSecret, setUpSecondFactor, signedIn, userOf } from "#testing/second-factor-setup.ts";
import { accessTokenWithCodeOf, enableSecondFactor, partialTokenOf, verifyCode, wrongCodeOf } from "#testing/second-factor.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

async function protectedAdmin(name: string) {
  const email = `${name}@example.org`;
  const token = await signedIn(subject, email);
  return { ...(await enableSecondFactor(subject, email)), email, token };
}

function codeNow(secret: string): string {
  return codeAt(secret, subject.clock.now());
}

function status(token: string) {
  return subject.server.inject({ url: "/admin/2fa", headers: { authorization: `Bearer ${token}` } });
}

async function noticesOf(token: string): Promise<readonly string[]> {
  const { id } = await userOf(subject, token);
  const rows = await subject.database.query.selectFrom("identity.notices").select("kind").where("user_id", "=", id).orderBy("id").execute();
  return rows.map(({ kind }) => kind);
}

describe("GET /admin/2fa", () => {
  test("tells that it is off", async () => {
    const answer = await status(await signedIn(subject, "off@example.org"));

    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.json()).toEqual({
      totp_enabled: false,
      backup_codes_remaining: 0,
      totp_last_used_at: null,
      locked_until: null,
      suspended: false,
    });
  });

  test("tells when it was last used, how many backup codes are left, and no secret", async () => {
    const { email, token, backupCodes, secret } = await protectedAdmin("status");
    await accessTokenWithCodeOf(subject, email, secret);
    const login = await verifyCode(subject.server, await partialTokenOf(subject.server, email), backupCodes[3] ?? "");
    expect(login.statusCode).toBe(200);

    const answer = await status(token);

    const step = Math.floor(subject.clock.now().getTime() / 30_000);
    expect(answer.json()).toMatchObject({
      totp_enabled: true,
      backup_codes_remaining: 9,
      totp_last_used_at: new Date(step * 30_000).toISOString(),
      locked_until: null,
      suspended: false,
    });
    expect(answer.body).not.toContain(secret);
  });

  test("tells until when wrong codes have locked it", async () => {
    const { email, token, secret } = await protectedAdmin("locked");
    for (let round = 0; round < 5; round++) {
      await verifyCode(subject.server, await partialTokenOf(subject.server, email), wrongCodeOf(secret, subject.clock, round * 7));
    }

    // The lock has ended the access token by the account's epoch, which is put back to ask on.
    const { id } = await userOf(subject, token);
    await subject.database.query.updateTable("identity.users").set({ epoch: 1 }).where("id", "=", id).execute();

    const answer = await status(token);
    const until = new Date(subject.clock.now().getTime() + 900_000);
    expect(answer.json()).toMatchObject({ locked_until: until.toISOString(), suspended: false });

    await subject.database.query
      .updateTable("identity.second_factor_counters")
      .set({ suspended: true })
      .where("user_id", "=", id)
      .execute();
    expect((await status(token)).json()).toMatchObject({ locked_until: null, suspended: true });
  });
});

describe.each(["replace", "backup-codes", "disable"])("POST /admin/2fa/%s", (route) => {
  const path = `/admin/2fa/${route}`;

  test("needs the password and a code that was not used", async () => {
    const { email, token, secret } = await protectedAdmin(`needs-${route}`);
    await accessTokenWithCodeOf(subject, email, secret);
    const used = codeNow(secret);
    const before = await userOf(subject, token);

    const answers = {
      nothing: await call(subject.server, token, path),
      passwordAlone: await call(subject.server, token, path, { password: PASSWORD }),
      codeAlone: await call(subject.server, token, path, { code: codeNow(secret) }),
      wrongPassword: await call(subject.server, token, path, { password: "not the password", code: codeNow(secret) }),
      wrongCode: await call(subject.server, token, path, { password: PASSWORD, code: wrongCodeOf(secret, subject.clock) }),
      usedCode: await call(subject.server, token, path, { password: PASSWORD, code: used }),
      wrongBackupCode: await call(subject.server, token, path, { password: PASSWORD, code: "AAAA-AAAA-AAAA-AAAA" }),
    };

    const told = Object.entries(answers).map(([name, { statusCode, json }]) => [name, statusCode, json<{ error: string }>().error]);
    expect(told).toEqual([
      ["nothing", 400, "invalid_request"],
      ["passwordAlone", 400, "invalid_request"],
      ["codeAlone", 400, "invalid_request"],
      ["wrongPassword", 403, "wrong_password"],
      ["wrongCode", 403, "invalid_code"],
      ["usedCode", 403, "invalid_code"],
      ["wrongBackupCode", 403, "invalid_code"],
    ]);
    expect(await userOf(subject, token)).toEqual(before);
  });

  test("answers 409 not_enabled without a second factor, whatever is sent", async () => {
    const token = await signedIn(subject, `none-${route}@example.org`);

    const answer = await call(subject.server, token, path, { password: "not the password", code: "123456" });

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ error: "not_enabled" });
  });

  test("is counted with the codes of the login: after five wrong ones no code is looked at", async () => {
    const { token, secret } = await protectedAdmin(`counted-${route}`);
    for (let round = 0; round < 4; round++) {
      await call(subject.server, token, path, { password: PASSWORD, code: wrongCodeOf(secret, subject.clock, round * 7) });
    }
    const { id } = await userOf(subject, token);
    await subject.database.query
      .updateTable("identity.second_factor_counters")
      .set({ locked_until: new Date(subject.clock.now().getTime() + 900_000) })
      .where("user_id", "=", id)
      .execute();

    const answer = await call(subject.server, token, path, { password: PASSWORD, code: codeNow(secret) });

    expect(answer.statusCode).toBe(429);
    expect(Number(answer.headers["retry-after"])).toBe(900);
    expect((await userOf(subject, token)).totp_enabled).toBe(true);
  });
});

describe("POST /admin/2fa/backup-codes", () => {
  test("answers ten new ones, once; no old one counts any more, and other sessions go on", async () => {
    const { email, token, secret, backupCodes: old } = await protectedAdmin("regenerate");
    const elsewhere = await accessTokenWithCodeOf(subject, email, secret);
    subject.clock.forward(30);

    const answer = await call(subject.server, token, "/admin/2fa/backup-codes", { password: PASSWORD, code: codeNow(secret) });

    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const { backup_codes: codes } = answer.json<{ backup_codes: string[] }>();
    expect(new Set([...codes, ...old]).size).toBe(20);
    expect((await status(elsewhere)).json()).toMatchObject({ backup_codes_remaining: 10 });
    const partial = await partialTokenOf(subject.server, email);
    expect((await verifyCode(subject.server, partial, old[0] ?? "")).statusCode).toBe(401);
    expect((await verifyCode(subject.server, partial, codes[0] ?? "")).statusCode).toBe(200);
    expect(await noticesOf(token)).toEqual(["backup_codes_regenerated", "backup_code_used"]);
    expect(await auditOf(subject)).toContain("backup_codes_regenerated");
  });

  test("takes a backup code, which dies with the others", async () => {
    const { email, token, backupCodes } = await protectedAdmin("by-backup");

    const answer = await call(subject.server, token, "/admin/2fa/backup-codes", { password: PASSWORD, code: backupCodes[0] });

    expect(answer.statusCode).toBe(200);
    expect((await userOf(subject, token)).totp_backup_codes).toHaveLength(10);
    const again = await verifyCode(subject.server, await partialTokenOf(subject.server, email), backupCodes[0] ?? "");
    expect(again.statusCode).toBe(401);
  });

  test("with one code at the same moment over two replicas makes one new set", needsRealPostgres, async () => {
    const { token, secret } = await protectedAdmin("race");
    const { server } = await subject.replica();
    const code = codeNow(secret);

    const answers = await Promise.all(
      [subject.server, server, subject.server, server].map((replica) =>
        call(replica, token, "/admin/2fa/backup-codes", { password: PASSWORD, code }),
      ),
    );

    const [won, ...others] = answers.filter(({ statusCode }) => statusCode === 200);
    expect(others).toEqual([]);
    const selectors = won?.json<{ backup_codes: string[] }>().backup_codes.map((each) => each.slice(0, 2));
    expect((await userOf(subject, token)).totp_backup_codes.map((hash) => hash.slice(0, 2))).toEqual(selectors);
  });
});

describe("POST /admin/2fa/disable", () => {
  test("wipes secret, step and codes, ends other sessions and half-done logins, and keeps the session that asked", async () => {
    const { email, token, secret } = await protectedAdmin("disable");
    const elsewhere = await accessTokenWithCodeOf(subject, email, secret);
    const partial = await partialTokenOf(subject.server, email);
    subject.clock.forward(30);

    const answer = await call(subject.server, token, "/admin/2fa/disable", { password: PASSWORD, code: codeNow(secret) });

    expect(answer.statusCode).toBe(204);
    expect(answer.body).toBe("");
    expect(await userOf(subject, token)).toMatchObject({
      totp_enabled: false,
      totp_secret: null,
      totp_backup_codes: [],
      totp_last_step: null,
      totp_last_used_at: null,
    });
    expect((await status(token)).json()).toMatchObject({ totp_enabled: false, backup_codes_remaining: 0, locked_until: null });
    expect((await status(elsewhere)).statusCode).toBe(401);
    subject.clock.forward(30);
    expect((await verifyCode(subject.server, partial, codeNow(secret))).statusCode).toBe(401);
    expect(await noticesOf(token)).toEqual(["two_factor_disabled"]);
    const row = await subject.database.query
      .selectFrom("identity.audit")
      .selectAll()
      .where("event", "=", "2fa_disabled")
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    const { sub, sid } = decodeJwt(token);
    expect(row).toMatchObject({ user_id: sub, actor_id: sub, session_id: sid });
  });

  test("leaves no used setup ticket that could switch it on again", async () => {
    const token = await signedIn(subject, "again@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const enabled = await call(subject.server, token, "/admin/2fa/verify-setup", { code: codeNow(secret), setup_token });
    const { access_token: successor } = enabled.json<{ access_token: string }>();
    subject.clock.forward(30);
    await call(subject.server, successor, "/admin/2fa/disable", { password: PASSWORD, code: codeNow(secret) });
    subject.clock.forward(30);

    const answer = await call(subject.server, successor, "/admin/2fa/verify-setup", { code: codeNow(secret), setup_token });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "setup_invalid" });
    expect((await userOf(subject, token)).totp_enabled).toBe(false);
    const next = await setUpSecondFactor(subject, successor);
    expect(openSecret(await userOf(subject, token))).toBe(next.secret);
  });

  test("keeps what was counted: guessing is no better after another set-up", async () => {
    const { email, token, secret } = await protectedAdmin("kept");
    await verifyCode(subject.server, await partialTokenOf(subject.server, email), wrongCodeOf(secret, subject.clock));
    await call(subject.server, token, "/admin/2fa/disable", { password: PASSWORD, code: codeNow(secret) });

    const { id } = await userOf(subject, token);
    const tries = await subject.database.query
      .selectFrom("identity.second_factor_tries")
      .select("pool")
      .where("user_id", "=", id)
      .execute();
    expect(tries).toEqual([{ pool: "totp" }]);
  });
});
