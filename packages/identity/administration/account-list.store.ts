import { isAlike } from "@sightline/foundation/database/fold-case";
import { likeContaining } from "@sightline/foundation/patterns";
import { foldEmail, storableText } from "#accounts/account.store.ts";
import { sql } from "kysely";
import type { Queries, Role } from "#schema.ts";
import { INVITED, PASSKEYS } from "#account-facts.ts";

const POSITION = "user.folded_email";

/** An account as admins see it. */
export type ListedAccount = NonNullable<Awaited<ReturnType<typeof findListedAccount>>>;

type AccountFilter = {
  readonly tenantId: string;
  readonly search: string | undefined;
  readonly role: Role | undefined;
  /** The `position` of the last account of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly now: Date;
};

/** Sorted by e-mail address, which never changes, so that an account keeps its place while others come and go. */
export async function listAccounts(queries: Queries, { tenantId, search, role, after, limit, now }: AccountFilter) {
  return selectListed(queries, now)
    .where("user.tenant_id", "=", tenantId)
    .$if(role !== undefined, (query) => query.where("user.role", "=", role ?? "member"))
    .$if(search !== undefined, (query) => {
      const pattern = likeContaining(storableText(search ?? ""));
      return query.where((expression) =>
        expression.or([
          isAlike(sql.ref("user.name"), pattern),
          expression(POSITION, "like", likeContaining(storableText(foldEmail(search ?? "")))),
        ]),
      );
    })
    .$if(after !== undefined, (query) => query.where(POSITION, ">", storableText(after ?? "")))
    .orderBy(POSITION)
    .limit(limit)
    .execute();
}

export async function findListedAccount(queries: Queries, { id, tenantId }: { readonly id: string; readonly tenantId: string }, now: Date) {
  return selectListed(queries, now).where("user.id", "=", id).where("user.tenant_id", "=", tenantId).executeTakeFirst();
}

function selectListed(queries: Queries, now: Date) {
  return queries
    .selectFrom("identity.users as user")
    .leftJoin("identity.waiting_actions as waiting", (join) =>
      join.onRef("waiting.user_id", "=", "user.id").on("waiting.expires_at", ">", now),
    )
    .leftJoin("identity.users as asker", "asker.id", "waiting.asked_by")
    .select([
      "user.id",
      "user.email",
      "user.name",
      "user.role",
      "user.created_at",
      "user.disabled_at",
      "user.last_login_at",
      "user.totp_enabled",
      PASSKEYS.as("passkeys"),
      "user.must_change_password",
      INVITED,
      "waiting.action as waitingAction",
      "waiting.asked_by as askedBy",
      "asker.email as askedByEmail",
      "waiting.reason as waitingReason",
      "waiting.expires_at as waitingUntil",
      // The key that the list is sorted by.
      `${POSITION} as position`,
    ]);
}
