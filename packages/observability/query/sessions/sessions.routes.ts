import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { InProject } from "#store/reader.ts";
import { listTurnsRequestSchema, sessionParamsSchema, sessionSchema, turnPageSchema, type Session } from "#contract.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import { sessionNotFound } from "#query/access/not-found.errors.ts";
import { findEntry, listEntries } from "#query/list/list-traces.store.ts";
import { formatEntryCursor, parseEntryCursor, presentEntry } from "#query/list/list-traces.routes.ts";
import { presentGroup } from "#query/list/trace-groups.routes.ts";
import { findGroup } from "#query/list/trace-groups.store.ts";
import { countLostEvents } from "#query/steps/lost-events.store.ts";
import { findFirstFailure, findUsers, sumUpScores } from "./grouped-traces.store.ts";
import { presentFailedStep, presentTurn } from "./present-turn.ts";
import { findSpoken } from "#query/steps/spoken.store.ts";
import { findFailedSteps } from "./turns.store.ts";

/** A session: its traces together, and each as a turn of a conversation. */
export function sessionRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/sessions/:session_id",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "A session: what its traces are together, its scores, and where it first went wrong",
          params: sessionParamsSchema,
          response: { 200: sessionSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        const grouped = { ...project, field: "session", id: request.params.session_id } as const;
        const group = orRefuse(await findGroup(query, grouped), sessionNotFound);
        return {
          ...presentGroup(group, "session"),
          users: [...(await findUsers(query, grouped))],
          scores: await sumUpScores(query, grouped),
          first_failure: await describeFailure(project, await findFirstFailure(query, grouped)),
        };
      },
    );
    server.get(
      "/api/v1/projects/:project_id/sessions/:session_id/turns",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "The traces of a session as turns of a conversation: what was asked and answered, what it took, where it failed",
          params: sessionParamsSchema,
          querystring: listTurnsRequestSchema,
          response: { 200: turnPageSchema },
        },
      },
      async (request) => {
        const { order, cursor, limit } = request.query;
        const sorting = { sort: "started", order } as const;
        const after = parseEntryCursor(cursor, sorting);
        const project = await enterProject(query, request, "viewer");
        const values = [{ text: request.params.session_id, isPattern: false }];
        const terms = [{ kind: "text", field: "session", values, isNegated: false, from: 0, to: 0 }] as const;
        orRefuse(await findGroup(query, { ...project, field: "session", id: request.params.session_id }), sessionNotFound);
        const { rows, next, isCounting } = await listEntries(query, { ...project, ...sorting, terms, now: clock.now(), after, limit });
        const lost = await countLostEvents(query, project.projectId, rows);
        const spoken = await findSpoken(query, { ...project, traces: rows });
        const failed = await findFailedSteps(query, { ...project, traces: rows.filter(({ failures }) => failures > 0) });
        return {
          items: rows.map((row) => presentTurn(presentEntry(row, lost), spoken, failed.get(row.id))),
          next_cursor: formatEntryCursor(sorting, next),
          is_counting: isCounting,
        };
      },
    );
  };

  async function describeFailure(project: InProject, traceId: string | undefined): Promise<Session["first_failure"]> {
    const row = traceId === undefined ? undefined : await findEntry(query, { ...project, id: traceId });
    if (row === undefined) {
      return null;
    }
    const failed = await findFailedSteps(query, { ...project, traces: [row] });
    const trace = presentEntry(row, await countLostEvents(query, project.projectId, [row]));
    return { trace, step: presentFailedStep(trace, failed.get(row.id)) };
  }
}
