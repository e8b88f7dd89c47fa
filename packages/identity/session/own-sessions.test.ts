import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sessionsSchema } from "#contract.ts";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import {
  cookieOf,
  createAccount,
  createIdentityFixture,
  logIn,
  PASSWORD,
  refresh,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";

const ADA = "ada@example.org";
const EVE = "eve@example.org";

let subject: IdentityFixture;

type LoggedIn = { readonly token: string; readonly cookie: string; readonly id: string };

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, ADA);
  await createAccount(subject.identity, EVE);
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.sessions").execute();
});

afterAll(() => subject.close());

async function loggedIn(email = ADA, ip?: string): Promise<LoggedIn> {
  const answer = await logIn(subject.server, email, PASSWORD, ip);
  const { access_token: token } = answer.json<{ access_token: string }>();
  return { token, cookie: cookieOf(answer), id: String(decodeJwt(token)["sid"]) };
}

function list({ token }: LoggedIn) {
  return subject.server.inject({ url: "/login/sessions", headers: { authorization: `Bearer ${token}` } });
}

function revoke({ token }: LoggedIn, id = "", server: HttpServer = subject.server) {
  return server.inject({
    method: "DELETE",
    url: `/login/sessions${id === "" ? "" : `/${id}`}`,
    headers: { authorization: `Bearer ${token}` },
  });
}

/** Only sessions of this test count: those of earlier tests are gone. */
function revocations() {
  return subject.database.query
    .selectFrom("identity.audit")
    .selectAll()
    .where("event", "=", "session_revoked")
    .where("session_id", "in", (query) => query.selectFrom("identity.sessions as session").select("session.id"))
    .orderBy("id")
    .execute();
}

async function addPartialToken(id: string): Promise<void> {
  const { user_id: userId } = await subject.database.query
    .selectFrom("identity.sessions")
    .select("user_id")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const now = subject.clock.now();
  await subject.database.query
    .insertInto("identity.partial_tokens")
    .values({
      token_hash: Buffer.from(randomUUID()),
      user_id: userId,
      epoch: 1,
      ip: "203.0.113.7",
      user_agent: null,
      authenticated_at: now,
      expires_at: new Date(now.getTime() + 300_000),
    })
    .execute();
}

describe("GET /login/sessions", () => {
  test("shows one's own sessions with where and how they began, the asking one marked, and nobody else's", async () => {
    const other = await loggedIn(ADA, "198.51.100.4");
    const mine = await loggedIn();
    await loggedIn(EVE);

    const answer = await list(mine);

    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const { sessions } = sessionsSchema.parse(answer.json());
    expect(new Set(sessions.map(({ id }) => id))).toEqual(new Set([mine.id, other.id]));
    expect(sessions.filter(({ current }) => current).map(({ id }) => id)).toEqual([mine.id]);
    expect(sessions.find(({ id }) => id === other.id)).toMatchObject({ ip: "198.51.100.4", amr: ["pwd"] });
    expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual(Object.keys(sessionsSchema.shape.sessions.element.shape).toSorted());
  });

  test("the last used is first, and neither revoked nor idle ones are shown", async () => {
    await loggedIn();
    subject.clock.forward(11 * 3600);
    const [used, ended] = [await loggedIn(), await loggedIn()];
    subject.clock.forward(2 * 3600);
    const asking = await loggedIn();
    await revoke(asking, ended.id);
    subject.clock.forward(60);
    await refresh(subject.server, used.cookie);

    const { sessions } = sessionsSchema.parse((await list(asking)).json());

    expect(sessions.map(({ id }) => id)).toEqual([used.id, asking.id]);
  });
});

describe("DELETE /login/sessions/:id", () => {
  test("ends a session: its refresh cookie and its access token are refused at once, and who did it is in the audit", async () => {
    const stolen = await loggedIn(ADA, "198.51.100.66");
    const mine = await loggedIn();

    const answer = await revoke(mine, stolen.id);

    expect(answer.statusCode).toBe(204);
    expect(answer.body).toBe("");
    expect((await refresh(subject.server, stolen.cookie)).statusCode).toBe(401);
    expect((await list(stolen)).statusCode).toBe(401);
    expect((await list(mine)).statusCode).toBe(200);
    const { sub } = decodeJwt(mine.token);
    expect(await revocations()).toMatchObject([
      { session_id: stolen.id, user_id: sub, actor_id: sub, ip: "127.0.0.1", details: { reason: "revoked" } },
    ]);
  });

  test("someone else's session is not found, goes on, and looks the same as one that never was", async () => {
    const mine = await loggedIn();
    const hers = await loggedIn(EVE);

    const answers = [await revoke(mine, hers.id), await revoke(mine, randomUUID())];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
    expect(answers[0]?.json()).toEqual(answers[1]?.json());
    expect((await list(hers)).statusCode).toBe(200);
    expect(await revocations()).toEqual([]);
    expect((await revoke(mine, "not-an-id")).statusCode).toBe(400);
  });

  test("the current session can be ended too", async () => {
    const mine = await loggedIn();
    expect((await revoke(mine, mine.id)).statusCode).toBe(204);
    expect((await list(mine)).statusCode).toBe(401);
  });

  test("twenty at once over two replicas end it once, with one audit row", needsRealPostgres, async () => {
    const other = await loggedIn();
    const mine = await loggedIn();
    const { server } = await subject.replica();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => revoke(mine, other.id, index % 2 === 0 ? server : subject.server)),
    );

    expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 404)).toHaveLength(19);
    expect(await revocations()).toHaveLength(1);
  });
});

describe("DELETE /login/sessions", () => {
  test("ends all others and the logins that wait for their second step, and keeps the asking session and other people's", async () => {
    const others = [await loggedIn(), await loggedIn()];
    const mine = await loggedIn();
    const hers = await loggedIn(EVE);
    await addPartialToken(mine.id);
    await addPartialToken(hers.id);

    const answer = await revoke(mine);

    expect(answer.json()).toEqual({ revoked: 2 });
    for (const { cookie } of others) {
      expect((await refresh(subject.server, cookie)).statusCode).toBe(401);
    }
    expect((await list(mine)).statusCode).toBe(200);
    expect((await list(hers)).statusCode).toBe(200);
    const waiting = await subject.database.query.selectFrom("identity.partial_tokens").select("user_id").execute();
    expect(waiting).toEqual([{ user_id: decodeJwt(hers.token).sub }]);
    expect(new Set((await revocations()).map(({ session_id: id }) => id))).toEqual(new Set(others.map(({ id }) => id)));
    expect((await revoke(mine)).json()).toEqual({ revoked: 0 });
  });

  test("without a session nothing is told or ended", async () => {
    for (const method of ["GET", "DELETE"] as const) {
      expect((await subject.server.inject({ method, url: "/login/sessions" })).statusCode).toBe(401);
    }
  });
});
