import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import {
  MAX_SCORE_CONFIGS,
  putScoreConfigRequestSchema,
  scoreConfigListSchema,
  scoreConfigNameSchema,
  scoreConfigSchema,
  type ScoreConfig,
} from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { deleteScoreConfig, listScoreConfigs, putScoreConfig, type ScoreConfigRow } from "#store/score-configs.store.ts";

const config = { auth: "user" };
const path = "/api/v1/projects/:project_id/score-configs";

/** What the scores of a project mean. */
export function scoreConfigRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    server.get(
      path,
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "What the scores of each name mean, and which are taken",
          params: projectParams,
          response: { 200: scoreConfigListSchema },
        },
      },
      async (request) => ({
        items: (await listScoreConfigs(query, await enterProject(query, request, "viewer"))).map(present),
        next_cursor: null,
      }),
    );

    server.put(
      path,
      {
        config,
        schema: {
          summary: "Say what the scores of a name mean; scores that people and API keys give from now on are checked by it",
          params: projectParams,
          body: putScoreConfigRequestSchema,
          response: { 200: scoreConfigSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "owner");
        const row = { ...request.body, changed_at: clock.now(), changed_by: toAuthor(project.reader) };
        if (!(await putScoreConfig(query, { ...project, ...row }))) {
          throw tooManyConfigs();
        }
        log.info({ project: project.projectId, score: row.name, by: row.changed_by }, "the config of a score was changed");
        return present(row);
      },
    );

    server.delete(
      path,
      {
        config,
        schema: {
          summary: "Delete the config of a score; scores stay, and any value is taken from now on",
          params: projectParams,
          querystring: scoreConfigNameSchema,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "owner");
        orRefuse((await deleteScoreConfig(query, { ...project, name: request.query.name })) || undefined, configNotFound);
        return reply.status(204).send(null);
      },
    );
  };
}

function present({ changed_at: changedAt, ...row }: ScoreConfigRow): ScoreConfig {
  return { ...row, changed_at: changedAt.toISOString() };
}

const configNotFound = () =>
  refusal(404, "score_config_not_found", "The project has no config for scores of that name; GET …/score-configs lists those it has.");

const tooManyConfigs = () =>
  refusal(409, "too_many_score_configs", `The project has ${MAX_SCORE_CONFIGS} score configs, which is the most. Delete some.`);
