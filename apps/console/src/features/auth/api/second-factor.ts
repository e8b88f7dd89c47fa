import {
  type PasswordAndCode,
  type SecondFactorStatus,
  type SetupAnswer,
  backupCodesAnswerSchema,
  secondFactorStatusSchema,
  setupAnswerSchema,
  verifySetupAnswerSchema,
} from "@sightline/identity/contract";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";
import { meQuery } from "./me.ts";
import { sessionsQuery } from "./sessions.ts";

const REFRESH_MS = 30_000;

/** Of an admin; nobody else has a second factor. */
export function secondFactorQuery(api: Api) {
  return queryOptions({
    queryKey: ["second factor"],
    queryFn: ({ signal }): Promise<SecondFactorStatus> =>
      api.request({ part: "identity", path: "/admin/2fa", answer: secondFactorStatusSchema, signal }),
    refetchInterval: REFRESH_MS,
  });
}

/** Asks for a secret. The password is needed when the login was a while ago: 403 `reauthentication_required`. */
export function startSetup(api: Api, password: string | undefined): Promise<SetupAnswer> {
  return api.request({
    part: "identity",
    method: "POST",
    path: "/admin/2fa/setup",
    answer: setupAnswerSchema,
    ...(password === undefined ? {} : { body: { password } }),
  });
}

/** Asks for a secret in place of the one in use, which goes on working until the new one's first code. */
export function startReplacement(api: Api, proof: PasswordAndCode): Promise<SetupAnswer> {
  return api.request({ part: "identity", method: "POST", path: "/admin/2fa/replace", body: proof, answer: setupAnswerSchema });
}

/** The first code of a new secret switches it on; the answer is the backup codes. */
export async function verifySetup(api: Api, code: string, setupToken: string): Promise<readonly string[]> {
  const { backup_codes: codes } = await api.request({
    part: "identity",
    method: "POST",
    path: "/admin/2fa/verify-setup",
    body: { code, setup_token: setupToken },
    answer: verifySetupAnswerSchema,
  });
  return codes;
}

export async function makeBackupCodes(api: Api, proof: PasswordAndCode): Promise<readonly string[]> {
  const { backup_codes: codes } = await api.request({
    part: "identity",
    method: "POST",
    path: "/admin/2fa/backup-codes",
    body: proof,
    answer: backupCodesAnswerSchema,
  });
  return codes;
}

export async function disableSecondFactor(api: Api, proof: PasswordAndCode): Promise<void> {
  await api.request({ part: "identity", method: "POST", path: "/admin/2fa/disable", body: proof, answer: z.unknown() });
}

/** After a change, which also ends the other sessions. */
export async function refreshSecurity(api: Api, queries: QueryClient): Promise<void> {
  await Promise.all(
    [secondFactorQuery(api), meQuery(api), sessionsQuery(api)].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
  );
}
