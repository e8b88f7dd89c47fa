import type { HttpServer } from "@sightline/foundation/http/http-server";
import { ownerOf } from "@sightline/foundation/http/principal";
import { findPeopleRequestSchema, peopleSchema } from "#contract.ts";
import type { Queries } from "#schema.ts";
import { findPeople } from "./people.store.ts";

const BODY_BYTES = 32 * 1024;

/**
 * Who somebody is, for those who share something with them. Names and addresses of those only whom the caller can name by id
 * or by their whole address, in the caller's own tenant: nobody but admins gets a list of accounts.
 */
export function peopleRoutes({ queries }: { readonly queries: Queries }) {
  return (server: HttpServer): void => {
    server.post(
      "/people/find",
      {
        config: { auth: "session" },
        bodyLimit: BODY_BYTES,
        schema: {
          summary: "Names of accounts of your organisation, by ids or whole e-mail addresses",
          tags: ["users"],
          body: findPeopleRequestSchema,
          response: { 200: peopleSchema },
        },
      },
      async (request, reply) => {
        const { ids, emails } = request.body;
        const rows = await findPeople(queries, { tenantId: ownerOf(request).tenantId, ids, emails });
        void reply.header("cache-control", "no-store");
        return { people: rows.map(({ id, email, name, disabledAt }) => ({ id, email, name, disabled: disabledAt !== null })) };
      },
    );
  };
}
