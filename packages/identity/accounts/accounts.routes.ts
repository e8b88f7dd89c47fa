import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getOwner } from "@sightline/foundation/http/principal";
import { findPeopleRequestSchema, peopleSchema, registerAnswerSchema, registerRequestSchema } from "#contract.ts";
import type { Queries } from "#schema.ts";
import { findPeople } from "./account.store.ts";
import { getClient } from "#audit/client.ts";
import { register, type RegisterDependencies } from "./register.ts";

const REGISTRATION_BYTES = 16 * 1024;
const PEOPLE_BYTES = 32 * 1024;
const peopleRoute = routesTagged("users", PEOPLE_BYTES);
const registrationRoute = routesTagged("accounts", REGISTRATION_BYTES);

/**
 * Names and addresses of accounts that the caller can already name by id or by whole address, in the caller's own
 * tenant: nobody but admins can list accounts.
 */
export function peopleRoutes({ queries }: { readonly queries: Queries }) {
  return (server: HttpServer): void => {
    server.post(
      "/people/find",
      peopleRoute("session", "Names of accounts of your organization, by ids or whole e-mail addresses", {
        body: findPeopleRequestSchema,
        response: { 200: peopleSchema },
      }),
      async (request) => {
        const { ids, emails } = request.body;
        const rows = await findPeople(queries, getOwner(request).tenantId, ids, emails);
        return { people: rows.map(({ id, email, name, disabledAt }) => ({ id, email, name, disabled: disabledAt !== null })) };
      },
    );
  };
}

/** Served on observability's port, at the address that its API has. */
export function registrationRoutes(dependencies: RegisterDependencies) {
  return (server: HttpServer): void => {
    server.post(
      "/api/v1/auth/register",
      registrationRoute("public", "Register an account", { body: registerRequestSchema, response: { 201: registerAnswerSchema } }),
      async (request, reply) => {
        const { id, email, name, role, createdAt } = await register(dependencies, request.body, getClient(request));
        return reply.status(201).send({ id, email, name, role, created_at: createdAt.toISOString() });
      },
    );
  };
}
