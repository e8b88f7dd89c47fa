import { IS_SET_UP } from "#account-facts.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { RefusedCode, type CodeKind } from "#factors/kit/code-kind.ts";
import { DAY, MINUTE } from "#factors/kit/lockout.ts";
import { findBackupCode, readBackupCode } from "./make-backup-codes.ts";
import { consumeBackupCode, findBackupCodes } from "./backup-codes.store.ts";

/** Backup codes, each of which stands in for the authenticator app once. */
export const backupCodes: CodeKind = {
  method: "backup_code",
  isSetUp: IS_SET_UP.totp,
  amr: ["backup", "mfa"],
  limits: {
    rolling: [
      { tries: 5, seconds: 15 * MINUTE },
      { tries: 20, seconds: DAY },
    ],
    inARow: false,
  },
  words: {
    form: "backup codes sixteen letters and digits",
    wrong: "The backup code is wrong or was used before. Try another one, or a code of the app.",
    instead: "use a code of the authenticator app",
  },
  read: readBackupCode,
  evaluate: async (queries, userId, code) => {
    const hash = await findBackupCode(await findBackupCodes(queries, userId), code);
    if (hash === undefined) {
      throw new RefusedCode("wrong_code");
    }
    return async (transaction) => {
      if (!(await consumeBackupCode(transaction, userId, hash))) {
        throw new RefusedCode("code_replayed");
      }
    };
  },
  recordUse: async (transaction, notices, { attempt: { userId, client }, event }) => {
    const remaining = String((await findBackupCodes(transaction, userId)).length);
    await notices.append(transaction, { userId, kind: "backup_code_used", at: event.at, details: { remaining, ip: client.ip } });
    await appendAudit(transaction, { ...event, event: "backup_code_used", details: { ...event.details, remaining } });
  },
};
