import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { nameInFeed } from "@sightline/foundation/http/credential-epochs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { appendAudit } from "#audit/audit.store.ts";
import { accessTokenOf, createAccount, createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let token: string;

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, "ada@example.org");
});

beforeEach(async () => {
  await subject.database.query.updateTable("identity.users").set({ epoch_raised_at: null }).execute();
  await subject.database.query.deleteFrom("identity.sessions").execute();
  subject.clock.forward(10);
  token = await accessTokenOf(subject.server, "ada@example.org");
});

afterAll(() => subject.close());

async function feed(): Promise<string> {
  const answer = await subject.server.inject({ url: "/.well-known/credential-epochs" });
  expect(answer.statusCode).toBe(200);
  return answer.body;
}

async function revokeOwn(): Promise<string> {
  const id = String(decodeJwt(token)["sid"]);
  await subject.server.inject({ method: "DELETE", url: `/login/sessions/${id}`, headers: { authorization: `Bearer ${token}` } });
  return id;
}

test("GET /.well-known/credential-epochs is signed by the published key, under a type of its own, and may be cached for seconds", async () => {
  const answer = await subject.server.inject({ url: "/.well-known/credential-epochs" });
  const jwks = (await subject.server.inject({ url: "/.well-known/jwks.json" })).json<Parameters<typeof createLocalJWKSet>[0]>();

  expect(answer.headers["cache-control"]).toBe("public, max-age=5");
  expect(answer.headers["content-type"]).toContain("application/jwt");
  expect(decodeProtectedHeader(answer.body)).toMatchObject({ alg: "RS256", typ: "epochs+jwt" });
  const { payload } = await jwtVerify(answer.body, createLocalJWKSet(jwks), {
    typ: "epochs+jwt",
    issuer: "http://localhost:3000",
    currentDate: subject.clock.now(),
  });
  expect(payload).toMatchObject({ epochs: {}, sessions: [] });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
});

test("a revoked session is told of until the last of its access tokens is over", async () => {
  const id = await revokeOwn();

  expect(decodeJwt(await feed())["sessions"]).toEqual([nameInFeed(id)]);
  subject.clock.forward(3600 + 60);
  expect(decodeJwt(await feed())["sessions"]).toEqual([nameInFeed(id)]);
  subject.clock.forward(61);
  expect(decodeJwt(await feed())["sessions"]).toEqual([]);
});

test("a raised epoch is told of until the last access token of the one before is over", async () => {
  const { sub = "" } = decodeJwt(token);
  const now = subject.clock.now();
  await subject.database.query.updateTable("identity.users").set({ epoch: 7, epoch_raised_at: now }).where("id", "=", sub).execute();

  expect(decodeJwt(await feed())["epochs"]).toEqual({ [nameInFeed(sub)]: 7 });
  subject.clock.forward(3600 + 121);
  expect(decodeJwt(await feed())["epochs"]).toEqual({});
});

test("a deleted account is told of, although no row of it is left", async () => {
  await createAccount(subject.identity, "bob@example.org");
  const gone = decodeJwt(await accessTokenOf(subject.server, "bob@example.org")).sub ?? "";
  await subject.database.query.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("identity.users").where("id", "=", gone).execute();
    await appendAudit(transaction, { event: "user_deleted", at: subject.clock.now(), userId: gone });
  });

  expect(decodeJwt(await feed())["epochs"]).toEqual({ [nameInFeed(gone)]: 2 ** 31 });
});

test("it tells nobody an id, and no more than which tokens ended", async () => {
  const id = await revokeOwn();
  expect(Buffer.from(await feed(), "base64").toString()).not.toContain(id);
  expect(Object.keys(decodeJwt(await feed())).toSorted()).toEqual(["epochs", "exp", "iat", "iss", "sessions"]);
});

test("many who ask at once cost one signature, and five seconds later there is a new one", async () => {
  const feeds = new Set(await Promise.all(Array.from({ length: 20 }, feed)));
  expect(feeds.size).toBe(1);
  subject.clock.forward(6);
  expect(feeds).not.toContain(await feed());
});
