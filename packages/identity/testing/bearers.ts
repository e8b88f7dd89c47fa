import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { accessTokenOf, cookieOf, createAccount, logIn, PASSWORD, type IdentityFixture } from "./identity-fixture.ts";
import { addPasskey, logInByPasskey, post, stepUpByPasskey } from "./passkeys.ts";
import { codeOf, enableSecondFactor, partialTokenOf, verifyCode } from "./second-factor.ts";
import type { SoftwarePasskey } from "./software-authenticator.ts";

/** The second factors of an account. */
export const FACTORS = ["no second factor", "a passkey", "an app", "a passkey and an app"] as const;
/** The credentials of it that somebody holds. */
export const PROOFS = ["an old session", "a fresh session", "a stepped-up session", "a partial token"] as const;

export type Bearer = {
  readonly factors: (typeof FACTORS)[number];
  readonly proof: (typeof PROOFS)[number];
  readonly id: string;
  readonly email: string;
  /** The access token, or the partial one. */
  readonly token: string;
  readonly sessionId: string;
  /** The refresh cookie. */
  readonly cookie: string;
  readonly passkey: { readonly id: string; readonly passkey: SoftwarePasskey } | undefined;
  /** A code of the app that counts; of an account without one just six digits. */
  readonly code: () => Promise<string>;
};

export const hasPasskey = ({ factors }: Pick<Bearer, "factors">): boolean => factors.startsWith("a passkey");
export const hasApp = ({ factors }: Pick<Bearer, "factors">): boolean => factors.endsWith("an app");

export const hasFactor = (bearer: Pick<Bearer, "factors">): boolean => hasPasskey(bearer) || hasApp(bearer);

/** An admin with these factors, logged in twice with all of them; the last login is what the bearer holds. */
export async function makeBearer(
  subject: IdentityFixture,
  factors: Bearer["factors"],
  proof: Bearer["proof"] = "an old session",
): Promise<Bearer> {
  const { server, identity, database, clock } = subject;
  const email = `${randomUUID()}@example.org`;
  await createAccount(identity, email);
  const passkey = hasPasskey({ factors }) ? await addPasskey(server, await accessTokenOf(server, email)) : undefined;
  const app = hasApp({ factors }) ? await enableSecondFactor(subject, email) : undefined;
  /** Makes a code count once more: the clock stands still, so that a fresh session stays one. */
  async function code(): Promise<string> {
    await database.query.updateTable("identity.users").set({ totp_last_step: null }).where("email", "=", email).execute();
    return app === undefined ? "000000" : codeOf(app.secret, clock);
  }
  async function logInFully() {
    if (passkey !== undefined) {
      return logInByPasskey(server, passkey.passkey);
    }
    return app === undefined ? logIn(server, email) : verifyCode(server, await partialTokenOf(server, email), await code());
  }
  await logInFully();
  const login = await logInFully();
  const { access_token: token } = login.json<{ access_token: string }>();
  const { sub: id = "", sid: sessionId } = decodeJwt<{ sid: string }>(token);
  const bearer = { factors, proof, id, email, token, sessionId, cookie: cookieOf(login), passkey, code };
  if (proof !== "a fresh session") {
    await age(subject, id);
  }
  if (proof === "a stepped-up session") {
    await stepUp(subject, bearer);
  }
  return proof === "a partial token" ? { ...bearer, token: await partialTokenOf(server, email) } : bearer;
}

/** The account's logins are half an hour ago. */
async function age({ database, clock }: IdentityFixture, userId: string): Promise<void> {
  await database.query
    .updateTable("identity.sessions")
    .set({ authenticated_at: new Date(clock.now().getTime() - 1_800_000) })
    .where("user_id", "=", userId)
    .execute();
}

async function stepUp({ server }: IdentityFixture, bearer: Bearer): Promise<void> {
  const proof = { password: PASSWORD, ...(hasApp(bearer) ? { code: await bearer.code() } : {}) };
  const answer =
    bearer.passkey === undefined
      ? await post(server, "/step-up", proof, bearer.token)
      : await stepUpByPasskey(server, bearer.token, bearer.passkey.passkey);
  if (answer.statusCode !== 200) {
    throw new Error(`no step-up: ${answer.body}`);
  }
}

/** Reads what opens an account, each as it is stored. */
export async function credentialsOf({ database: { query } }: IdentityFixture, userId: string) {
  const user = await query
    .selectFrom("identity.users")
    .select(["password_hash", "must_change_password", "totp_secret", "totp_backup_codes"])
    .where("id", "=", userId)
    .executeTakeFirst();
  const passkeys = await query.selectFrom("identity.passkeys").select(["id", "name"]).where("user_id", "=", userId).orderBy("id").execute();
  const sessions = query
    .selectFrom("identity.sessions")
    .select(["id", "authenticated_at", "step_up_until"])
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .orderBy("id");
  const grants = query.selectFrom("identity.oauth_grants").select("id").where("user_id", "=", userId).orderBy("id");
  return {
    password: [user?.password_hash, user?.must_change_password],
    factors: [user?.totp_secret, user?.totp_backup_codes, passkeys],
    sessions: await sessions.execute(),
    grants: await grants.execute(),
  };
}

type Credentials = Awaited<ReturnType<typeof credentialsOf>>;

/** Which of them are others than before. */
export function changesBetween(before: Credentials, after: Credentials): readonly string[] {
  const told = Object.entries(after).map(([name, value]) => [name, JSON.stringify(value)]);
  const were = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  return told.filter(([name = "", value]) => were.get(name) !== value).map(([name = ""]) => name);
}
