import { parseInstant } from "#ui/time/time-range.ts";

/** What is shown of the audit; times are UTC (`2026-11-21T08:30:00.000Z`), so that an address means the same everywhere. */
export type AuditFilter = {
  readonly events: readonly string[];
  readonly user: string | undefined;
  readonly ip: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
};

export const NO_FILTER: AuditFilter = { events: [], user: undefined, ip: undefined, from: undefined, to: undefined };

export type AuditSearch = { readonly [Name in "event" | "user" | "ip" | "from" | "to"]?: string | undefined };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the address; what makes no sense in it is left out. */
export function toFilter({ event, user, ip, from, to }: AuditSearch): AuditFilter {
  return {
    events: [...new Set((event ?? "").split(",").filter((name) => /^[a-z0-9_]+$/.test(name)))],
    user: user !== undefined && UUID.test(user) ? user.toLowerCase() : undefined,
    ip: ip === undefined || ip.trim() === "" ? undefined : ip.trim(),
    from: parseInstant(from),
    to: parseInstant(to),
  };
}

export function toSearch({ events, user, ip, from, to }: AuditFilter): AuditSearch {
  return { event: events.length === 0 ? undefined : events.join(","), user, ip, from, to };
}

/** The filter as parameters of the API. */
export function toQuery({ events, user, ip, from, to }: AuditFilter) {
  return { event: events.length === 0 ? undefined : events.join(","), user_id: user, ip, from, to };
}

export function isFiltered(filter: AuditFilter): boolean {
  return filter.events.length > 0 || [filter.user, filter.ip, filter.from, filter.to].some((value) => value !== undefined);
}
