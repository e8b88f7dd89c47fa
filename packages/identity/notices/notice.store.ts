import { sql } from "kysely";
import type { IdentitySchema, Queries } from "#schema.ts";

type NewNoticeRow = Pick<IdentitySchema["identity.notices"], "id" | "user_id" | "kind" | "at" | "sealed_link" | "shown" | "send_after"> & {
  readonly details: Readonly<Record<string, string>>;
};

/** One that is there already stays as it is. */
export async function insertNotice(queries: Queries, row: NewNoticeRow): Promise<void> {
  await queries
    .insertInto("identity.notices")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Lists the notices that a user has not read yet, newest first. */
export async function findUnreadNotices(queries: Queries, userId: string, limit: number) {
  return queries
    .selectFrom("identity.notices")
    .select(["id", "kind", "at", "details"])
    .where("user_id", "=", userId)
    .where("shown", "=", true)
    .where("read_at", "is", null)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** @returns whether the user has such a notice. */
export async function markRead(queries: Queries, id: string, userId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("identity.notices")
    .set((expression) => ({ read_at: expression.fn.coalesce("read_at", sql<Date>`${now}::timestamptz`) }))
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("shown", "=", true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Claims the notice that has been due longest, so that no other replica takes it before `leaseEnd`. When the process
 * that holds it dies, it is sent again then.
 */
export async function claimDueNotice(queries: Queries, { now, leaseEnd }: { readonly now: Date; readonly leaseEnd: Date }) {
  return queries
    .updateTable("identity.notices as notice")
    .from("identity.users as user")
    .set((expression) => ({ send_after: leaseEnd, tries: expression("notice.tries", "+", 1) }))
    .whereRef("user.id", "=", "notice.user_id")
    .where("notice.id", "=", (expression) =>
      expression
        .selectFrom("identity.notices")
        .select("id")
        .where("send_after", "<=", now)
        .orderBy("send_after")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning([
      "notice.id",
      "notice.kind",
      "notice.at",
      "notice.details",
      "notice.sealed_link as sealedLink",
      "notice.tries",
      "user.email",
    ])
    .executeTakeFirst();
}

export type ClaimedNotice = NonNullable<Awaited<ReturnType<typeof claimDueNotice>>>;

export async function markSent(queries: Queries, id: string, now: Date): Promise<void> {
  await queries
    .updateTable("identity.notices")
    .set({ sent_at: now, send_after: null, sealed_link: null, last_error: null })
    .where("id", "=", id)
    .execute();
}

/** Schedules the notice for `retryAt`, or never; unless another replica has claimed it meanwhile. */
export async function markFailed(
  queries: Queries,
  { id, tries }: ClaimedNotice,
  { reason, retryAt }: { readonly reason: string; readonly retryAt: Date | undefined },
): Promise<void> {
  await queries
    .updateTable("identity.notices")
    .set({ last_error: reason, send_after: retryAt ?? null, ...(retryAt === undefined ? { sealed_link: null } : {}) })
    .where("id", "=", id)
    .where("tries", "=", tries)
    .where("sent_at", "is", null)
    .execute();
}

export async function deleteNoticesBefore(queries: Queries, time: Date): Promise<void> {
  await queries.deleteFrom("identity.notices").where("at", "<", time).execute();
}
