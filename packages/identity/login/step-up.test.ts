import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { accessTokenOf, auditOf, createAccount, createIdentityFixture, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { accessTokenWithCodeOf, codeOf, enableSecondFactor, wrongCodeOf } from "#testing/second-factor.ts";

const EMAIL = "ada@example.org";

let subject: IdentityFixture;

function guardedRoute(server: HttpServer): void {
  server.get("/guarded", { config: { auth: "admin-step-up" }, schema: { response: { 200: z.object({}) } } }, () => ({}));
}

beforeEach(async () => {
  subject = await createIdentityFixture({ routes: [guardedRoute] });
  await createAccount(subject.identity, EMAIL);
});

afterEach(() => subject.close());

const stepUp = (token: string, payload: object) =>
  subject.server.inject({ method: "POST", url: "/step-up", headers: { authorization: `Bearer ${token}` }, payload });
const guarded = async (token: string) =>
  (await subject.server.inject({ url: "/guarded", headers: { authorization: `Bearer ${token}` } })).statusCode;

describe("POST /step-up", () => {
  test("without a second factor the password alone opens what asks for it, for ten minutes", async () => {
    const token = await accessTokenOf(subject.server, EMAIL);
    expect(await guarded(token)).toBe(403);

    const answer = await stepUp(token, { password: PASSWORD });

    const until = new Date(subject.clock.now().getTime() + 600_000).toISOString();
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ step_up_until: until });
    expect(answer.headers["cache-control"]).toBe("no-store");
    const me = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } });
    expect(me.json()).toMatchObject({ step_up_until: until });
    expect(await guarded(token)).toBe(200);
    subject.clock.forward(600);
    expect(await guarded(token)).toBe(403);
    expect((await auditOf(subject)).at(-1)).toBe("step_up_ok");
  });

  test("holds for its session alone", async () => {
    const [token, other] = [await accessTokenOf(subject.server, EMAIL), await accessTokenOf(subject.server, EMAIL)];

    await stepUp(token, { password: PASSWORD });

    expect([await guarded(token), await guarded(other)]).toEqual([200, 403]);
  });

  test("counts as a fresh login", async () => {
    const token = await accessTokenOf(subject.server, EMAIL);
    subject.clock.forward(1200);

    await stepUp(token, { password: PASSWORD });

    const session = await subject.database.query.selectFrom("identity.sessions").selectAll().executeTakeFirstOrThrow();
    expect(session.authenticated_at).toEqual(subject.clock.now());
  });

  test("with a second factor asks for its code too", async () => {
    const { secret, backupCodes } = await enableSecondFactor(subject, EMAIL);
    const token = await accessTokenWithCodeOf(subject, EMAIL, secret);

    expect((await stepUp(token, { password: PASSWORD })).json()).toMatchObject({ error: "code_required" });
    expect((await stepUp(token, { password: PASSWORD, code: wrongCodeOf(secret, subject.clock) })).json()).toMatchObject({
      error: "invalid_code",
    });
    const used = codeOf(secret, subject.clock);
    expect((await stepUp(token, { password: PASSWORD, code: used })).json()).toMatchObject({ error: "invalid_code" });
    expect(await guarded(token)).toBe(403);
    expect((await auditOf(subject)).slice(-3)).toEqual(["step_up_failed", "2fa_code_replayed", "step_up_failed"]);

    subject.clock.forward(30);
    expect((await stepUp(token, { password: PASSWORD, code: codeOf(secret, subject.clock) })).statusCode).toBe(200);
    expect(await guarded(token)).toBe(200);
    expect((await stepUp(token, { password: PASSWORD, code: backupCodes[0] })).statusCode).toBe(200);
    expect((await auditOf(subject)).slice(-3)).toEqual(["step_up_ok", "step_up_ok", "backup_code_used"]);
  });

  test("a wrong password is refused before the code is looked at, and leaves it good", async () => {
    const { secret } = await enableSecondFactor(subject, EMAIL);
    const token = await accessTokenWithCodeOf(subject, EMAIL, secret);
    subject.clock.forward(30);
    const code = codeOf(secret, subject.clock);

    expect((await stepUp(token, { password: "not the password", code })).json()).toMatchObject({ error: "wrong_password" });
    expect((await auditOf(subject)).at(-1)).toBe("step_up_failed");
    expect((await stepUp(token, { password: PASSWORD, code })).statusCode).toBe(200);
  });

  test("wrong passwords are counted with those of the login", async () => {
    const token = await accessTokenOf(subject.server, EMAIL);
    for (let round = 0; round < 5; round++) {
      await stepUp(token, { password: "not the password" });
    }

    expect((await stepUp(token, { password: PASSWORD })).statusCode).toBe(429);
  });

  test("the fifth wrong code ends the access token and leaves the session, which goes on by its cookie", async () => {
    const { secret } = await enableSecondFactor(subject, EMAIL);
    const token = await accessTokenWithCodeOf(subject, EMAIL, secret);
    for (let round = 0; round < 5; round++) {
      await stepUp(token, { password: PASSWORD, code: wrongCodeOf(secret, subject.clock) });
    }

    expect((await stepUp(token, { password: PASSWORD, code: codeOf(secret, subject.clock, 30) })).json()).toMatchObject({
      error: "auth_failed",
    });
  });

  test("needs a session", async () => {
    expect((await stepUp("", { password: PASSWORD })).statusCode).toBe(401);
  });
});
