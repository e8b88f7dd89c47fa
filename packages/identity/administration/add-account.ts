import type { z } from "zod";
import { createAccount } from "#accounts/create-account.ts";
import { makeOneTimePassword } from "#accounts/one-time-password.ts";
import type { Caller } from "#audit/client.ts";
import type { createAccountRequestSchema } from "#contract.ts";
import { type AdministrationDependencies, refuseFormerAdmin } from "./act-on-account.ts";
import { mailLink, refuseWithoutMail } from "./mailed-link.ts";
import { lockAdministration } from "./managed-account.store.ts";

type AccountRequest = z.output<typeof createAccountRequestSchema>;

/**
 * Adds an account to the actor's tenant: with a one-time password, or invited by mail to choose a password.
 *
 * @throws {AppError} 409 `email_taken` (in any tenant: an address logs in to one account), 409 `mail_not_configured`.
 */
export async function addAccount(
  dependencies: AdministrationDependencies,
  actor: Caller,
  request: AccountRequest,
): Promise<{ readonly id: string; readonly oneTimePassword: string | undefined }> {
  const { email, name, role, invite } = request;
  if (invite) {
    refuseWithoutMail(dependencies, "Make the account without an invitation, and hand its one-time password over yourself.");
  }
  const oneTimePassword = invite ? undefined : makeOneTimePassword();
  const { tenantId, userId: actorId, sessionId, client } = actor;
  const created = await createAccount(dependencies, {
    email,
    name,
    password: oneTimePassword,
    mustChangePassword: true,
    origin: invite ? "invitation" : "admin",
    actor,
    client,
    decide: async (transaction) => {
      await lockAdministration(transaction, tenantId);
      await refuseFormerAdmin(transaction, actor);
      return { role, tenantId };
    },
    whenMade: async (transaction, { id: userId }, now) => {
      if (!invite) {
        return [];
      }
      await mailLink(dependencies, transaction, { userId, purpose: "invitation", now });
      return [{ event: "user_invited", at: now, userId, tenantId, actorId, sessionId, client }];
    },
  });
  if (created === undefined) {
    throw new Error("An account was decided on but not made.");
  }
  return { id: created.id, oneTimePassword };
}
