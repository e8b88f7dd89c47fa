import { revokedSessionsSchema, sessionsSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

const SESSIONS = "/login/sessions";

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: answerTo(identity.get(SESSIONS, { answer: sessionsSchema.transform(({ sessions }) => sessions) })),
});

export const revokeSession = (id: string) => identity.delete(SESSIONS + encoded`/${id}`);

/** All but this one. */
export const revokeOtherSessions = identity.delete(SESSIONS, { answer: revokedSessionsSchema });
