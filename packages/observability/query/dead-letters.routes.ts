import type { HttpServer } from "@sightline/foundation/http-server";
import { principalOf } from "@sightline/foundation/principal";
import type { Kysely } from "kysely";
import { deadLetterPageSchema, listRequestSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { listDeadLetters } from "#store/dead-letters.store.ts";
import { positionOf, toPage } from "./cursor.ts";

/** The operator sees all; an admin those that name a project of the tenant. */
export function deadLetterRoutes({ query }: { readonly query: Kysely<ObservabilitySchema> }) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/dead-letters",
      { config: { auth: "admin-or-operator" }, schema: { querystring: listRequestSchema, response: { 200: deadLetterPageSchema } } },
      async (request) => {
        const { cursor, limit } = request.query;
        const principal = principalOf(request);
        const tenantId = principal.kind === "user" ? principal.tenantId : undefined;
        const rows = await listDeadLetters(query, { tenantId, after: positionOf(cursor), limit: limit + 1 });
        return toPage(rows, limit, ({ position: _position, created_at: createdAt, ...row }) => ({
          ...row,
          created_at: createdAt.toISOString(),
        }));
      },
    );
  };
}
