import { sessionSchema, turnPageSchema, userSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

const PAGE_SIZE = 20;

export type TurnOrder = "asc" | "desc";

export function sessionQuery(projectId: string, sessionId: string) {
  const path = encoded`/api/v1/projects/${projectId}/sessions/${sessionId}`;
  return queryOptions({
    queryKey: ["session", projectId, sessionId],
    queryFn: answerTo(observability.get(path, { answer: sessionSchema })),
  });
}

/** The traces of a session as turns of a conversation. */
export function turnsQuery(projectId: string, sessionId: string, order: TurnOrder) {
  const path = encoded`/api/v1/projects/${projectId}/sessions/${sessionId}/turns`;
  const query = { order, limit: PAGE_SIZE };
  return pageByPage(["turns", projectId, sessionId, order], observability.get(path, { query, answer: turnPageSchema }));
}

/** A user of the observed application, over time. */
export function userQuery(projectId: string, userId: string) {
  const path = encoded`/api/v1/projects/${projectId}/users/${userId}`;
  return queryOptions({ queryKey: ["user", projectId, userId], queryFn: answerTo(observability.get(path, { answer: userSchema })) });
}
