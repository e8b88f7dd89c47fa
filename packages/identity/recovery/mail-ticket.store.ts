import { sql } from "kysely";
import type { IdentitySchema, Queries, Transaction } from "#schema.ts";

export type MailTicketPurpose = IdentitySchema["identity.mail_tickets"]["purpose"];

type NewMailTicket = {
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly purpose: MailTicketPurpose;
  readonly now: Date;
  readonly expiresAt: Date;
};

/** Inserts a ticket with the account's present epoch. */
export async function insertMailTicket(transaction: Transaction, ticket: NewMailTicket): Promise<void> {
  await transaction
    .insertInto("identity.mail_tickets")
    .columns(["token_hash", "user_id", "purpose", "epoch", "created_at", "expires_at"])
    .expression((query) =>
      query
        .selectFrom("identity.users")
        .select([
          sql<Buffer>`${ticket.tokenHash}::bytea`.as("token_hash"),
          "id",
          sql<MailTicketPurpose>`${ticket.purpose}::text`.as("purpose"),
          "epoch",
          sql<Date>`${ticket.now}::timestamptz`.as("created_at"),
          sql<Date>`${ticket.expiresAt}::timestamptz`.as("expires_at"),
        ])
        .where("id", "=", ticket.userId),
    )
    .execute();
}

export type MailTicket = NonNullable<Awaited<ReturnType<typeof findMailTicket>>>;

/** Finds the account that a link opens while the link is valid. */
export async function findMailTicket(queries: Queries, tokenHash: Buffer, now: Date) {
  return queries
    .selectFrom("identity.mail_tickets as ticket")
    .innerJoin("identity.users as user", (join) =>
      join.onRef("user.id", "=", "ticket.user_id").onRef("user.epoch", "=", "ticket.epoch").on("user.disabled_at", "is", null),
    )
    .select(["ticket.purpose", "ticket.epoch", "user.id as userId", "user.tenant_id as tenantId", "user.email"])
    .where("ticket.token_hash", "=", tokenHash)
    .where("ticket.expires_at", ">", now)
    .executeTakeFirst();
}

/** Locks the account if it still is as it was when the link was found; false when it has changed since. */
export async function lockTicketOwner(transaction: Transaction, { userId, epoch }: MailTicket): Promise<boolean> {
  const row = await transaction
    .selectFrom("identity.users")
    .select("id")
    .where("id", "=", userId)
    .where("epoch", "=", epoch)
    .where("disabled_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses the link up; of many concurrent requests only one succeeds. */
export async function takeMailTicket(transaction: Transaction, tokenHash: Buffer, now: Date): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("identity.mail_tickets")
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteMailTicketsOf(transaction: Transaction, userId: string): Promise<void> {
  await transaction.deleteFrom("identity.mail_tickets").where("user_id", "=", userId).execute();
}

export async function deleteExpiredMailTickets(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.mail_tickets").where("expires_at", "<=", now).execute();
}
