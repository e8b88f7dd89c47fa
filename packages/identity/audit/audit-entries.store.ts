import type { ExpressionBuilder } from "kysely";
import type { IdentitySchema, Queries } from "#schema.ts";

/** Selects the rows that an admin may see: those of the tenant, narrowed down. */
export type AuditFilter = {
  readonly tenantId: string;
  readonly events?: readonly string[] | undefined;
  /** The account that it happened to, or that did it. */
  readonly userId?: string | undefined;
  readonly ip?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
};

type Page = { readonly limit: number } & ({ readonly beforeId: number | undefined } | { readonly afterId: number | undefined });

/** A failed login with an unknown address belongs to no tenant; it is shown in the tenant that new registrations join. */
const TENANT_OF_THE_UNKNOWN = "default";

/** Newest first going back from `beforeId`, or oldest first going on after `afterId`. */
export async function findEntries(queries: Queries, filter: AuditFilter, page: Page) {
  const backwards = "beforeId" in page;
  const bound = backwards ? page.beforeId : page.afterId;
  return queries
    .selectFrom("identity.audit as row")
    .leftJoin("identity.users as user", "user.id", "row.user_id")
    .leftJoin("identity.users as actor", "actor.id", "row.actor_id")
    .select([
      "row.id",
      "row.at",
      "row.event",
      "row.user_id as userId",
      "user.email as userEmail",
      "row.actor_id as actorId",
      "actor.email as actorEmail",
      "row.session_id as sessionId",
      "row.ip",
      "row.user_agent as userAgent",
      "row.details",
    ])
    .where((expression) => matches(expression, filter))
    .$if(bound !== undefined, (query) => query.where("row.id", backwards ? "<" : ">", bound ?? 0))
    .orderBy("row.id", backwards ? "desc" : "asc")
    .limit(page.limit)
    .execute();
}

export type EntryRow = Awaited<ReturnType<typeof findEntries>>[number];

function matches(
  expression: ExpressionBuilder<IdentitySchema & { row: IdentitySchema["identity.audit"] }, "row">,
  { tenantId, events, userId, ip, from, to }: AuditFilter,
) {
  const isUnknown = expression.and([
    expression("row.tenant_id", "is", null),
    expression.exists(
      expression
        .selectFrom("identity.tenants as tenant")
        .select("tenant.id")
        .where("tenant.id", "=", tenantId)
        .where("tenant.name", "=", TENANT_OF_THE_UNKNOWN),
    ),
  ]);
  return expression.and([
    expression.or([expression("row.tenant_id", "=", tenantId), isUnknown]),
    ...(events === undefined ? [] : [expression("row.event", "in", [...events])]),
    ...(userId === undefined ? [] : [expression.or([expression("row.user_id", "=", userId), expression("row.actor_id", "=", userId)])]),
    ...(ip === undefined ? [] : [expression("row.ip", "=", ip)]),
    ...(from === undefined ? [] : [expression("row.at", ">=", from)]),
    ...(to === undefined ? [] : [expression("row.at", "<", to)]),
  ]);
}
