import { expect, test } from "vitest";
import { createLog } from "@sightline/foundation/log";
import { createAccount, createIdentityFixture, cookieOf, logIn, PASSWORD, refresh, SECRETS } from "./testing/identity-fixture.ts";

test("no password, token, cookie or key is in a log line, in an error's body or in the audit, whatever happens", async () => {
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "debug", destination: { write: (line) => void lines.push(line) } });
  const subject = await createIdentityFixture({ log, environment: { PUBLIC_URL: "http://sightline.lan:3000" } });
  const { server, identity, database } = subject;
  const bodies: string[] = [];
  const keep = async <Answer extends { body: string }>(answer: Promise<Answer>): Promise<Answer> => {
    const kept = await answer;
    bodies.push(kept.body);
    return kept;
  };
  const next = "nine violet umbrellas";

  await identity.start();
  const { oneTimePassword = "" } = (await identity.ensureFirstAdmin()) ?? {};
  await createAccount(identity, "ada@example.org");
  const login = await logIn(server, "ada@example.org");
  const { access_token: token } = login.json<{ access_token: string }>();
  const authorization = `Bearer ${token}`;
  const refreshed = await refresh(server, cookieOf(login));

  await keep(logIn(server, "ada@example.org", "wrong-but-secret-password"));
  await keep(logIn(server, "typed-my-password-here-by-mistake", PASSWORD));
  await keep(server.inject({ method: "POST", url: "/login/access-token", payload: `{"email":"ada@example.org","password":"${PASSWORD}"` }));
  await keep(server.inject({ method: "POST", url: "/login/access-token", payload: { email: 1, password: PASSWORD } }));
  await keep(server.inject({ method: "POST", url: "/api/v1/auth/register", payload: { email: "x", password: PASSWORD, name: "x" } }));
  const change = { current_password: "wrong-but-secret-password", new_password: next };
  await keep(server.inject({ method: "POST", url: "/login/password", headers: { authorization }, payload: change }));
  await keep(server.inject({ url: "/login/me", headers: { authorization: `${authorization}x` } }));
  subject.clock.forward(60);
  await keep(refresh(server, cookieOf(login)));
  await server.inject({ method: "POST", url: "/logout", headers: { cookie: cookieOf(refreshed) } });
  // An error of the database names the statement that failed.
  await database.query.schema.alterTable("identity.sessions").renameTo("sessions_gone").execute();
  expect((await keep(logIn(server, "ada@example.org", PASSWORD, "203.0.113.80"))).statusCode).toBe(500);
  expect((await keep(server.inject({ url: "/login/me", headers: { authorization } }))).statusCode).toBe(500);

  const hashes = await database.query.selectFrom("identity.users").select("password_hash").execute();
  const keys = await database.query.selectFrom("identity.signing_keys").select("private_key").execute();
  const audit = JSON.stringify(await database.query.selectFrom("identity.audit").selectAll().execute());
  const secrets = [
    PASSWORD,
    next,
    oneTimePassword,
    "wrong-but-secret-password",
    "typed-my-password-here-by-mistake",
    token,
    token.split(".")[2] ?? "",
    ...[login, refreshed].map((answer) => cookieOf(answer).split("=")[1] ?? ""),
    SECRETS.SECRET_KEY,
    "ring-secret-of-the-tests",
    ...hashes.map(({ password_hash: hash }) => hash),
    ...keys.map(({ private_key: key }) => key),
    "PRIVATE KEY",
  ];
  const written = [...lines, ...bodies, audit].join("\n");
  expect(lines.some((line) => line.includes("PUBLIC_URL has no TLS"))).toBe(true);
  expect(lines.some((line) => line.includes("a request failed"))).toBe(true);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8);
    expect(written).not.toContain(secret);
  }
  expect(bodies.join("\n")).not.toMatch(/sessions_gone|select |insert /);
  await subject.close();
});
