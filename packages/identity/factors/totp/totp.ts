import { IS_SET_UP } from "#account-facts.ts";
import type { Clock } from "@sightline/foundation/clock";
import type { SecondFactorStatus } from "#contract.ts";
import { findBackupCodes } from "#factors/backup-code/backup-codes.store.ts";
import { RefusedCode, type CodeKind } from "#factors/kit/code-kind.ts";
import { forgetAllFailures, readPool } from "#factors/kit/code-tries.store.ts";
import type { FactorKind } from "#factors/kit/factor.ts";
import { DAY, findBlocks } from "#factors/kit/lockout.ts";
import type { Sealer } from "#keys/sealed-values.ts";
import { openTotpSecret, sealTotpSecret } from "./sealed-secret.ts";
import { wipeSecondFactor } from "./setup.store.ts";
import { readTotpCode, stepOfCode, timeOfStep } from "./totp-code.ts";
import { consumeStep, findTotp, replaceEnvelope } from "./totp.store.ts";

/** The code of an app beside what was shown before, by its names in RFC 8176. */
export const TOTP_AMR: readonly string[] = ["otp", "mfa"];

/** How tries of it are counted. */
export const TOTP: Pick<CodeKind, "method" | "limits"> = {
  method: "totp",
  limits: {
    rolling: [
      { tries: 20, seconds: DAY },
      { tries: 100, seconds: 30 * DAY },
    ],
    inARow: true,
  },
};

/** An authenticator app, with the backup codes that stand in for it. */
export const totpFactor: FactorKind<SecondFactorStatus> = {
  isSetUp: IS_SET_UP.totp,
  describe: async (queries, userId, now) => {
    const found = await findTotp(queries, userId);
    const [block] = found === undefined ? [] : findBlocks(TOTP.limits, await readPool(queries, userId, TOTP, now), now);
    const suspended = block?.reason === "suspended";
    return {
      totp_enabled: found !== undefined,
      backup_codes_remaining: (await findBackupCodes(queries, userId)).length,
      totp_last_used_at: found?.lastUsedAt?.toISOString() ?? null,
      locked_until: block === undefined || suspended ? null : block.until.toISOString(),
      suspended,
    };
  },
  missing: "code_required",
  remove: async (transaction, userId) => {
    await wipeSecondFactor(transaction, userId);
    await forgetAllFailures(transaction, userId);
  },
};

type Dependencies = {
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** TOTP_WINDOW */
  readonly window: number;
};

/** Codes of an authenticator app. */
export function createTotpCodes({ sealer, clock, window }: Dependencies): CodeKind {
  return {
    ...TOTP,
    isSetUp: totpFactor.isSetUp,
    amr: TOTP_AMR,
    words: {
      form: "the app's have six digits",
      wrong:
        "The code is wrong or was used before. Wait for the next one, see that the clock of your phone is right, or use a backup code.",
      instead: "use a backup code",
      suspended:
        "Too many wrong codes: codes of the authenticator app are no longer looked at. Use a backup code, or ask another admin to reset your second factor.",
    },
    read: readTotpCode,
    evaluate: async (queries, userId, code) => {
      const found = await findTotp(queries, userId);
      const secret = found === undefined ? undefined : openTotpSecret(sealer, userId, found.envelope);
      const step = secret === undefined ? undefined : await stepOfCode({ secret, code, now: clock.now(), window });
      if (found === undefined || step === undefined) {
        throw new RefusedCode("wrong_code");
      }
      if (found.lastStep !== null && step <= found.lastStep) {
        throw new RefusedCode("code_replayed");
      }
      return async (transaction) => {
        const envelope = await consumeStep(transaction, userId, step, timeOfStep(step));
        if (envelope === undefined) {
          throw new RefusedCode("code_replayed");
        }
        // An envelope that was sealed again meanwhile holds the same secret.
        const now = openTotpSecret(sealer, userId, envelope);
        if (now !== secret) {
          throw new RefusedCode("wrong_code");
        }
        if (!sealer.isCurrent(envelope)) {
          await replaceEnvelope(transaction, userId, envelope, sealTotpSecret(sealer, userId, now));
        }
      };
    },
  };
}
