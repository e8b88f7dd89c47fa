import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { orRefuse } from "@sightline/foundation/errors";
import { toAppError } from "@sightline/foundation/http/http-errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { acceptNoBody } from "#factors/kit/optional-json.ts";
import { readRequest } from "#read-request.ts";
import { refusal } from "#refusals.ts";
import type { Throttle } from "#throttle/throttle.ts";
import { describeServer, toList } from "./discovery.ts";
import { readFilter } from "./filter.ts";
import { createGroups } from "./groups.ts";
import { applyPatch, patchSchema, type Resource } from "./patch.ts";
import { createPeople } from "./people.ts";
import type { ResourceKind } from "./resources.ts";
import type { RoleDependencies } from "./settle-roles.ts";
import { getDirectory, scimUrl } from "./token.ts";

const MEDIA_TYPE = "application/scim+json";
const MAX_PAGE = 200;
/** Entra ID sends up to 25 requests a second. */
const LIMIT = { tries: 18_000, windowSeconds: 600 };

const tagged = routesTagged("scim", 2 * 1024 * 1024);
const route = <const Schema extends object>(summary: string, schema: Schema) =>
  tagged("scim", summary, { produces: [MEDIA_TYPE], consumes: [MEDIA_TYPE, "application/json"], ...schema });

const resourceSchema = z.looseObject({});
const listSchema = z.object({
  filter: z.string().max(1_000).default(""),
  startIndex: z.coerce.number().int().catch(1),
  count: z.coerce.number().int().catch(100),
  excludedAttributes: z.string().max(1_000).default(""),
});
const params = z.object({ id: z.string() });
const errorSchema = z.object({ schemas: z.array(z.string()), status: z.string(), scimType: z.string().optional(), detail: z.string() });
const response = { 200: resourceSchema, "4xx": errorSchema };

const notFound = () => refusal("scim_not_found");
/** An id that is no uuid is nobody's. */
const idOf = (given: string) => orRefuse(z.uuid().safeParse(given).data, notFound).toLowerCase();

/** Serves the directories of companies (SCIM 2.0, RFC 7643 and 7644). */
export function scimRoutes(dependencies: RoleDependencies & { readonly throttle: Throttle; readonly publicUrl: string }) {
  const base = scimUrl(dependencies.publicUrl);
  return (server: HttpServer): void => {
    acceptNoBody(server, MEDIA_TYPE);
    server.setErrorHandler(answerError);
    server.addHook("onRequest", async (request) => {
      const counter = { name: "scim", subject: getDirectory(request).tenantId, limit: LIMIT, forgottenBySuccess: false };
      await dependencies.throttle.take([counter]);
    });
    server.addHook("onSend", async (_request, reply) => void reply.header("content-type", MEDIA_TYPE));
    const pages = describeServer();
    const described = route("What this server is, and keeps (RFC 7643, 5)", { params: z.object({ page: z.string() }), response });
    server.get("/scim/v2/:page", described, async ({ params: { page } }) => orRefuse(pages[page], notFound));
    serve(server, createPeople(dependencies), `${base}/Users`);
    serve(server, createGroups(dependencies), `${base}/Groups`);
  };
}

function serve(server: HttpServer, kind: ResourceKind, address: string): void {
  const path = `/scim/v2/${kind.name}s` as const;
  const one = `${path}/:id` as const;

  function present(resource: Resource, excluded = ""): Resource {
    const meta = { ...(resource["meta"] as object), location: `${address}/${String(resource["id"])}` };
    const left = new Set(excluded.split(",").map((name) => name.trim()));
    return Object.fromEntries(Object.entries({ ...resource, meta }).filter(([name]) => !left.has(name)));
  }
  async function answer(request: FastifyRequest, id: string, excluded?: string): Promise<Resource> {
    const { resources } = await kind.list(getDirectory(request).tenantId, new Map([["id", id]]), { startIndex: 1, count: 1 });
    const [found] = resources;
    return present(orRefuse(found, notFound), excluded);
  }
  async function change(request: FastifyRequest<{ Params: z.output<typeof params> }>, makeOther: (present: Resource) => Resource) {
    const id = idOf(request.params.id);
    await kind.change(getDirectory(request), id, makeOther);
    return answer(request, id);
  }

  server.get(path, route(`List ${kind.name}s, by a filter too`, { querystring: listSchema, response }), async (request) => {
    const { filter, startIndex: asked, count: wanted, excludedAttributes } = request.query;
    const [startIndex, count] = [Math.max(asked, 1), Math.min(Math.max(wanted, 0), MAX_PAGE)];
    const { total, resources } = await kind.list(getDirectory(request).tenantId, readFilter(filter, kind.filters), { startIndex, count });
    const shown = resources.map((resource) => present(resource, excludedAttributes));
    return toList(shown, total, startIndex);
  });
  const made = { body: resourceSchema, response: { 201: resourceSchema, "4xx": errorSchema } };
  server.post(path, route(`Make a ${kind.name}`, made), async (request, reply) => {
    const id = await kind.create(getDirectory(request), request.body);
    const found = await answer(request, id);
    return reply.status(201).header("location", `${address}/${id}`).send(found);
  });
  server.get(one, route(`One ${kind.name}`, { params, querystring: listSchema, response }), (request) =>
    answer(request, idOf(request.params.id), request.query.excludedAttributes),
  );
  const changed = { params, body: resourceSchema, response };
  server.put(one, route(`Replace a ${kind.name}`, changed), (request) => change(request, () => request.body));
  server.patch(one, route(`Change a ${kind.name}`, changed), (request) =>
    change(request, (resource) => applyPatch(resource, readRequest(patchSchema, request.body).Operations)),
  );
  const removed = { params, response: { 204: z.null(), "4xx": errorSchema } };
  server.delete(one, route(`Remove a ${kind.name}`, removed), async (request, reply) => {
    await kind.remove(getDirectory(request), idOf(request.params.id));
    return reply.status(204).send(null);
  });
}

const KINDS: Readonly<Record<string, string>> = {
  email_taken: "uniqueness",
  group_name_taken: "uniqueness",
  invalid_request: "invalidValue",
};
const ITS_OWN = ["invalidFilter", "invalidPath", "noTarget"];

function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { code, status, message, headers, logged } = toAppError(error);
  if (status >= 500 && !logged) {
    request.log.error({ err: error, route: request.routeOptions.url }, "a request of a directory failed");
  }
  const scimType = ITS_OWN.includes(code) ? code : KINDS[code];
  const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: String(status), detail: message };
  void reply
    .headers({ "cache-control": "no-store", ...headers })
    .status(status)
    .send({ ...body, ...(scimType === undefined ? {} : { scimType }) });
}
