import {
  type PasswordAndCode,
  backupCodesAnswerSchema,
  secondFactorStatusSchema,
  setupAnswerSchema,
  verifySetupAnswerSchema,
} from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";
import { meQuery } from "./me.ts";
import { sessionsQuery } from "./sessions.ts";

const REFRESH_MS = 30_000;

/** The query is for admins: members have no second factor. */
export const secondFactorQuery = queryOptions({
  queryKey: ["second factor"],
  queryFn: answerTo(identity.get("/admin/2fa", { answer: secondFactorStatusSchema })),
  refetchInterval: REFRESH_MS,
});

/**
 * Asks for a secret. When the login was a while ago it takes the password (403 `reauthentication_required`), or, where the account has a
 * passkey, a step-up (403 `step_up_required`).
 */
export const startSetup = (password: string | undefined) =>
  identity.post("/admin/2fa/setup", { answer: setupAnswerSchema, ...(password === undefined ? {} : { body: { password } }) });

/** Asks for a secret in place of the one in use, which goes on working until the new one's first code. */
export const startReplacement = (proof: PasswordAndCode) => identity.post("/admin/2fa/replace", { body: proof, answer: setupAnswerSchema });

/** The first code of a new secret switches it on; the answer is the backup codes, and a session in place of this one. */
export const verifySetup = (code: string, setupToken: string) =>
  identity.post("/admin/2fa/verify-setup", {
    body: { code, setup_token: setupToken },
    answer: verifySetupAnswerSchema,
  });

export const makeBackupCodes = (proof: PasswordAndCode) =>
  identity.post("/admin/2fa/backup-codes", { body: proof, answer: backupCodesAnswerSchema });

export const disableSecondFactor = (proof: PasswordAndCode) => identity.post("/admin/2fa/disable", { body: proof });

/** What a change of it makes out of date: it also ends the other sessions. */
export const SECURITY_KEYS = [secondFactorQuery.queryKey, meQuery.queryKey, sessionsQuery.queryKey];
