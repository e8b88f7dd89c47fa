import { z } from "zod";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import type { AuditEntry, AuditPage } from "#contract.ts";
import type { Queries } from "#schema.ts";
import { findEntries, type AuditFilter, type EntryRow } from "./audit-entries.store.ts";

/** The id of the last row already seen. */
const positionSchema = z.tuple([z.int().min(1)]);

/**
 * Lists a page of the entries that match the filter, newest first.
 *
 * @throws {AppError} 400 `invalid_cursor`.
 */
export async function listAudit(
  queries: Queries,
  filter: AuditFilter,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<AuditPage> {
  const beforeId = cursor === undefined ? undefined : fromCursor(cursor, positionSchema)[0];
  const rows = await findEntries(queries, filter, { beforeId, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    entries: shown.map(describeEntry),
    next_cursor: rows.length > limit && last !== undefined ? toCursor([last.id]) : null,
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
