import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { z } from "zod";

export type ServedRoute = {
  readonly method: string;
  readonly url: string;
  /** The class that guards it. */
  readonly auth: string;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
};

type RouteOptions = {
  readonly method: string | readonly string[];
  readonly url: string;
  readonly config?: { readonly auth?: string };
  readonly schema?: { readonly querystring?: z.ZodType; readonly body?: z.ZodType };
};

type Server = { readonly addHook: (name: "onRoute", hook: (options: RouteOptions) => void) => void };

/** Every route of the servers that `start` makes, also those that its tests know nothing of. */
export async function notingRoutes<Started>(
  start: () => Promise<Started>,
): Promise<{ readonly started: Started; readonly routes: readonly ServedRoute[] }> {
  const noted: RouteOptions[] = [];
  // What Fastify calls out whenever a server is made, before anything is registered.
  const note = (message: unknown) =>
    (message as { readonly fastify: Server }).fastify.addHook("onRoute", (options) => void noted.push(options));
  subscribe("fastify.initialization", note);
  try {
    const started = await start();
    return { started, routes: noted.flatMap(routesOf) };
  } finally {
    unsubscribe("fastify.initialization", note);
  }
}

function routesOf({ method, url, config, schema }: RouteOptions): readonly ServedRoute[] {
  const route = { url, auth: config?.auth ?? "", query: schema?.querystring, body: schema?.body };
  return [method].flat().map((name) => ({ ...route, method: name }));
}

type JsonSchema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
};

/** Values by the name of the field, wherever it stands; a function makes another one for each. */
export type Fill = Readonly<Record<string, unknown>>;

/** An input that a schema takes: fields that `fill` names have its values, others the simplest that fits. */
export function exampleOf(schema: z.ZodType, fill: Fill, which: "all" | "required"): Record<string, unknown> {
  return exampleOfJson(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema, fill, which);
}

export function exampleOfJson(schema: JsonSchema, fill: Fill, which: "all" | "required"): Record<string, unknown> {
  const required = schema.required ?? [];
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => which === "all" || required.includes(name))
      .flatMap(([name, field]) => {
        const given = fill[name];
        const value = name in fill ? (typeof given === "function" ? given() : given) : simplest(field, fill, which);
        return value === undefined ? [] : [[name, value]];
      }),
  );
}

function simplest(schema: JsonSchema, fill: Fill, which: "all" | "required"): unknown {
  const { type, enum: choices, const: fixed, default: usual, anyOf } = schema;
  if (fixed !== undefined || choices !== undefined || usual !== undefined) {
    return fixed ?? usual ?? choices?.[0];
  }
  if (anyOf?.[0] !== undefined) {
    return simplest(anyOf[0], fill, which);
  }
  switch (type) {
    case "string":
      return "example";
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1);
    case "boolean":
      return false;
    case "array":
      return schema.items === undefined ? [] : [simplest(schema.items, fill, which)];
    case "object":
      return exampleOfJson(schema, fill, which);
    case undefined:
    default:
      return undefined;
  }
}
