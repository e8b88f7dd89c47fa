import { decodeJwt } from "jose";
import { readConfig } from "@sightline/foundation/config";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { insertAccount } from "#accounts/account.store.ts";
import { NO_PASSWORD } from "#accounts/password-hash.ts";
import { identityVariables } from "#config.ts";
import { createSealer } from "#keys/sealed-values.ts";
import { createSigningKeys } from "#keys/signing-keys.ts";
import { createAccessTokens } from "#session/access-token.ts";
import { createRefreshTokens } from "#session/refresh-token.ts";
import { createSessions } from "#session/sessions.ts";
import { accessTokenOf, PASSWORD, SECRETS, type IdentityFixture } from "./identity-fixture.ts";

/** Someone signed in, whose session has shown password and code again. */
export type Person = {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly sessionId: string;
};

/** An admin of the tenant, which is made if there is none. */
export async function createAdmin(subject: IdentityFixture, email: string, tenantName = "default"): Promise<Person> {
  await subject.identity.ensureTenant(tenantName);
  await subject.identity.createAdmin({ email, name: "Ada", password: PASSWORD, tenantName });
  return signIn(subject, email);
}

/** So many of the tenant `default`, without a password to hash and verify for each. */
export async function createAdmins(subject: IdentityFixture, count: number): Promise<readonly Person[]> {
  const { database, clock, identity } = subject;
  const queries = database.query;
  const { id: tenantId } = await identity.ensureTenant("default");
  const sealer = createSealer(readConfig(identityVariables, { DATABASE_URL: database.url, ...SECRETS }).ENCRYPTION_KEYS);
  const accessTokens = createAccessTokens({ keys: createSigningKeys({ queries, sealer, clock }), issuer: "http://localhost:3000", clock });
  const sessions = createSessions({ queries, accessTokens, refreshTokens: createRefreshTokens(SECRETS.SECRET_KEY), clock });

  const people: Person[] = [];
  for (let index = 0; index < count; index++) {
    const email = `admin-${index}@example.org`;
    const sessionId = await queries.transaction().execute(async (transaction) => {
      const now = clock.now();
      const made = {
        tenant_id: tenantId,
        email,
        name: "Ada",
        role: "admin",
        password_hash: NO_PASSWORD,
        must_change_password: false,
      } as const;
      const { id: userId = "" } = (await insertAccount(transaction, made, now)) ?? {};
      const client = { ip: "203.0.113.7", userAgent: undefined };
      return sessions.open(transaction, { userId, amr: ["pwd"], authenticatedAt: now, client });
    });
    people.push(await personOf(subject, email, (await sessions.grant(sessionId)).answer.access_token));
  }
  return people;
}

export async function signIn(subject: IdentityFixture, email: string, password: string = PASSWORD): Promise<Person> {
  return personOf(subject, email, await accessTokenOf(subject.server, email, password));
}

/** A member made by `admin`, who has chosen the usual password. */
export async function createMember(subject: IdentityFixture, admin: Person, email: string): Promise<Person> {
  const made = await ask(subject.server, admin, "POST", "/admin/users", { email, name: "Mem" });
  const { one_time_password: oneTimePassword } = made.json<{ one_time_password: string }>();
  const token = await accessTokenOf(subject.server, email, oneTimePassword);
  const changed = await ask(subject.server, { token }, "POST", "/login/password", {
    current_password: oneTimePassword,
    new_password: PASSWORD,
  });
  return personOf(subject, email, changed.json<{ access_token: string }>().access_token);
}

export function ask(
  server: HttpServer,
  { token }: Pick<Person, "token">,
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  url: string,
  payload?: object,
) {
  return server.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload === undefined ? {} : { payload }) });
}

async function personOf(subject: IdentityFixture, email: string, token: string): Promise<Person> {
  const { sub: id = "", sid: sessionId } = decodeJwt<{ sid: string }>(token);
  await stepUp(subject, sessionId);
  return { id, email, token, sessionId };
}

async function stepUp({ database, clock }: IdentityFixture, sessionId: string): Promise<void> {
  await database.query
    .updateTable("identity.sessions")
    .set({ step_up_until: new Date(clock.now().getTime() + 600_000) })
    .where("id", "=", sessionId)
    .execute();
}

/** A second factor as it is stored; no code opens it. */
export async function giveSecondFactor({ database, clock }: IdentityFixture, userId: string): Promise<void> {
  const now = clock.now();
  await database.query
    .updateTable("identity.users")
    .set({
      totp_enabled: true,
      totp_secret: "v1.k1.a.b.c",
      totp_backup_codes: ["K7:$2b$10$x"],
      totp_last_step: 1,
      totp_last_used_at: now,
    })
    .where("id", "=", userId)
    .execute();
  await database.query
    .insertInto("identity.second_factor_counters")
    .values({ user_id: userId, pool: "totp", in_a_row: 100, locked_until: now, suspended: true })
    .execute();
  await database.query
    .insertInto("identity.second_factor_tries")
    .values({ id: crypto.randomUUID(), user_id: userId, pool: "totp", at: now })
    .execute();
}

/** Lists the audit of a user without logins, oldest first. */
export async function auditOfUser({ database }: IdentityFixture, userId: string) {
  return database.query
    .selectFrom("identity.audit")
    .select(["event", "actor_id", "session_id", "details"])
    .where("user_id", "=", userId)
    .where("event", "not in", ["login_ok", "login_failed"])
    .orderBy("id")
    .execute();
}

export async function rowOf({ database }: IdentityFixture, userId: string) {
  return database.query.selectFrom("identity.users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
}
