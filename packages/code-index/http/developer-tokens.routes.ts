import { refusal } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { getPrincipal } from "@sightline/foundation/http/principal";
import { z } from "zod";
import { createdTokenSchema, createTokenRequestSchema, developerTokenSchema, toPageSchema, type DeveloperToken } from "#contract.ts";
import { createDeveloperToken, listTokens, revokeToken, type DeveloperTokenRow } from "#http/access/developer-tokens.store.ts";
import { ownRepositories } from "#store/records/repositories.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { keyOfCursor, pageOfRows, pageQuerySchema } from "#http/kit/page.ts";
import { found, parseId } from "#http/kit/found.ts";
import { presentRow } from "#http/kit/presenters.ts";
import { getTenant } from "#http/kit/request-tenant.ts";

type TokenDependencies = { readonly database: CodeIndexDatabase; readonly clock: Clock };

export function developerTokenRoutes({ database, clock }: TokenDependencies): Routes {
  return (server) => {
    server.post(
      "/api/v1/developer-tokens",
      route("admin", "Make a developer token, told this once; for all repositories or some, with or without traces", {
        body: createTokenRequestSchema,
        response: { 201: createdTokenSchema },
      }),
      async (request, reply) => {
        const principal = getPrincipal(request);
        const { tenantId } = getTenant(request);
        const repositories = await requireOwn(database, tenantId, request.body.repositories);
        const { token, row } = await createDeveloperToken(database, {
          tenantId,
          label: request.body.label,
          repositories,
          // A token for some repositories opens traces only on request.
          traces: request.body.traces ?? (request.body.evaluation || repositories === null),
          evaluation: request.body.evaluation,
          uploads: request.body.uploads,
          createdBy: principal.kind === "user" ? principal.userId : principal.kind,
          now: clock.now(),
        });
        const created = presentRow(createdTokenSchema, { ...row, token });
        return reply.header("cache-control", "no-store").status(201).send(created);
      },
    );

    server.get(
      "/api/v1/developer-tokens",
      route("admin", "Developer tokens, without the tokens themselves", {
        querystring: pageQuerySchema,
        response: { 200: toPageSchema(developerTokenSchema) },
      }),
      async (request) => {
        const { limit, cursor } = request.query;
        const after = keyOfCursor(cursor, z.uuid());
        const rows = await listTokens(database, { tenantId: getTenant(request).tenantId, after, limit: limit + 1 });
        return pageOfRows(rows, limit, { present: presentToken, keyOf: (row) => row.id });
      },
    );

    server.delete(
      "/api/v1/developer-tokens/:id",
      route("admin", "Revoke a developer token at once", { params: z.object({ id: z.string() }), response: { 200: developerTokenSchema } }),
      async (request) => {
        const id = parseId("developer_token", request.params.id);
        const row = await revokeToken(database, { tenantId: getTenant(request).tenantId, id, now: clock.now() });
        return presentToken(found("developer_token", row));
      },
    );
  };
}

/** @throws {AppError} `repository_unknown` (400) */
async function requireOwn(
  database: CodeIndexDatabase,
  tenantId: string,
  ids: readonly string[] | undefined,
): Promise<readonly string[] | null> {
  if (ids === undefined) {
    return null;
  }
  const own = await ownRepositories(database.query, { tenantId, ids });
  const unknown = ids.filter((id) => !own.has(id.toLowerCase()));
  if (unknown.length > 0) {
    throw refusal(
      400,
      "repository_unknown",
      `There is no repository with the id ${unknown.slice(0, 5).join(", ")}; GET /api/v1/repos lists them.`,
    );
  }
  return [...own];
}

function presentToken(row: DeveloperTokenRow): DeveloperToken {
  return presentRow(developerTokenSchema, row);
}
