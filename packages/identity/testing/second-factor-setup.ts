import { decodeJwt } from "jose";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { createSealer, type Sealer } from "#keys/sealed-values.ts";
import { codeAt } from "./authenticator.ts";
import { accessTokenOf, createAccount, SECRETS, type IdentityFixture } from "./identity-fixture.ts";

type Shown = { readonly secret: string; readonly otpauth_url: string; readonly qr_svg: string; readonly setup_token: string };

/** An admin who has logged in: the access token. */
export async function signedIn({ identity, server }: IdentityFixture, email: string): Promise<string> {
  await createAccount(identity, email);
  return accessTokenOf(server, email);
}

/** A call with an access token. */
export function call(server: HttpServer, token: string, path: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}` };
  return payload === undefined
    ? server.inject({ method: "POST", url: path, headers })
    : server.inject({ method: "POST", url: path, headers, payload });
}

/** The row of the user whose access token it is. */
export function userOf({ database }: IdentityFixture, token: string) {
  return database.query
    .selectFrom("identity.users")
    .selectAll()
    .where("id", "=", decodeJwt(token).sub ?? "")
    .executeTakeFirstOrThrow();
}

/** Begins a set-up and answers what was shown. */
export async function beginSetup(server: HttpServer, token: string): Promise<Shown> {
  const answer = await call(server, token, "/admin/2fa/setup");
  if (answer.statusCode !== 200) {
    throw new Error(`the set-up did not begin: ${answer.body}`);
  }
  return answer.json<Shown>();
}

/** Switches the second factor on, as its owner would; the session is a new one then. */
export async function setUpSecondFactor(
  { server, clock }: IdentityFixture,
  token: string,
): Promise<{ readonly secret: string; readonly backupCodes: readonly string[]; readonly token: string }> {
  const { secret, setup_token } = await beginSetup(server, token);
  const answer = await call(server, token, "/admin/2fa/verify-setup", { code: codeAt(secret, clock.now()), setup_token });
  if (answer.statusCode !== 200) {
    throw new Error(`the set-up did not end: ${answer.body}`);
  }
  const { backup_codes: backupCodes, access_token } = answer.json<{ backup_codes: string[]; access_token: string }>();
  return { secret, backupCodes, token: access_token };
}

/** Seals and opens as the server does. */
export function ringUnderTest(): Sealer {
  const [id = "", secret = ""] = SECRETS.ENCRYPTION_KEYS.split(":");
  return createSealer([{ id, secret }]);
}

/** The secret of a user's row. */
export function openSecret({ id, totp_secret }: { readonly id: string; readonly totp_secret: string | null }): string {
  return ringUnderTest()
    .open(totp_secret ?? "", { purpose: "users.totp_secret", subject: id })
    .toString();
}
