import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  apiKeyPageSchema,
  apiKeySchema,
  apiKeyScopeSchema,
  createApiKeyRequestSchema,
  createdApiKeySchema,
  listRequestSchema,
  type ApiKey,
} from "#contract.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { insertApiKey, listApiKeys, revokeApiKey, type ApiKeySummary } from "./api-keys.store.ts";
import { createApiKey } from "./api-key.ts";

const config = { auth: "user-or-operator" };
const id = z.uuid();

/** Serves a project's API keys to its owners. The key itself is only in the answer that makes it. */
export function keyRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    server.post(
      "/api/v1/projects/:project_id/keys",
      {
        config,
        schema: {
          summary: "Make an API key; the only answer that has it",
          params: projectParams,
          body: createApiKeyRequestSchema,
          response: { 201: createdApiKeySchema },
        },
      },
      async (request, reply) => {
        const { key, prefix, hash } = createApiKey();
        const { name, scopes } = request.body;
        const { reader, projectId } = await enterProject(query, request, "owner");
        const made = { id: uuidv7(), name, prefix, hash, scopes: [...new Set(scopes)], createdBy: toAuthor(reader) };
        const row = orRefuse(await insertApiKey(query, { projectId, reader, ...made }), projectNotFound);
        log.info({ project: projectId, key: row.id, scopes: row.scopes, by: made.createdBy }, "an API key was made");
        return reply
          .header("cache-control", "no-store")
          .status(201)
          .send({ ...present(row), key });
      },
    );

    server.get(
      "/api/v1/projects/:project_id/keys",
      {
        config,
        schema: {
          summary: "API keys of a project, without the keys themselves",
          params: projectParams,
          querystring: listRequestSchema,
          response: { 200: apiKeyPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit } = request.query;
        const after = readCursor(cursor);
        const { reader, projectId } = await enterProject(query, request, "owner");
        const rows = await listApiKeys(query, { projectId, reader, after, limit: limit + 1 });
        return toPage(rows, limit, present);
      },
    );

    server.delete(
      "/api/v1/projects/:project_id/keys/:key_id",
      {
        config,
        schema: { summary: "Revoke an API key", params: z.object({ project_id: id, key_id: id }), response: { 200: apiKeySchema } },
      },
      async (request) => {
        const { key_id: keyId } = request.params;
        const { reader, projectId } = await enterProject(query, request, "owner");
        const row = orRefuse(await revokeApiKey(query, { id: keyId, projectId, reader, now: clock.now() }), () =>
          refusal(404, "api_key_not_found", "There is no such API key; GET /api/v1/projects/:project_id/keys lists them."),
        );
        log.info({ project: projectId, key: keyId, by: toAuthor(reader) }, "an API key was revoked");
        return present(row);
      },
    );
  };
}

function present(row: ApiKeySummary): ApiKey {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes.flatMap((scope) => apiKeyScopeSchema.safeParse(scope).data ?? []),
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
