import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { auditOf, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture();
});

afterEach(() => subject.close());

function register(payload: object, server = subject.server) {
  return server.inject({ method: "POST", url: "/api/v1/auth/register", payload });
}

const ada = { email: "ada@example.org", password: PASSWORD, name: "Ada" };

describe("POST /api/v1/auth/register", () => {
  test("the first account of all is an admin of the tenant default, and can log in", async () => {
    const answer = await register(ada);

    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({
      id: expect.any(String),
      email: "ada@example.org",
      name: "Ada",
      role: "admin",
      created_at: subject.clock.now().toISOString(),
    });
    expect(await subject.identity.listTenants()).toMatchObject([{ name: "default" }]);
    expect((await logIn(subject.server, "ada@example.org")).statusCode).toBe(200);
    expect(await auditOf(subject)).toEqual(["user_created", "login_ok"]);
  });

  test.each([
    ["admin@localhost", "ADMIN@LocalHost "],
    ["J\u00dcrgen@b\u00fccher.test", "ju\u0308rgen@B\u00dcCHER.test"],
  ])("%s is an address, and its account is found however it is typed", async (email, typed) => {
    expect((await register({ ...ada, email })).statusCode).toBe(201);
    expect((await logIn(subject.server, typed)).statusCode).toBe(200);
  });

  test.each([
    "nobody",
    "a@b@c",
    "a b@example.org",
    "a,b@example.org",
    "<a@example.org>",
    "a\u200b@example.org",
    "a@example.org\r\nBcc: b@c",
  ])("%j is no address", async (email) => {
    expect((await register({ ...ada, email })).statusCode).toBe(400);
  });

  test("a Turkish \u0130 is no i", async () => {
    expect((await register({ ...ada, email: "b\u0130a@example.org" })).statusCode).toBe(201);
    expect((await logIn(subject.server, "B\u0130A@example.org")).statusCode).toBe(200);
    expect((await logIn(subject.server, "bia@example.org")).statusCode).toBe(401);
  });

  test("after it registration is closed, for a taken address too", async () => {
    await register(ada);

    for (const email of ["eve@example.org", "ada@example.org"]) {
      const answer = await register({ ...ada, email });
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ error: "registration_closed" });
    }
  });

  test("with REGISTRATION=open everyone after the first becomes a member", async () => {
    const { server } = await subject.replica({ environment: { REGISTRATION: "open" } });
    await register(ada, server);

    const answer = await register({ ...ada, email: "eve@example.org" }, server);

    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ role: "member" });
  });

  test("an address that has an account, in any case of its letters, is answered like a new one; its owner is told instead", async () => {
    const { server, identity } = await subject.replica({ environment: { REGISTRATION: "open" } });
    await register(ada, server);
    const eve = await register({ ...ada, email: "eve@example.org" }, server);

    const again = await register({ ...ada, email: "ADA@example.org", password: "nine violet umbrellas", name: "Mallory" }, server);

    expect([again.statusCode, Object.keys(again.json())]).toEqual([eve.statusCode, Object.keys(eve.json())]);
    expect(again.json()).toMatchObject({ email: "ADA@example.org", name: "Mallory", role: "member" });
    expect((await logIn(server, ada.email, "nine violet umbrellas")).statusCode).toBe(401);
    expect((await logIn(server, ada.email)).statusCode).toBe(200);
    const notices = await subject.database.query.selectFrom("identity.notices").select("kind").execute();
    expect(notices).toEqual([{ kind: "registration_repeated" }]);
    expect(await auditOf(subject)).toContain("user_registration_repeated");
    expect(await identity.verifyAudit()).toMatchObject({ intact: true });
  });

  test("of twenty at once on an empty system, over two replicas, exactly one becomes admin", needsRealPostgres, async () => {
    const { server: other } = await subject.replica();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        register({ ...ada, email: `racer-${index}@example.org` }, index % 2 === 0 ? subject.server : other),
      ),
    );

    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 403)).toHaveLength(19);
    expect(await subject.database.query.selectFrom("identity.users").select("role").execute()).toEqual([{ role: "admin" }]);
  });

  test("of twenty at once with open registration, one is admin and nineteen are members", needsRealPostgres, async () => {
    const { server } = await subject.replica({ environment: { REGISTRATION: "open" } });

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => register({ ...ada, email: `racer-${index}@example.org` }, server)),
    );

    const roles = answers.map((answer) => answer.json<{ role: string }>().role);
    expect(roles.toSorted()).toEqual(["admin", ...Array.from({ length: 19 }, () => "member")]);
  });

  test("twenty at once with one address make one account", needsRealPostgres, async () => {
    const { server } = await subject.replica({ environment: { REGISTRATION: "open" } });

    const answers = await Promise.all(Array.from({ length: 20 }, () => register(ada, server)));

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 20 }, () => 201));
    expect((await auditOf(subject)).filter((event) => event === "user_created")).toHaveLength(1);
  });

  test.each([
    { wrong: "no address", body: { ...ada, email: "ada" }, error: "invalid_request" },
    { wrong: "11 characters", body: { ...ada, password: "elevenchars" }, error: "invalid_request" },
    { wrong: "257 characters", body: { ...ada, password: "xyz".repeat(86) }, error: "invalid_request" },
    { wrong: "a password of the most common", body: { ...ada, password: "qwertyuiop123" }, error: "password_too_common" },
    { wrong: "the address as password", body: { ...ada, password: "ada@example.org" }, error: "password_too_common" },
    { wrong: "one pattern repeated", body: { ...ada, password: "abcabcabcabcabc" }, error: "password_too_common" },
    { wrong: "no name", body: { ...ada, name: "  " }, error: "invalid_request" },
    { wrong: "a name with control characters", body: { ...ada, name: "Ada\0" }, error: "invalid_request" },
  ])("$wrong makes no account", async ({ body, error }) => {
    const answer = await register(body);

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error });
    expect(answer.body).not.toContain(body.password);
    expect(await subject.database.query.selectFrom("identity.users").select("id").execute()).toEqual([]);
  });

  test("the fifty-first from one address within ten minutes has to wait", async () => {
    for (let round = 0; round < 50; round++) {
      await register({ ...ada, email: "ada@example.org", password: "Password123456" });
    }

    const answer = await register(ada);

    expect(answer.statusCode).toBe(429);
    expect(answer.headers["retry-after"]).toBe("600");
    subject.clock.forward(600);
    expect((await register(ada)).statusCode).toBe(201);
  });
});
