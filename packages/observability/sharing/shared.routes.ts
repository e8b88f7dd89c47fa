import { orRefuse, refusal } from "@sightline/foundation/errors";
import { toNetwork } from "@sightline/foundation/http/client-network";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { LRUCache } from "lru-cache";
import { openSharedRequestSchema, sharedTraceSchema, type SharedTrace } from "#contract.ts";
import { maskByRules } from "#datasets/mask-by-rules.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import { loadTraceOf } from "#query/trace/load-trace.ts";
import type { Query } from "#schema.ts";
import { maskShared, presentShared } from "./present-shared.ts";
import { hashShareToken } from "./share-links.routes.ts";
import { findOpenedLink, type OpenedLink } from "./share-links.store.ts";

/** Of an address in a minute, at one replica. */
const MAX_OPENED = 60;
const MINUTE_MS = 60_000;
const REMEMBERED_NETWORKS = 50_000;

/** The one thing that a link opens. Its token comes in a body, which no log and no proxy keeps. */
export function sharedRoutes({ query, clock }: Omit<RouteDependencies, "log">) {
  const opened = new LRUCache<string, { count: number }>({ max: REMEMBERED_NETWORKS, ttl: MINUTE_MS });
  const schema = { summary: "What a link to a trace shows", body: openSharedRequestSchema, response: { 200: sharedTraceSchema } };
  return (server: HttpServer): void => {
    server.post("/api/v1/shared", { config: { auth: "public" }, schema }, async (request, reply) => {
      const network = toNetwork(request.ip);
      const seen = opened.get(network) ?? { count: 0 };
      seen.count += 1;
      // One that is there keeps its end, or who goes on asking would wait for ever.
      opened.set(network, seen, { noUpdateTTL: true });
      if (seen.count > MAX_OPENED) {
        throw tooManyOpened();
      }
      const link = orRefuse(await findOpenedLink(query, hashShareToken(request.body.token), clock.now()), linkNotFound);
      reply.headers({ "cache-control": "no-store", "x-robots-tag": "noindex, nofollow" });
      return loadShared(query, link);
    });
  };
}

async function loadShared(query: Query, link: OpenedLink): Promise<SharedTrace> {
  const { id: keyId, project_id: projectId, tenant_id: tenantId, trace_id: traceId } = link;
  const reader = { kind: "project-key", tenantId, projectId, keyId, canChange: false, canRelease: false } as const;
  const trace = await loadTraceOf(query, orRefuse(await findTrace(query, { reader, projectId, traceId }), linkNotFound));
  const shown = presentShared(trace, link);
  const [whole = shown] = await maskByRules(query, projectId, [shown], maskShared);
  return { ...whole, steps: [...(await maskByRules(query, projectId, shown.steps, maskShared))] };
}

/** The answer is the same whether there never was such a link, it has expired, was ended or switched off, or its trace is gone. */
const linkNotFound = () =>
  refusal(
    404,
    "shared_not_found",
    "This link shows nothing: it is not whole, has expired or was ended. Ask whoever sent it for a new one.",
  );
const headers = { "retry-after": String(MINUTE_MS / 1000) };
const tooManyOpened = () =>
  refusal(429, "too_many_requests", "Too many links were opened from your address; try again in a minute.", { headers });
