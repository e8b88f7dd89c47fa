import { auditAlone, type AuditEvent } from "./audit/audit.store.ts";
import { findStanding, findPeople } from "./accounts/account.store.ts";
import { insertNotice } from "./notices/notice.store.ts";
import type { Queries } from "./schema.ts";

type Told = Omit<AuditEvent, "tenantId" | "userId" | "actorId"> & {
  readonly by: { readonly tenantId: string; readonly userId: string } | undefined;
};

type Mentioned = Readonly<Record<"id" | "userId" | "by" | "project" | "path", string>> & { readonly at: Date };

/** How other parts have the audit note what accounts did there (without an account it was the operator), and have people told of it. */
export function createTelling({ queries, mailed }: { readonly queries: Queries; readonly mailed: boolean }) {
  return {
    audit: ({ by, ...event }: Told) => auditAlone(queries, { ...event, ...by, actorId: by?.userId }),
    /** The notice has the mention's id: asked for again, it is there already. */
    tellMention: async ({ id, userId, by, at, project, path }: Mentioned) => {
      const standing = await findStanding(queries, userId);
      const [author] = standing === undefined ? [] : await findPeople(queries, standing.tenantId, [by], []);
      const details = { by: author?.name ?? "Somebody", project, path };
      const notice = { id, user_id: userId, kind: "comment_mention", at, details, sealed_link: null, shown: true };
      await (standing && insertNotice(queries, { ...notice, send_after: mailed ? at : null }));
    },
  };
}
