import { auditAlone, type AuditEvent } from "./audit/audit.store.ts";
import type { Queries } from "./schema.ts";

type Told = Omit<AuditEvent, "tenantId" | "userId" | "actorId"> & {
  readonly by: { readonly tenantId: string; readonly userId: string } | undefined;
};

/** How other parts have the audit note what accounts did there; without an account it was the operator. */
export function createTelling({ queries }: { readonly queries: Queries }) {
  return { audit: ({ by, ...event }: Told) => auditAlone(queries, { ...event, ...by, actorId: by?.userId }) };
}
