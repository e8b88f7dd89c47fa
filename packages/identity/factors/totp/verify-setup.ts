import { isDeepStrictEqual } from "node:util";
import { AppError, orRefuse } from "@sightline/foundation/errors";
import { auditAlone } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { Factor } from "#contract.ts";
import type { Sealer } from "#keys/sealed-values.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { makeBackupCodes } from "#factors/backup-code/make-backup-codes.ts";
import type { Grant } from "#session/sessions.ts";
import { recordFactorChange } from "#factors/kit/record-change.ts";
import { sealTotpSecret } from "./sealed-secret.ts";
import { TOTP_AMR } from "./totp.ts";
import { setupExpired, type SetupTicket } from "./setup-ticket.ts";
import { claimSetupTicket, giveSetupTryBack, lockForSetup, reopenSetupTicket, storeSecondFactor, takeSetupTry } from "./setup.store.ts";
import { fingerprintSecret, type SetupDependencies } from "./start-setup.ts";
import { readTotpCode, stepOfCode, timeOfStep, STEP_SECONDS, stepAt } from "./totp-code.ts";

const STEPS = 10;

/**
 * Whether a refused code belongs to another time, up to five minutes away: then the device's clock is wrong, and the
 * message says so. Only for a secret that is being set up; such a code is never accepted.
 */
async function describeClockFault(secret: string, code: string, now: Date): Promise<string | undefined> {
  const step = await stepOfCode({ secret, code, now, window: STEPS });
  if (step === undefined) {
    return undefined;
  }
  const seconds = (step - stepAt(now)) * STEP_SECONDS;
  return `The code is of another time: your phone's clock is about ${Math.abs(seconds)} s ${seconds < 0 ? "slow" : "fast"}. Let the phone set its time automatically, then enter the code that it shows next.`;
}

const TRIES_PER_TICKET = 10;
const FINISHED = "This set-up was finished, or had ten wrong codes. Start it again, and scan the new QR code.";

/**
 * Switches a secret on by its first code: alone, or in place of the one before. Makes new backup codes either way,
 * since the old ones may have been stored on the lost device. Every session ends, and a new one that both factors opened takes the
 * caller's place.
 *
 * @returns the backup codes, which are shown once, and the new session.
 * @throws {AppError} 400 `setup_invalid`, `setup_expired` or `invalid_code`, 409 `already_enabled` or `not_enabled`.
 */
export async function verifySetup(
  dependencies: SetupDependencies,
  caller: Caller,
  request: { readonly code: string; readonly token: string | undefined },
): Promise<EnabledFactor> {
  const { queries, tickets, window, clock } = dependencies;
  const ticket = tickets.open(request.token, caller);
  const tries = await takeSetupTry(queries, ticket, TRIES_PER_TICKET);
  const triesLeft = TRIES_PER_TICKET - orRefuse(tries, () => setupExpired(FINISHED));
  try {
    const code = readTotpCode(request.code);
    const step = code === undefined ? undefined : await stepOfCode({ secret: ticket.secret, code, now: clock.now(), window });
    if (step === undefined) {
      return await refuseCode(dependencies, caller, { ticket, code, triesLeft });
    }
    return await finish(dependencies, caller, { ticket, step });
  } catch (error) {
    if (!(error instanceof AppError)) {
      await giveSetupTryBack(queries, ticket.id);
    }
    throw error;
  }
}

export type EnabledFactor = { readonly backupCodes: readonly string[]; readonly grant: Grant };

type Refusal = { readonly ticket: SetupTicket; readonly code: string | undefined; readonly triesLeft: number };

async function refuseCode({ queries, clock }: SetupDependencies, caller: Caller, { ticket, code, triesLeft }: Refusal): Promise<never> {
  const now = clock.now();
  const clockFault = code === undefined ? undefined : await describeClockFault(ticket.secret, code, now);
  const reason = clockFault === undefined ? "wrong_code" : "clock_off";
  await auditAlone(queries, { ...ownAction(caller, now), event: "2fa_setup_failed", details: { reason } });
  const advice = clockFault ?? "The code is wrong. Enter the six digits that the app shows for Sightline now.";
  const left = triesLeft > 0 ? ` Tries left: ${triesLeft}.` : " That was the last try: start the set-up again.";
  throw new AppError({ code: "invalid_code", status: 400, message: advice + left });
}

/** Claims the ticket first, so that of many concurrent requests only one hashes ten backup codes. */
async function finish(
  dependencies: SetupDependencies,
  caller: Caller,
  { ticket, step }: { readonly ticket: SetupTicket; readonly step: number },
): Promise<EnabledFactor> {
  const { queries, sessions, clock } = dependencies;
  if (!(await claimSetupTicket(queries, ticket.id, clock.now()))) {
    throw setupExpired(FINISHED);
  }
  try {
    const { codes, hashes } = await makeBackupCodes();
    const sessionId = await queries
      .transaction()
      .execute((transaction) => enable(transaction, dependencies, caller, { ticket, step, hashes }));
    return { backupCodes: codes, grant: await sessions.grant(sessionId) };
  } catch (error) {
    await reopenSetupTicket(queries, ticket.id);
    throw error;
  }
}

type VerifiedTicket = { readonly ticket: SetupTicket; readonly step: number; readonly hashes: readonly string[] };

async function enable(
  transaction: Transaction,
  dependencies: SetupDependencies,
  caller: Caller,
  { ticket, step, hashes }: VerifiedTicket,
): Promise<string> {
  const { sealer } = dependencies;
  const { userId } = caller;
  const account = orRefuse(await lockForSetup(transaction, ticket), () => refusal("setup_invalid"));
  refuseOutdated(ticket, account, sealer);
  await storeSecondFactor(transaction, {
    userId,
    sealedSecret: sealTotpSecret(sealer, userId, ticket.secret),
    backupCodes: hashes,
    step,
    stepAt: timeOfStep(step),
  });
  return recordFactorChange(transaction, dependencies, caller, {
    ...(ticket.replaces === undefined ? ENABLED : REPLACED),
    provedBy: TOTP_AMR,
  });
}

const ENABLED = { event: "2fa_enabled", notice: "two_factor_enabled" } as const;
const REPLACED = { event: "2fa_replaced", notice: "two_factor_replaced" } as const;

type AccountNow = { readonly totpSecret: string | null; readonly factors: readonly Factor[] };

/**
 * A ticket is valid for the state it was made in: no secret, or the same one that was then on, beside the same other factors. One
 * that was begun before the first passkey was there, by a password alone, may not be finished beside it.
 */
function refuseOutdated({ replaces, userId, ...ticket }: SetupTicket, account: AccountNow, sealer: Sealer): void {
  const { totpSecret, factors } = account;
  const isEnabled = factors.includes("totp");
  if (replaces === undefined && isEnabled) {
    throw refusal("already_enabled");
  }
  if (replaces !== undefined && !isEnabled) {
    throw refusal("not_enabled");
  }
  const isOtherSecret = replaces !== undefined && fingerprintSecret(sealer, totpSecret ?? "", userId) !== replaces;
  if (isOtherSecret || !isDeepStrictEqual(factors, ticket.factors)) {
    throw refusal("setup_invalid");
  }
}
