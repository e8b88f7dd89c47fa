import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { codeAt } from "#testing/authenticator.ts";
import { createIdentityFixture, PASSWORD, SECRETS, type IdentityFixture } from "#testing/identity-fixture.ts";
import { call, openSecret, signedIn, userOf } from "#testing/second-factor-setup.ts";
import { accessTokenWithCodeOf, enableSecondFactor, partialTokenOf, verifyCode } from "#testing/second-factor.ts";

type Shown = { readonly secret: string; readonly setup_token: string };

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

/** Shows password and code, and moves on to the next code. */
async function beginReplacement(token: string, code: string, server: HttpServer = subject.server): Promise<Shown> {
  const answer = await call(server, token, "/admin/2fa/replace", { password: PASSWORD, code });
  expect(answer.statusCode).toBe(200);
  subject.clock.forward(30);
  return answer.json<Shown>();
}

function finish(token: string, { secret, setup_token }: Shown, server: HttpServer = subject.server) {
  return call(server, token, "/admin/2fa/verify-setup", { code: codeNow(secret), setup_token });
}

describe("POST /admin/2fa/replace", () => {
  test("shows a new secret and stores none: the old one is good until the new one's first code", async () => {
    const { email, token, secret } = await protectedAdmin("ada");
    const begun = await call(subject.server, token, "/admin/2fa/replace", { password: PASSWORD, code: codeNow(secret) });
    expect(begun.headers["cache-control"]).toBe("no-store");
    expect(begun.cookies).toEqual([expect.objectContaining({ name: "__Host-sightline_2fa_setup", httpOnly: true })]);
    const shown = begun.json<Shown>();
    expect(shown.secret).not.toBe(secret);
    expect(openSecret(await userOf(subject, token))).toBe(secret);
    subject.clock.forward(30);
    const elsewhere = await accessTokenWithCodeOf(subject, email, secret);

    const answer = await finish(token, shown);

    expect(answer.statusCode).toBe(200);
    expect(openSecret(await userOf(subject, token))).toBe(shown.secret);
    subject.clock.forward(30);
    const partial = await partialTokenOf(subject.server, email);
    expect((await verifyCode(subject.server, partial, codeNow(secret))).statusCode).toBe(401);
    expect((await verifyCode(subject.server, partial, codeNow(shown.secret))).statusCode).toBe(200);
    expect((await call(subject.server, elsewhere, "/admin/2fa/setup")).statusCode).toBe(401);
    const { id } = await userOf(subject, token);
    const notices = await subject.database.query
      .selectFrom("identity.notices")
      .select("kind")
      .where("user_id", "=", id)
      .orderBy("id")
      .execute();
    expect(notices.map(({ kind }) => kind)).toEqual(["two_factor_replaced"]);
    const audit = await subject.database.query
      .selectFrom("identity.audit")
      .select("event")
      .where("user_id", "=", id)
      .orderBy("id")
      .execute();
    expect(audit.map(({ event }) => event)).toContain("2fa_replaced");
  });

  test("makes new backup codes with the new secret; the old ones count no more", async () => {
    const { email, token, secret, backupCodes: old } = await protectedAdmin("codes");
    const shown = await beginReplacement(token, codeNow(secret));

    const { backup_codes: codes } = (await finish(token, shown)).json<{ backup_codes: string[] }>();

    const partial = await partialTokenOf(subject.server, email);
    expect((await verifyCode(subject.server, partial, old[1] ?? "")).statusCode).toBe(401);
    expect((await verifyCode(subject.server, partial, codes[1] ?? "")).statusCode).toBe(200);
  });

  test("works with a backup code, for whoever has lost the device", async () => {
    const { token, backupCodes } = await protectedAdmin("lost");
    const shown = await beginReplacement(token, backupCodes[0] ?? "");

    expect((await finish(token, shown)).statusCode).toBe(200);

    expect(openSecret(await userOf(subject, token))).toBe(shown.secret);
  });

  test("the code that finished it logs nobody in", async () => {
    const { email, token, secret } = await protectedAdmin("replayed");
    const shown = await beginReplacement(token, codeNow(secret));
    await finish(token, shown);

    const login = await verifyCode(subject.server, await partialTokenOf(subject.server, email), codeNow(shown.secret));

    expect(login.statusCode).toBe(401);
  });

  test("one who began earlier does not undo a later replacement, nor switch on what was switched off", async () => {
    const { token, secret } = await protectedAdmin("outdated");
    const first = await beginReplacement(token, codeNow(secret));
    const second = await beginReplacement(token, codeNow(secret));
    const { access_token: successor } = (await finish(token, second)).json<{ access_token: string }>();

    const outdated = await finish(successor, first);

    expect(outdated.statusCode).toBe(400);
    expect(outdated.json()).toMatchObject({ error: "setup_invalid" });
    expect(openSecret(await userOf(subject, token))).toBe(second.secret);
    subject.clock.forward(30);
    const third = await beginReplacement(successor, codeNow(second.secret));
    expect(
      (await call(subject.server, successor, "/admin/2fa/disable", { password: PASSWORD, code: codeNow(second.secret) })).statusCode,
    ).toBe(204);
    expect((await finish(successor, third)).json()).toMatchObject({ error: "not_enabled" });
  });

  test("goes through when the old secret was sealed anew meanwhile, with the next key of the ring", async () => {
    const { email, token, secret } = await protectedAdmin("resealed");
    const shown = await beginReplacement(token, codeNow(secret));
    const ring = `k2:another-ring-secret-of-the-tests-0123456789,${SECRETS.ENCRYPTION_KEYS}`;
    const { server } = await subject.replica({ environment: { ENCRYPTION_KEYS: ring } });
    expect((await verifyCode(server, await partialTokenOf(server, email), codeNow(secret))).statusCode).toBe(200);
    expect((await userOf(subject, token)).totp_secret).toMatch(/^v1\.k2\./);

    expect((await finish(token, shown, server)).statusCode).toBe(200);
  });

  test("is the way out, by a backup code, when the key of the old secret is lost", async () => {
    const { token, backupCodes } = await protectedAdmin("lost-key");
    const { id } = await userOf(subject, token);
    await subject.database.query
      .updateTable("identity.users")
      .set({ totp_secret: "v1.gone.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA" })
      .where("id", "=", id)
      .execute();
    const byApp = await call(subject.server, token, "/admin/2fa/replace", { password: PASSWORD, code: "123456" });
    expect(byApp.statusCode).toBe(503);

    const shown = await beginReplacement(token, backupCodes[0] ?? "");

    expect((await finish(token, shown)).statusCode).toBe(200);
    expect(openSecret(await userOf(subject, token))).toBe(shown.secret);
  });

  test("at the same moment with two tickets replaces once", needsRealPostgres, async () => {
    const { token, secret } = await protectedAdmin("race");
    const { server } = await subject.replica();
    const tickets = [await beginReplacement(token, codeNow(secret)), await beginReplacement(token, codeNow(secret))];

    const answers = await Promise.all(tickets.map((ticket, index) => finish(token, ticket, index === 0 ? subject.server : server)));

    const winner = answers.findIndex(({ statusCode }) => statusCode === 200);
    expect(answers[1 - winner]?.json()).toMatchObject({ error: "setup_invalid" });
    expect(openSecret(await userOf(subject, token))).toBe(tickets[winner]?.secret);
  });
});
