import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { tmpdir } from "node:os";
import { describeTools, type DescribedTool } from "@sightline/code-index";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { createLog } from "@sightline/foundation/log";
import { composeRole } from "#compose/compose.ts";
import { deriveEnvironment } from "#settings/environment.ts";
import type { RoleName } from "#settings/role-names.ts";
import { createContext, type Context } from "#compose/wiring/context.ts";
import { offerTraces } from "#compose/wiring/trace-tools.ts";
import { z } from "zod";

const schemaSchema = z.looseObject({});

const operationSchema = z.object({
  summary: z.string().optional(),
  parameters: z
    .array(z.object({ in: z.string(), name: z.string(), required: z.boolean().default(false), schema: schemaSchema }))
    .default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: schemaSchema.default({}) })) }).optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.object({ schema: schemaSchema.default({}) })).optional() })),
});

/** The parts of an OpenAPI description that the reference shows: routes, and what each takes and answers. */
const openApiSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

type OpenApi = z.infer<typeof openApiSchema>;
export type Operation = z.infer<typeof operationSchema>;

export type DescribedMetric = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
};

export type DescribedRole = {
  readonly role: RoleName;
  readonly openApi: OpenApi;
  /** The whole document, as it is served. */
  readonly document: Record<string, unknown>;
  /** The class that guards a route, by `GET /path`. */
  readonly guards: ReadonlyMap<string, string>;
  readonly metrics: readonly DescribedMetric[];
};

/** Methods that every server answers beside its routes. */
const IMPLIED = /^(HEAD|OPTIONS)$/;

const SERVING = ["identity", "code-index", "observability", "consumer"] as const;

/** Describes the roles that serve HTTP. They are composed but never started: no store is needed, and nothing listens. */
export async function describeRoles(): Promise<readonly DescribedRole[]> {
  const described: DescribedRole[] = [];
  for (const role of SERVING) {
    described.push(await describeRole(role));
  }
  return described;
}

/** Describes all tools of `/mcp`, for code and traces. */
export function describeMcpTools(): readonly DescribedTool[] {
  const offered = offerTraces(contextOf("code-index"));
  if (offered === undefined) {
    throw new Error("the example environment names no database of traces");
  }
  return describeTools(offered.plugin);
}

async function describeRole(role: RoleName): Promise<DescribedRole> {
  const context = contextOf(role);
  const guards = new Map<string, string>();
  const servers: HttpServer[] = [];
  const note = (message: unknown) => {
    const { fastify } = message as { readonly fastify: HttpServer };
    servers.push(fastify);
    fastify.addHook("onRoute", ({ method, url, config }) => {
      const methods = [method].flat().filter((one) => !IMPLIED.test(one) && !url.startsWith("/docs"));
      for (const one of methods) {
        guards.set(`${one} ${url}`, config?.auth ?? "");
      }
    });
  };
  // Fastify publishes this event whenever a server is made, before anything is registered.
  subscribe("fastify.initialization", note);
  await composeRole(role, context);
  unsubscribe("fastify.initialization", note);
  const [server] = servers;
  if (server === undefined) {
    throw new Error(`${role} has no HTTP server`);
  }
  await server.ready();
  const document: Record<string, unknown> = { ...server.swagger() };
  const openApi = openApiSchema.parse(document);
  // The library's type lacks the labels.
  const metrics = context.metrics.registry.getMetricsAsArray() as unknown as readonly DescribedMetric[];
  await server.close();
  return { role, openApi, document, guards, metrics };
}

/** Makes a context with example values, which is enough to compose a role. */
function contextOf(role: RoleName): Context {
  const secret = "x".repeat(43);
  const { environment } = deriveEnvironment({
    SIGHTLINE_HOME: tmpdir(),
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
    OBSERVABILITY_REDIS_URL: "redis://127.0.0.1:1",
    SECRET_KEY: secret,
    ENCRYPTION_KEYS: `k1:${secret}`,
    API_KEY: `studio_${"0".repeat(64)}`,
  });
  return createContext(role, { environment, log: createLog({ name: "reference", level: "error", destination: process.stderr }) });
}
