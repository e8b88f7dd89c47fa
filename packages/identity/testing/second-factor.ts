import { hash } from "@node-rs/argon2";
import { generateSync } from "otplib";
import { readConfig } from "@sightline/foundation/config";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { identityVariables } from "#config.ts";
import { createSealer } from "#keys/sealed-values.ts";
import { makeBackupCodes, type BackupCodes } from "#factors/backup-code/make-backup-codes.ts";
import { sealTotpSecret } from "#factors/totp/sealed-secret.ts";
import { makeTotpSecret } from "#factors/totp/totp-code.ts";
import { logIn, PASSWORD, SECRETS, type IdentityFixture } from "./identity-fixture.ts";

export type EnabledSecondFactor = {
  readonly userId: string;
  readonly tenantId: string;
  /** Base32, as an authenticator app is given it. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
};

let backupCodes: Promise<BackupCodes> | undefined;

/** Puts a sealed secret and ten backup codes into the account's row, as a finished setup does. Every account gets the same codes: hashing takes long. */
export async function enableSecondFactor(
  { database }: Pick<IdentityFixture, "database">,
  email: string,
  keyRing: string = SECRETS.ENCRYPTION_KEYS,
): Promise<EnabledSecondFactor> {
  backupCodes ??= makeBackupCodes();
  const { codes, hashes } = await backupCodes;
  const user = await database.query
    .selectFrom("identity.users")
    .select(["id", "tenant_id as tenantId"])
    .where("email", "=", email)
    .executeTakeFirstOrThrow();
  const secret = makeTotpSecret();
  const ring = readConfig({ ENCRYPTION_KEYS: identityVariables.ENCRYPTION_KEYS }, { ENCRYPTION_KEYS: keyRing }).ENCRYPTION_KEYS;
  await database.query
    .updateTable("identity.users")
    .set({
      totp_enabled: true,
      totp_secret: sealTotpSecret(createSealer(ring), user.id, secret),
      totp_backup_codes: [...hashes],
      totp_last_step: null,
      totp_last_used_at: null,
    })
    .where("id", "=", user.id)
    .execute();
  return { userId: user.id, tenantId: user.tenantId, secret, backupCodes: codes };
}

/** Every password hashed anew at the least cost, for tests of many logins whose subject is not the hash. */
export async function weakenPasswords({ database }: Pick<IdentityFixture, "database">, password: string = PASSWORD): Promise<void> {
  const password_hash = await hash(password, { memoryCost: 8, timeCost: 1 });
  await database.query.updateTable("identity.users").set({ password_hash }).execute();
}

/** The code that an authenticator app shows, so many seconds from now. */
export function codeOf(secret: string, clock: { readonly now: () => Date }, seconds = 0): string {
  return generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1000) + seconds });
}

/** A code of six digits that the app shows at no moment within six minutes of now. */
export function wrongCodeOf(secret: string, clock: { readonly now: () => Date }, salt = 0): string {
  const right = new Set(Array.from({ length: 25 }, (_, index) => codeOf(secret, clock, (index - 12) * 30)));
  for (let number = salt; ; number++) {
    const code = String(number % 1_000_000).padStart(6, "0");
    if (!right.has(code)) {
      return code;
    }
  }
}

/** The first step of a login with a second factor. */
export async function partialTokenOf(server: HttpServer, email: string, password?: string, ip?: string): Promise<string> {
  const answer = await logIn(server, email, password, ip);
  return answer.json<{ partial_token: string }>().partial_token;
}

/** The second step. */
export function verifyCode(server: HttpServer, partialToken: string, code: string, ip = "203.0.113.7") {
  return server.inject({
    method: "POST",
    url: "/login/verify-2fa",
    payload: { partial_token: partialToken, code },
    remoteAddress: ip,
  });
}

/** Both steps. A code is good once: move the clock on by 30 seconds before the next login. */
export async function accessTokenWithCodeOf(
  { server, clock }: Pick<IdentityFixture, "server" | "clock">,
  email: string,
  secret: string,
): Promise<string> {
  const answer = await verifyCode(server, await partialTokenOf(server, email), codeOf(secret, clock));
  return answer.json<{ access_token: string }>().access_token;
}
