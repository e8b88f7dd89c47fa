import { z } from "zod";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import type { AccountItem, Accounts } from "#contract.ts";
import type { ListedAccount } from "./account-list.store.ts";

const positionSchema = z.tuple([z.string().max(320)]);

/** Asked for one row more than the page holds, the store tells by it whether there is a next page. */
export function toPage(rows: readonly ListedAccount[], limit: number): Accounts {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { users: shown.map(toItem), next_cursor: rows.length <= limit || last === undefined ? null : toCursor([last.position]) };
}

export function toItem(account: ListedAccount): AccountItem {
  const { id, email, name, role, createdAt, disabledAt, lastLoginAt, totpEnabled, mustChangePassword, invited } = account;
  return {
    id,
    email,
    name,
    role,
    created_at: createdAt.toISOString(),
    disabled_at: disabledAt?.toISOString() ?? null,
    last_login_at: lastLoginAt?.toISOString() ?? null,
    totp_enabled: totpEnabled,
    must_change_password: mustChangePassword,
    invited,
  };
}

/** @throws {AppError} 400 `invalid_cursor`. */
export function positionOf(cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : fromCursor(cursor, positionSchema)[0];
}
