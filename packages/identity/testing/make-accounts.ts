import { generateSync } from "otplib";
import { v7 as uuidv7 } from "uuid";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createPasswordHasher } from "#accounts/password-hash.ts";
import { createSealer } from "#keys/sealed-values.ts";
import type { IdentitySchema } from "#schema.ts";
import { makeBackupCodes } from "#factors/backup-code/make-backup-codes.ts";
import { sealTotpSecret } from "#factors/totp/sealed-secret.ts";
import { makeTotpSecret, STEP_SECONDS, stepAt } from "#factors/totp/totp-code.ts";

/**
 * Puts admins with a second factor into a migrated database, for benchmarks. Arguments: the database's address, a key of
 * its ring as `id:secret`, the password of all of them, how many.
 * Prints `{firstStep, stepSeconds, accounts: [{email, codes}]}`: codes of the app for the half hour from now on, by step.
 */
const [url = "", key = "", password = "", count = "1"] = process.argv.slice(2);
const STEPS = 60;

const database = createDatabase<IdentitySchema>({ url, poolSize: 1, applicationName: "make-accounts", log: silentLog });
const [id = "", secret = ""] = key.split(":");
const sealer = createSealer([{ id, secret }]);
const passwordHash = await createPasswordHasher().hash(password);
const { hashes } = await makeBackupCodes();
const tenant = await database.query.selectFrom("identity.tenants").select("id").executeTakeFirstOrThrow();
const now = new Date();
const firstStep = stepAt(now) - 1;

const accounts = Array.from({ length: Number(count) }, () => ({ id: uuidv7(), secret: makeTotpSecret() }));
await database.query
  .insertInto("identity.users")
  .values(
    accounts.map((account) => ({
      id: account.id,
      tenant_id: tenant.id,
      email: `${account.id}@example.org`,
      folded_email: `${account.id}@example.org`,
      name: "Bench",
      role: "admin" as const,
      password_hash: passwordHash,
      password_changed_at: now,
      must_change_password: false,
      disabled_at: null,
      totp_secret: sealTotpSecret(sealer, account.id, account.secret),
      totp_enabled: true,
      totp_backup_codes: [...hashes],
      totp_last_used_at: null,
      totp_last_step: null,
      epoch_raised_at: null,
      last_login_at: null,
      created_at: now,
    })),
  )
  .execute();
await database.close();

const made = accounts.map((account) => ({
  email: `${account.id}@example.org`,
  codes: Array.from({ length: STEPS }, (_, index) => generateSync({ secret: account.secret, epoch: (firstStep + index) * STEP_SECONDS })),
}));
process.stdout.write(JSON.stringify({ firstStep, stepSeconds: STEP_SECONDS, accounts: made }));
