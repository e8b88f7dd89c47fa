import { type SessionItem, revokedSessionsSchema, sessionsSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";

const SESSIONS = "/login/sessions";

export function sessionsQuery(api: Api) {
  return queryOptions({
    queryKey: ["sessions"],
    queryFn: async ({ signal }): Promise<readonly SessionItem[]> => {
      const { sessions } = await api.request({ part: "identity", path: SESSIONS, answer: sessionsSchema, signal });
      return sessions;
    },
  });
}

export async function revokeSession(api: Api, id: string): Promise<void> {
  await api.request({ part: "identity", method: "DELETE", path: `${SESSIONS}/${encodeURIComponent(id)}`, answer: z.unknown() });
}

/** All but this one. */
export async function revokeOtherSessions(api: Api): Promise<number> {
  const { revoked } = await api.request({ part: "identity", method: "DELETE", path: SESSIONS, answer: revokedSessionsSchema });
  return revoked;
}
