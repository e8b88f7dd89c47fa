import type { DescribedRole, Operation } from "./describe-roles.ts";
import { renderFields, table, type JsonSchema } from "./render-schema.ts";

/** The callers of each auth class. */
const CALLERS: Readonly<Record<string, string>> = {
  public: "anyone",
  "same-origin": "pages of the console's own origin",
  session: "whoever is logged in",
  "session-or-password-change": "whoever is logged in, with a one-time password too",
  "session-setting-up": "whoever is logged in, also before the second factor that the policy asks for",
  "fresh-session": "whoever logged in, or showed password and code again, within ten minutes",
  "session-step-up": "whoever showed password and code again, or a passkey, within ten minutes",
  reader: "an access token or a developer token",
  mcp: "an access token or a developer token, over MCP",
  uploader: "an access token of an admin, or a developer token that uploads",
  user: "an access token",
  "user-or-key": "an access token, or a key of the project that may read",
  "user-or-evaluate": "an access token, or a key of the project that may evaluate",
  "user-or-prompts": "an access token, or a key of the project that may read prompts",
  "user-or-scoring-key": "an access token, or a key of the project that may give scores",
  "user-or-operator": "an access token, or the operator's `API_KEY`",
  scim: "the token of an organization's directory",
  ingest: "a key of the project that may send",
  webhook: "whoever signs with the repository's or the common secret",
  admin: "an access token of an admin",
  "admin-step-up": "an admin who showed password and code within ten minutes",
  "admin-setting-up": "an admin, also one who has yet to set up the second factor that the policy asks for",
  "admin-or-operator": "an admin, or the operator's `API_KEY`",
};

/** Routes that are in no OpenAPI description, since they speak other protocols. */
const UNDESCRIBED: Readonly<Record<string, string>> = {
  "POST /mcp": "Model Context Protocol (Streamable HTTP): [its tools](mcp-tools.md)",
  "GET /mcp": "405: no streams are kept",
  "DELETE /mcp": "405: no sessions are kept",
  "GET /metrics": "[Metrics](metrics.md) in Prometheus' format",
};

const PORTS: Readonly<Record<string, string>> = {
  identity: "port 8070, through the console below `/api/identity`",
  "code-index": "port 8080, through the console below `/api/code-index`",
  observability: "port 8000, through the console below `/api/observability`",
  consumer: "the port of `OBSERVABILITY_CONSUMER_PORT`",
};

export function renderRoutes(roles: readonly DescribedRole[]): string {
  const used = new Set(roles.flatMap(({ guards }) => [...guards.values()]));
  const legend = [...used].toSorted().map((guard) => [`\`${guard}\``, callerOf(guard)]);
  return [
    "# Routes",
    "Every route that the product serves. A field with a question mark may be left out. Each API serves its whole description (OpenAPI 3.1) at `/docs`. What is refused is `{error, message, details?}` with a stable code in `error`.",
    table(["who", "may call"], legend),
    ...roles.flatMap(renderRole),
  ].join("\n\n");
}

function renderRole({ role, openApi, guards }: DescribedRole): readonly string[] {
  const described = new Map(
    Object.entries(openApi.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [routeName(method, path), operation] as const),
    ),
  );
  const rows = [...guards]
    .toSorted(([one], [other]) => comparePaths(one, other))
    .map(([name, guard]) => {
      const operation = described.get(name);
      const cells =
        operation === undefined ? [UNDESCRIBED[name] ?? "", "", ""] : [operation.summary ?? "", takes(operation), answers(operation)];
      return [`\`${name}\``, `\`${guard}\``, ...cells];
    });
  return [`## ${role}`, `On ${PORTS[role] ?? ""}.`, table(["route", "who", "does", "takes", "answers"], rows)];
}

function takes({ parameters, requestBody }: Operation): string {
  const query = parameters.filter((one) => one.in === "query").map((one) => (one.required ? one.name : `${one.name}?`));
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => renderFields(schema as JsonSchema));
  return [...(query.length === 0 ? [] : [`?${query.join("&")}`]), ...new Set(bodies)].map((text) => `\`${text}\``).join(" ");
}

function answers({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => !status.startsWith("4"))
    .map(([status, { content }]) => {
      const [body] = Object.values(content ?? {});
      const fields = body === undefined ? "" : renderFields(body.schema);
      return fields === "" || fields === "null" ? `\`${status}\`` : `\`${status} ${fields}\``;
    })
    .join(" ");
}

/** OpenAPI writes `{id}` where Fastify writes `:id`. */
function routeName(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
}

function comparePaths(one: string, other: string): number {
  const [method = "", path = ""] = one.split(" ");
  const [otherMethod = "", otherPath = ""] = other.split(" ");
  return path === otherPath ? method.localeCompare(otherMethod, "en") : path.localeCompare(otherPath, "en");
}

function callerOf(guard: string): string {
  const caller = CALLERS[guard];
  if (caller === undefined) {
    throw new Error(`Say in render-routes.ts who may call routes of the class "${guard}".`);
  }
  return caller;
}
