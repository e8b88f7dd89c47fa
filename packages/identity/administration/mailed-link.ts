import type { Transaction } from "kysely";
import { AppError } from "@sightline/foundation/errors";
import { createMailTicket } from "#recovery/mail-ticket.ts";
import type { IdentitySchema } from "#schema.ts";
import type { AdministrationDependencies } from "./dependencies.ts";

/** A link by which its owner chooses a password; goes out with the transaction. */
export async function mailLink(
  { notices, publicUrl }: AdministrationDependencies,
  transaction: Transaction<IdentitySchema>,
  request: { readonly userId: string; readonly purpose: "invitation" | "password_reset"; readonly now: Date },
): Promise<void> {
  const { userId, purpose, now } = request;
  const link = await createMailTicket(transaction, { userId, purpose, now, publicUrl });
  await notices.append(transaction, { userId, kind: purpose, at: now, details: { by: "admin" }, link });
}

/** @throws {AppError} 409 `mail_not_configured`. */
export function refuseWithoutMail({ mailed }: AdministrationDependencies, instead: string): void {
  if (!mailed) {
    throw new AppError({
      code: "mail_not_configured",
      status: 409,
      message: `This Sightline sends no mail: its operator sets SMTP_URL for that. ${instead}`,
    });
  }
}
