import { sql } from "kysely";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { createLog } from "@sightline/foundation/log";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { raiseEpoch } from "#accounts/account.store.ts";
import type { Outbox } from "#notices/outbox.ts";
import { accessTokenOf, createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { startMailServer, textOf, type ReceivedMail, type TestMailServer } from "#testing/mail-server.ts";
import { createOutboxTo } from "#testing/outbox-fixture.ts";

const NEXT = "nine violet umbrellas";
const EMAIL = "ada@example.org";

let subject: IdentityFixture;
let mailServer: TestMailServer;
let outbox: Outbox;
const lines: string[] = [];

beforeAll(async () => {
  mailServer = await startMailServer();
  const log = createLog({ name: "test", level: "debug", destination: { write: (line) => void lines.push(line) } });
  subject = await createIdentityFixture({ log, environment: { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}` } });
  outbox = createOutboxTo(mailServer.port, { queries: subject.database.query, log, clock: subject.clock });
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await subject.database.query.deleteFrom("identity.throttles").execute();
  await subject.database.query.deleteFrom("identity.users").execute();
  await createAccount(subject.identity, EMAIL);
});

afterAll(async () => {
  await subject.close();
  await mailServer.close();
});

function post(url: string, payload: object, options: { readonly ip?: string; readonly headers?: Record<string, string> } = {}) {
  return subject.server.inject({
    method: "POST",
    url,
    payload,
    remoteAddress: options.ip ?? "203.0.113.7",
    headers: options.headers ?? {},
  });
}

function ask(email = EMAIL, ip?: string) {
  return post("/login/password-reset", { email }, ip === undefined ? {} : { ip });
}

function confirm(token: string, password = NEXT) {
  return post("/login/password-reset/confirm", { token, new_password: password });
}

/** The token of the mail that arrives. */
async function mailedToken(): Promise<string> {
  await ask();
  await outbox.sendDue();
  return tokenIn(mailServer.mails.at(-1));
}

function tokenIn(mail: ReceivedMail | undefined): string {
  return /\/login\/reset#token=([A-Za-z0-9_-]{43})\s/.exec(mail === undefined ? "" : textOf(mail))?.[1] ?? "";
}

async function userId(): Promise<string> {
  return (await subject.database.query.selectFrom("identity.users").select("id").where("email", "=", EMAIL).executeTakeFirstOrThrow()).id;
}

async function auditRows() {
  return subject.database.query.selectFrom("identity.audit").select(["event", "user_id", "details"]).orderBy("id", "desc").execute();
}

describe("GET /login/options", () => {
  test("tells whether passwords can be reset by mail, and who may register", async () => {
    const { server } = await subject.replica({ environment: { REGISTRATION: "open" } });

    expect((await subject.server.inject({ url: "/login/options" })).json()).toEqual({ password_reset: true, registration: "closed" });
    expect((await server.inject({ url: "/login/options" })).json()).toEqual({ password_reset: false, registration: "open" });
  });
});

describe("POST /login/password-reset", () => {
  test("answers alike, after the same time, whether there is such an account or not", async () => {
    await createAccount(subject.identity, "gone@example.org");
    await subject.database.query.deleteFrom("identity.notices").execute();
    await subject.database.query
      .updateTable("identity.users")
      .set({ disabled_at: subject.clock.now() })
      .where("email", "=", "gone@example.org")
      .execute();

    const answers = [];
    const times: number[] = [];
    for (const email of [EMAIL, "nobody@example.org", "gone@example.org", "not an address", "nul\0l"]) {
      const begun = performance.now();
      answers.push(await ask(email));
      times.push(performance.now() - begun);
    }

    const seen = answers.map(({ statusCode, body, headers }) => JSON.stringify([statusCode, body, headers["cache-control"]]));
    expect(new Set(seen)).toEqual(new Set(['[202,"null","no-store"]']));
    expect(Math.min(...times)).toBeGreaterThan(240);
    const mails = await subject.database.query.selectFrom("identity.notices").select(["user_id", "kind"]).execute();
    expect(mails).toEqual([{ user_id: await userId(), kind: "password_reset" }]);
    expect((await auditRows()).slice(0, 5).map(({ event, details }) => [event, details])).toEqual([
      ["user_password_reset_requested", { refused: "unknown_email" }],
      ["user_password_reset_requested", { refused: "unknown_email" }],
      ["user_password_reset_requested", { refused: "disabled" }],
      ["user_password_reset_requested", { refused: "unknown_email" }],
      ["user_password_reset_requested", {}],
    ]);
  });

  test(
    "three for an address from one place in an hour, thirty in all, twenty from a network in ten minutes; without an account alike",
    needsRealPostgres,
    async () => {
      const asked = async (requests: readonly ReturnType<typeof ask>[]) =>
        (await Promise.all(requests)).map(({ statusCode }) => statusCode).toSorted((one, other) => one - other);
      const accepted = (count: number) => Array.from({ length: count }, () => 202);
      for (const email of [EMAIL, "nobody@example.org"]) {
        const here = Array.from({ length: 4 }, () => ask(` ${email.toUpperCase()} `, "198.51.100.99"));
        expect(await asked(here)).toEqual([...accepted(3), 429]);
        const everywhere = Array.from({ length: 28 }, (_, index) => ask(email, `198.51.100.${index}`));
        expect(await asked(everywhere)).toEqual([...accepted(27), 429]);
      }
      const statuses = await asked(Array.from({ length: 22 }, (_, index) => ask(`nobody-${index}@example.org`, "192.0.2.7")));
      expect(statuses).toEqual([...accepted(20), 429, 429]);
    },
  );

  test("strangers who ask for resets do not use up those of the owner, who has some of their own on a known device", async () => {
    const known = await logIn(subject.server, EMAIL, PASSWORD, "203.0.113.9");
    const cookie = known.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    for (let index = 0; index < 5; index++) {
      await ask(EMAIL, `198.51.100.${index}`);
    }
    const elsewhere = await ask(EMAIL, "203.0.113.8");
    for (let index = 5; index < 40; index++) {
      await ask(EMAIL, `198.51.100.${index}`);
    }
    const onKnownDevice = await post("/login/password-reset", { email: EMAIL }, { ip: "198.51.100.1", headers: { cookie } });

    expect([elsewhere, onKnownDevice].map(({ statusCode }) => statusCode)).toEqual([202, 202]);
  });

  test("without a mail server says so, to everybody", async () => {
    const { server } = await subject.replica({ environment: { SMTP_URL: "" } });

    for (const email of [EMAIL, "nobody@example.org"]) {
      const answer = await server.inject({ method: "POST", url: "/login/password-reset", payload: { email } });
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([409, "mail_not_configured"]);
    }
  });

  test("is not for other sites", async () => {
    const headers = { origin: "https://evil.example.com", "sec-fetch-site": "cross-site" };

    expect((await post("/login/password-reset", { email: EMAIL }, { headers })).statusCode).toBe(403);
    expect((await post("/login/password-reset/confirm", { token: "x", new_password: NEXT }, { headers })).statusCode).toBe(403);
  });
});

describe("POST /login/password-reset/confirm", () => {
  test("sets the password that the mailed link's owner chose, ends every session and logs nobody in", async () => {
    const session = await accessTokenOf(subject.server, EMAIL);
    const token = await mailedToken();

    const answer = await confirm(token);

    expect([answer.statusCode, answer.body, answer.cookies]).toEqual([204, "", []]);
    const me = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${session}` } });
    expect(me.statusCode).toBe(401);
    expect((await logIn(subject.server, EMAIL, PASSWORD, "198.51.100.1")).statusCode).toBe(401);
    expect((await logIn(subject.server, EMAIL, NEXT)).statusCode).toBe(200);
    expect((await auditRows()).map(({ event, details }) => [event, details]).slice(2, 4)).toEqual([
      ["session_revoked", { reason: "password_changed" }],
      ["user_password_changed", { by: "password_reset" }],
    ]);
    const notices = await subject.database.query.selectFrom("identity.notices").select("kind").orderBy("id").execute();
    expect(notices.map(({ kind }) => kind)).toEqual(["password_reset", "password_changed"]);
    expect(lines.join("")).not.toContain(token);
    expect(await subject.identity.verifyAudit()).toMatchObject({ intact: true });
  });

  test("never skips the second factor, and leaves it as it is", async () => {
    const token = await mailedToken();
    const secondFactor = { totp_enabled: true, totp_secret: "v1.k1.a.b.c", totp_backup_codes: ["K7:$2b$10$x"] };
    await subject.database.query.updateTable("identity.users").set(secondFactor).where("email", "=", EMAIL).execute();

    expect((await confirm(token)).statusCode).toBe(204);

    const login = await logIn(subject.server, EMAIL, NEXT);
    expect(login.cookies).toEqual([]);
    expect(login.body).not.toContain("access_token");
    const row = await subject.database.query.selectFrom("identity.users").selectAll().where("email", "=", EMAIL).executeTakeFirst();
    expect(row).toMatchObject(secondFactor);
  });

  test("a link is good once, and takes all others with it", async () => {
    const first = await mailedToken();
    const second = await mailedToken();

    expect((await confirm(first)).statusCode).toBe(204);

    for (const token of [first, second]) {
      const again = await confirm(token, "ten golden teapots");
      expect([again.statusCode, again.json<{ error: string }>().error]).toEqual([400, "link_not_valid"]);
    }
    expect((await logIn(subject.server, EMAIL, NEXT)).statusCode).toBe(200);
  });

  test("of twenty at once with one link one succeeds", needsRealPostgres, async () => {
    const token = await mailedToken();
    const { server } = await subject.replica();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? subject.server : server).inject({
          method: "POST",
          url: "/login/password-reset/confirm",
          payload: { token, new_password: `${NEXT} ${index}` },
        }),
      ),
    );

    expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(19);
    const winner = answers.findIndex(({ statusCode }) => statusCode === 204);
    expect((await logIn(subject.server, EMAIL, `${NEXT} ${winner}`)).statusCode).toBe(200);
    const id = await userId();
    const changes = (await auditRows()).filter(({ event, user_id: whom }) => event === "user_password_changed" && whom === id);
    expect(changes).toHaveLength(1);
  });

  test.each([
    { when: "half an hour has passed", end: async () => subject.clock.forward(30 * 60) },
    {
      when: "the account is disabled",
      end: async () => void (await sql`update identity.users set disabled_at = now()`.execute(subject.database.query)),
    },
    {
      when: "what was issued before ends to count",
      end: async () => {
        const id = await userId();
        await subject.database.query.transaction().execute((transaction) => raiseEpoch(transaction, { id, now: subject.clock.now() }));
      },
    },
    {
      when: "its owner changed the password meanwhile",
      end: async () => {
        const authorization = `Bearer ${await accessTokenOf(subject.server, EMAIL)}`;
        const payload = { current_password: PASSWORD, new_password: "ten golden teapots" };
        expect((await post("/login/password", payload, { headers: { authorization } })).statusCode).toBe(200);
      },
    },
  ])("a link is over when $when", async ({ end }) => {
    const token = await mailedToken();
    await end();

    expect((await confirm(token)).statusCode).toBe(400);
    expect((await logIn(subject.server, EMAIL, NEXT)).statusCode).toBe(401);
  });

  test("a password that is refused leaves the link good", async () => {
    const token = await mailedToken();

    expect((await confirm(token, "Password123456")).json()).toMatchObject({ error: "password_too_common" });
    expect((await confirm(token, "short")).json()).toMatchObject({ error: "invalid_request" });
    expect((await confirm(token)).statusCode).toBe(204);
  });

  test("is asked thirty times in ten minutes at the most", async () => {
    const statuses = [];
    for (let round = 0; round < 31; round++) {
      statuses.push((await confirm(`guess-${round}`)).statusCode);
    }

    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([400]));
    expect(statuses[30]).toBe(429);
  });
});

test("a started replica mails what is due, until it is stopped", async () => {
  await ask();
  await subject.identity.start();
  await vi.waitUntil(() => mailServer.mails.length === 1, { timeout: 20_000 });
  await subject.identity.stop();

  expect(tokenIn(mailServer.mails[0])).toHaveLength(43);
});
