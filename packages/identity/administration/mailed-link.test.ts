import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ask, auditOfUser, createAdmin, createMember, giveSecondFactor, rowOf, type Person } from "#testing/administration.ts";
import { createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { startMailServer, textOf, type ReceivedMail, type TestMailServer } from "#testing/mail-server.ts";

let subject: IdentityFixture;
let mailServer: TestMailServer;
let ada: Person;

beforeAll(async () => {
  mailServer = await startMailServer();
  subject = await createIdentityFixture({ environment: { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}` } });
  await subject.identity.start();
  ada = await createAdmin(subject, "ada@example.org");
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await subject.database.query.deleteFrom("identity.throttles").execute();
});

afterAll(async () => {
  await subject.close();
  await mailServer.close();
});

async function mailTo(email: string): Promise<ReceivedMail> {
  return vi.waitFor(
    () => {
      const mail = mailServer.mails.find(({ to }) => to.includes(email));
      if (mail === undefined) {
        throw new Error(`Nothing was mailed to ${email} yet.`);
      }
      return mail;
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** The page and the token of the link that was mailed to `email`. */
async function linkMailedTo(email: string): Promise<{ readonly path: string; readonly token: string; readonly text: string }> {
  const text = textOf(await mailTo(email));
  const [, path = "", token = ""] = /http:\/\/localhost:3000(\S+)#token=(\S+)/.exec(text) ?? [];
  return { path, token, text };
}

function choosePassword(token: string, password = PASSWORD) {
  return subject.server.inject({ method: "POST", url: "/login/password-reset/confirm", payload: { token, new_password: password } });
}

function invite(email: string) {
  return ask(subject.server, ada, "POST", "/admin/users", { email, name: "Ivy", invite: true });
}

function resetPassword(id: string, body?: object) {
  return ask(subject.server, ada, "POST", `/admin/users/${id}/password-reset`, body);
}

describe("an invitation", () => {
  test("is mailed, opens no login until a password is chosen, and then is none any more", async () => {
    const answer = await invite("ivy@example.org");

    expect(answer.statusCode).toBe(201);
    const { user } = answer.json<{ user: { id: string } }>();
    expect(answer.json()).toMatchObject({ one_time_password: null, user: { invited: true, role: "member" } });
    for (const guess of ["!", "", PASSWORD]) {
      expect((await logIn(subject.server, "ivy@example.org", guess)).statusCode).toBe(401);
    }
    expect((await auditOfUser(subject, user.id)).map(({ event, actor_id: actor }) => ({ event, actor }))).toEqual([
      { event: "user_created", actor: ada.id },
      { event: "user_invited", actor: ada.id },
    ]);

    const { path, token } = await linkMailedTo("ivy@example.org");
    expect(path).toBe("/login/invitation");
    expect(answer.body).not.toContain(token);
    expect(JSON.stringify(await auditOfUser(subject, user.id))).not.toContain(token);
    expect((await choosePassword(token)).statusCode).toBe(204);

    expect((await logIn(subject.server, "ivy@example.org")).statusCode).toBe(200);
    const shown = await ask(subject.server, ada, "GET", `/admin/users/${user.id}`);
    expect(shown.json()).toMatchObject({ invited: false, must_change_password: false });
    expect((await choosePassword(token)).statusCode).toBe(400);
  });

  test("is sent once more by a reset of the password, which ends the first", async () => {
    const { user } = (await invite("joe@example.org")).json<{ user: { id: string } }>();
    const first = await linkMailedTo("joe@example.org");
    mailServer.mails.length = 0;

    const answer = await resetPassword(user.id);

    expect(answer.json()).toEqual({ one_time_password: null });
    const second = await linkMailedTo("joe@example.org");
    expect(second.path).toBe("/login/invitation");
    expect((await ask(subject.server, ada, "GET", `/admin/users/${user.id}`)).json()).toMatchObject({ invited: true });
    expect((await choosePassword(first.token)).statusCode).toBe(400);
    expect((await choosePassword(second.token)).statusCode).toBe(204);
  });

  test("of an account that is disabled opens nothing", async () => {
    const { user } = (await invite("kim@example.org")).json<{ user: { id: string } }>();
    const { token } = await linkMailedTo("kim@example.org");

    await ask(subject.server, ada, "PATCH", `/admin/users/${user.id}`, { disabled: true });

    expect((await choosePassword(token)).statusCode).toBe(400);
  });

  test("gives way to a one-time password where the mail does not arrive", async () => {
    const { user } = (await invite("lou@example.org")).json<{ user: { id: string } }>();
    const { token } = await linkMailedTo("lou@example.org");

    const answer = await resetPassword(user.id, { mail: false });

    const { one_time_password: oneTimePassword } = answer.json<{ one_time_password: string }>();
    expect((await logIn(subject.server, "lou@example.org", oneTimePassword)).statusCode).toBe(200);
    expect((await ask(subject.server, ada, "GET", `/admin/users/${user.id}`)).json()).toMatchObject({ invited: false });
    expect((await choosePassword(token)).statusCode).toBe(400);
  });
});

describe("a reset of the password by mail", () => {
  test("takes the old password and the sessions away, asks for the second factor as before, and says who did it", async () => {
    const admin = await createAdmin(subject, "max@example.org");
    await giveSecondFactor(subject, admin.id);

    const answer = await resetPassword(admin.id);

    expect(answer.json()).toEqual({ one_time_password: null });
    expect((await logIn(subject.server, "max@example.org")).statusCode).toBe(401);
    expect((await ask(subject.server, admin, "GET", "/login/me")).statusCode).toBe(401);
    expect((await auditOfUser(subject, admin.id)).slice(-2)).toMatchObject([
      { event: "user_password_reset", actor_id: ada.id, details: { by: "mail" } },
      { event: "session_revoked", details: { reason: "password_reset" } },
    ]);
    const { path, token, text } = await linkMailedTo("max@example.org");
    expect(path).toBe("/login/reset");
    expect(text).toContain("An admin reset your password");

    expect((await choosePassword(token)).statusCode).toBe(204);
    expect(await rowOf(subject, admin.id)).toMatchObject({ totp_enabled: true, must_change_password: false });
    expect((await logIn(subject.server, "max@example.org")).json()).toMatchObject({ two_factor_required: true });
  });

  test("a one-time password can be had all the same; the owner is told", async () => {
    const member = await createMember(subject, ada, "nia@example.org");

    const answer = await resetPassword(member.id, { mail: false });

    expect(answer.json()).toEqual({ one_time_password: expect.any(String) });
    const { source } = await mailTo("nia@example.org");
    expect(source).toContain("changed by an admin");
    expect(source).not.toContain(answer.json<{ one_time_password: string }>().one_time_password);
  });
});
