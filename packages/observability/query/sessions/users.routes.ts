import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { userParamsSchema, userSchema } from "#contract.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import { userNotFound } from "#query/access/not-found.errors.ts";
import { presentGroup } from "#query/list/trace-groups.routes.ts";
import { findGroup } from "#query/list/trace-groups.store.ts";
import { sumUpDays, sumUpScores, sumUpSessions } from "./grouped-traces.store.ts";

/** A user of the observed application: what their traces are together, day by day and session by session. */
export function userRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/users/:user_id",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "A user of a project's application: their traces together, by day and by session",
          params: userParamsSchema,
          response: { 200: userSchema },
        },
      },
      async (request) => {
        const grouped = { ...(await enterProject(query, request, "viewer")), field: "user", id: request.params.user_id } as const;
        const group = orRefuse(await findGroup(query, grouped), userNotFound);
        const days = await sumUpDays(query, grouped);
        const sessions = await sumUpSessions(query, grouped);
        return {
          ...presentGroup(group, "user"),
          scores: await sumUpScores(query, grouped),
          days: days.map((day) => ({ ...day })),
          sessions: sessions.map((session) => presentGroup(session, "session")),
        };
      },
    );
  };
}
