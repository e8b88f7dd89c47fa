import type { FastifyReply } from "fastify";
import type { Clock } from "@sightline/foundation/clock";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { SSO } from "./authentication-methods.ts";
import type { TokenCookie } from "./cookies.ts";
import type { KnownDevices, PresentedDevice } from "./known-devices.ts";
import { findSsoRequirement, setLastLogin } from "./session.store.ts";
import { linkPerson, type NamedPerson } from "./sso-link.store.ts";
import type { Grant, Sessions } from "./sessions.ts";

export type FullLoginDependencies = { readonly sessions: Sessions; readonly devices: KnownDevices; readonly clock: Clock };

/** A login: its account, how it was proved, and from where it came. */
export type FullLogin = {
  readonly userId: string;
  readonly tenantId: string;
  readonly amr: readonly string[];
  readonly authenticatedAt: Date;
  readonly client: Client;
  readonly presented: PresentedDevice;
  readonly details?: Readonly<Record<string, string>>;
  /** The person that the company's provider named, where it did: from now on that is this account. */
  readonly named?: NamedPerson | undefined;
};

/** A login whose transaction has yet to commit; `grantLogin` turns it into tokens then. */
export type OpenedLogin = { readonly sessionId: string; readonly deviceToken: string };

/** The session's tokens, and the one by which the browser is known from now on. */
export type LoginGrant = Grant & { readonly deviceToken: string };

/**
 * Opens a session once everything was proved that the account asks for, and makes the browser known to the account.
 *
 * @throws {AppError} 403 `sso_required` when the organization demands company sign-in, and this was none.
 */
export async function openFullLogin(
  transaction: Transaction,
  { sessions, devices, clock }: FullLoginDependencies,
  { presented, details = {}, named, ...login }: FullLogin,
): Promise<OpenedLogin> {
  const { userId, tenantId, client } = login;
  const now = clock.now();
  const requirement = login.amr.includes(SSO) ? undefined : await findSsoRequirement(transaction, userId);
  if (requirement?.isDemanded === true && !requirement.isBreakGlass) {
    throw refusal("sso_required");
  }
  const isNewLink = named !== undefined && (await linkPerson(transaction, { tenantId, userId, ...named }, now));
  const sessionId = await sessions.open(transaction, login);
  const deviceToken = await devices.remember(transaction, userId, presented);
  await setLastLogin(transaction, userId, now);
  const by = { at: now, userId, actorId: userId, tenantId, sessionId, client };
  const linked = isNewLink ? [{ ...by, event: "sso_linked" as const, details: named }] : [];
  const emergency = requirement?.isDemanded === true ? [{ ...by, event: "break_glass_used" as const }] : [];
  await appendAudit(transaction, ...linked, { ...by, event: "login_ok", details }, ...emergency);
  return { sessionId, deviceToken };
}

export async function grantLogin({ sessions }: Pick<FullLoginDependencies, "sessions">, opened: OpenedLogin): Promise<LoginGrant> {
  return { ...(await sessions.grant(opened.sessionId)), deviceToken: opened.deviceToken };
}

export function setLoginCookies(
  { cookie, devices }: { readonly cookie: TokenCookie; readonly devices: KnownDevices },
  reply: FastifyReply,
  grant: LoginGrant,
): void {
  cookie.set(reply, grant.refreshToken, grant.refreshMaxAgeSeconds);
  devices.setCookie(reply, grant.deviceToken);
}
