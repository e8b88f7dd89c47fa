import { createHash } from "node:crypto";
import { generateURI } from "otplib";
import { v7 as uuidv7 } from "uuid";
import type { Owner } from "@sightline/foundation/http/principal";
import { findAccount, type Account } from "#accounts/account.store.ts";
import { confirmPassword } from "#accounts/confirm-password.ts";
import type { AccountDependencies } from "#accounts/create-account.ts";
import { appendAudit, auditAlone } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { PasswordAndCode, SetupAnswer } from "#contract.ts";
import { SealError, type Sealer } from "#keys/sealed-values.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";
import type { Queries, Transaction } from "#schema.ts";
import { isFreshLogin, requireFactor } from "#session/require-factor.ts";
import type { Sessions } from "#session/sessions.ts";
import type { Throttle } from "#throttle/throttle.ts";
import { lockSignedIn } from "#factors/kit/lock-signed-in.ts";
import { openTotpSecret } from "./sealed-secret.ts";
import type { CodeAttempt } from "#factors/kit/code-tries.ts";
import type { Codes } from "#factors/kit/codes.ts";
import type { SetupTickets } from "./setup-ticket.ts";
import { findTotp } from "./totp.store.ts";
import { makeTotpSecret } from "./totp-code.ts";
import { encode } from "uqr";

/** The white margin that the standard demands, in modules: with it scanners find the code on dark pages too. */
const QUIET_ZONE = 4;

/** Renders the text as a QR code: black on white, with a title for screen readers, one path, no script and no style. */
function renderQrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    "<title>QR code to scan with an authenticator app</title>",
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`,
    `<path fill="#000" d="${path}"/>`,
    "</svg>",
  ].join("");
}

export type SetupDependencies = AccountDependencies & {
  readonly throttle: Throttle;
  readonly codes: Codes;
  readonly tickets: SetupTickets;
  readonly sessions: Sessions;
  readonly sealer: Sealer;
  readonly notices: Notices;
  /** Steps around the current one whose codes are right. */
  readonly window: number;
};

export const SETUP_SECONDS = 600;
const ISSUER = "Sightline";

/**
 * Makes a secret and shows it. Nothing is stored: the ticket returns it. Where a passkey is the second factor already, a password sent
 * with the request is not read: it may not stand in for the passkey.
 *
 * @throws {AppError} 409 `already_enabled`, 403 `step_up_required`, `reauthentication_required` or `wrong_password`, 429 `too_many_tries`.
 */
export async function startSetup(dependencies: SetupDependencies, caller: Caller, password: string | undefined): Promise<SetupAnswer> {
  const { queries, clock } = dependencies;
  const account = await findOwnAccount(queries, caller);
  if (account.factors.includes("totp")) {
    throw refusal("already_enabled");
  }
  requireFactor(account, caller, clock.now());
  if (account.factors.length === 0) {
    await confirmLogin(dependencies, account, caller, password);
  }
  await auditAlone(queries, { ...ownAction(caller, clock.now()), event: "2fa_setup_started" });
  return issueTicket(dependencies, caller, account, undefined);
}

/** An owner without a second factor shows the password, unless the login just did. */
async function confirmLogin(
  dependencies: SetupDependencies,
  account: Account,
  caller: Caller,
  password: string | undefined,
): Promise<void> {
  if (password !== undefined) {
    await confirmPassword(dependencies, account, password, caller);
  } else if (!isFreshLogin(caller, dependencies.clock.now())) {
    throw refusal("reauthentication_required");
  }
}

/**
 * Makes a secret for an account that has one already; the old one stays valid until the new one's first code.
 *
 * @throws {AppError} 409 `not_enabled`, 403 `wrong_password` or `invalid_code`, 429 `too_many_tries`.
 */
export async function startReplacement(dependencies: SetupDependencies, caller: Caller, proof: PasswordAndCode): Promise<SetupAnswer> {
  const { sealer, clock } = dependencies;
  const { account, replaces } = await withPasswordAndCode(
    dependencies,
    caller,
    { ...proof, purpose: "replace" },
    async (transaction, owner) => {
      const found = await findTotp(transaction, caller.userId);
      await appendAudit(transaction, { ...ownAction(caller, clock.now()), event: "2fa_setup_started" });
      return { account: owner, replaces: fingerprintSecret(sealer, found?.envelope ?? "", caller.userId) };
    },
  );
  return issueTicket(dependencies, caller, account, replaces);
}

type PasswordCodeAttempt = PasswordAndCode & Pick<CodeAttempt, "purpose" | "prepare">;

/** Runs an action that takes the password and a code of an account that has an app. */
export async function withPasswordAndCode<Result>(
  dependencies: SetupDependencies,
  caller: Caller,
  { password, ...attempt }: PasswordCodeAttempt,
  action: (transaction: Transaction, account: Account) => Promise<Result>,
): Promise<Result> {
  const account = await findOwnAccount(dependencies.queries, caller);
  if (!account.factors.includes("totp")) {
    throw refusal("not_enabled");
  }
  await confirmPassword(dependencies, account, password, caller);
  return dependencies.codes.accept({ ...caller, ...attempt }, async (transaction) => {
    await lockSignedIn(transaction, account, caller.sessionId);
    return action(transaction, account);
  });
}

/**
 * Distinguishes secrets, whichever key they are sealed with. A secret whose key is lost is never sealed again, so its
 * envelope identifies it.
 */
export function fingerprintSecret(sealer: Sealer, sealed: string, userId: string): string {
  return createHash("sha256")
    .update(openOrKeep(sealer, sealed, userId))
    .digest("base64url");
}

function openOrKeep(sealer: Sealer, sealed: string, userId: string): string {
  try {
    return openTotpSecret(sealer, userId, sealed);
  } catch (error) {
    if (error instanceof SealError) {
      return sealed;
    }
    throw error;
  }
}

function issueTicket(
  { tickets, clock }: SetupDependencies,
  { userId, sessionId }: Owner,
  { email, epoch, factors }: Account,
  replaces: string | undefined,
): SetupAnswer {
  const secret = makeTotpSecret();
  const expiresAt = new Date(clock.now().getTime() + SETUP_SECONDS * 1000);
  const otpauthUrl = generateURI({ issuer: ISSUER, label: email, secret });
  return {
    secret,
    otpauth_url: otpauthUrl,
    qr_svg: renderQrCode(otpauthUrl),
    setup_token: tickets.seal({ id: uuidv7(), userId, sessionId, epoch, factors: [...factors], secret, replaces, expiresAt }),
    expires_in: SETUP_SECONDS,
  };
}

async function findOwnAccount(queries: Queries, { userId }: Owner): Promise<Account> {
  const account = await findAccount(queries, userId);
  if (account === undefined) {
    throw new Error("The account of a live session is gone.");
  }
  return account;
}
