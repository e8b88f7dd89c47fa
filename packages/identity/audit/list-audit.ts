import { AppError } from "@sightline/foundation/errors";
import type { AuditEntry, AuditPage } from "#contract.ts";
import type { Queries } from "#schema.ts";
import { findEntries, type AuditFilter, type EntryRow } from "./audit-entries.store.ts";

/**
 * A page of what the filter lets through, newest first.
 *
 * @throws {AppError} 400 `invalid_cursor`.
 */
export async function listAudit(
  queries: Queries,
  filter: AuditFilter,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<AuditPage> {
  const beforeId = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await findEntries(queries, filter, { beforeId, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    entries: shown.map(describeEntry),
    next_cursor: rows.length > limit && last !== undefined ? Buffer.from(`before:${last.id}`).toString("base64url") : null,
  };
}

export function describeEntry(row: EntryRow): AuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    event: row.event,
    user: row.userId === null ? null : { id: row.userId, email: row.userEmail },
    actor: row.actorId === null ? null : { id: row.actorId, email: row.actorEmail },
    session_id: row.sessionId,
    ip: row.ip,
    user_agent: row.userAgent,
    details: row.details,
  };
}

function readCursor(cursor: string): number {
  const [, id] = /^before:(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (id === undefined) {
    throw new AppError({ code: "invalid_cursor", status: 400, message: "This cursor is not one of ours. Begin again without it." });
  }
  return Number(id);
}
