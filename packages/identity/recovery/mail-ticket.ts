import { createHash, randomBytes } from "node:crypto";
import type { Transaction } from "#schema.ts";
import { insertMailTicket, type MailTicketPurpose } from "./mail-ticket.store.ts";

type TicketRequest = {
  readonly userId: string;
  readonly purpose: MailTicketPurpose;
  readonly now: Date;
  /** PUBLIC_URL */
  readonly publicUrl: string;
};

const TOKEN_BYTES = 32;

/** How long a mailed link is valid, and which page of the console it opens. */
const LINKS: Readonly<Record<MailTicketPurpose, { readonly seconds: number; readonly path: string }>> = {
  password_reset: { seconds: 30 * 60, path: "/login/reset" },
  invitation: { seconds: 7 * 24 * 3600, path: "/login/invitation" },
};

/**
 * Makes a link that sets a password once: valid for 30 minutes, or for 7 days when it is an invitation. It becomes
 * invalid when the account's epoch rises, so raise the epoch first where both are done. The token stands in the
 * fragment, which browsers send to no server; only its hash is stored.
 *
 * @example
 * const link = await createMailTicket(transaction, { userId, purpose: "invitation", now, publicUrl });
 * await notices.append(transaction, { userId, kind: "invitation", at: now, link });
 */
export async function createMailTicket(transaction: Transaction, { userId, purpose, now, publicUrl }: TicketRequest): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const { seconds, path } = LINKS[purpose];
  await insertMailTicket(transaction, {
    tokenHash: hashTicketToken(token),
    userId,
    purpose,
    now,
    expiresAt: new Date(now.getTime() + seconds * 1000),
  });
  return `${publicUrl}${path}#token=${token}`;
}

export function hashTicketToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
