import { z } from "zod";
import type { Clock } from "@sightline/foundation/clock";
import { factorSchema } from "#contract.ts";
import { SealError, type Sealer } from "#keys/sealed-values.ts";
import { refusal } from "#refusals.ts";
import { AppError } from "@sightline/foundation/errors";

/** A secret that was shown and is stored nowhere: it returns sealed, from the client that it was shown to. */
const ticketSchema = z.object({
  /** The id by which tries are counted and the ticket is used up. */
  id: z.uuid(),
  userId: z.uuid(),
  sessionId: z.uuid(),
  /** The epoch of the account's credentials. */
  epoch: z.int(),
  /** The second factors that the account had, one of which was shown then. A ticket of an older version does not say so. */
  factors: z.array(factorSchema).default([]),
  secret: z.string(),
  /** The fingerprint of the secret that is replaced; undefined when the second factor is off. */
  replaces: z.string().optional(),
  expiresAt: z.coerce.date(),
});
export type SetupTicket = Readonly<z.infer<typeof ticketSchema>>;

export type SetupTickets = ReturnType<typeof createSetupTickets>;

const PURPOSE = "2fa.setup_ticket";

export function createSetupTickets({ sealer, clock }: { readonly sealer: Sealer; readonly clock: Clock }) {
  return {
    seal: (ticket: SetupTicket): string => sealer.seal(Buffer.from(JSON.stringify(ticket)), { purpose: PURPOSE, subject: ticket.userId }),
    /**
     * Opens what `seal` made for this user and session.
     *
     * @throws {AppError} 400 `setup_invalid` or `setup_expired`.
     */
    open: (token: string | undefined, { userId, sessionId }: Pick<SetupTicket, "userId" | "sessionId">): SetupTicket => {
      const ticket = token === undefined ? undefined : unseal(sealer, token, userId);
      if (ticket === undefined || ticket.userId !== userId || ticket.sessionId !== sessionId) {
        throw refusal("setup_invalid");
      }
      if (ticket.expiresAt <= clock.now()) {
        throw setupExpired("The set-up has taken more than ten minutes. Start it again, and scan the new QR code.");
      }
      return ticket;
    },
  };
}

function unseal(sealer: Sealer, token: string, subject: string): SetupTicket | undefined {
  try {
    return ticketSchema.parse(JSON.parse(sealer.open(token, { purpose: PURPOSE, subject }).toString()));
  } catch (error) {
    if (error instanceof SealError) {
      return undefined;
    }
    throw error;
  }
}

export function setupExpired(message: string): AppError {
  return new AppError({ code: "setup_expired", status: 400, message });
}
