import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withParts } from "./prepare.ts";
import type { ServedRoute } from "#testing/running-roles.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";
import { totpCode } from "#testing/totp-code.ts";

/** Everything that anyone may call, by role. A route that is not here has to refuse whoever has not logged in. */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  identity: [
    "GET /.well-known/credential-epochs",
    "GET /.well-known/jwks.json",
    "GET /.well-known/oauth-authorization-server",
    "GET /docs/*",
    "GET /health",
    "GET /login/options",
    "GET /login/sso",
    "GET /metrics",
    "GET /oauth/authorize",
    "GET /oauth/authorize/:uid",
    "GET /oauth/interactions/:uid",
    "POST /login/access-token",
    "POST /login/passkey",
    "POST /login/passkey/options",
    "POST /login/password-reset",
    "POST /login/password-reset/confirm",
    "POST /login/sso",
    "POST /login/sso/start",
    "POST /logout",
    "POST /oauth/register",
    "POST /oauth/revoke",
    "POST /oauth/token",
  ],
  "code-index": [
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/mcp",
    "GET /docs/*",
    "GET /health",
    "GET /health/detailed",
    "GET /metrics",
  ],
  observability: [
    "GET /docs/*",
    "GET /health",
    "GET /health/detailed",
    "GET /metrics",
    "POST /api/v1/auth/register",
    "POST /api/v1/shared",
  ],
  consumer: ["GET /docs/*", "GET /health", "GET /metrics"],
  console: [
    "* /api/code-index/*",
    "* /api/identity/*",
    "* /api/observability/*",
    "GET /*",
    "GET /.well-known/oauth-authorization-server",
    "GET /.well-known/oauth-authorization-server/",
    "GET /.well-known/oauth-authorization-server/*",
    "GET /docs/*",
    "GET /health",
    "GET /metrics",
  ],
};

/** Open to anyone as far as their class goes; what they ask for instead is in the cookie or the body. */
const ASKS_ELSEWHERE = [
  "POST /login/refresh",
  "POST /login/verify-2fa",
  "POST /login/verify-2fa/passkey",
  "POST /login/verify-2fa/passkey/options",
];

const OPEN_CLASSES = ["public", "same-origin"];
const ADMIN_CLASSES = ["admin", "admin-step-up", "admin-setting-up", "admin-or-operator"];
const OTHER_CLASSES = [
  "scim",
  "session",
  "session-setting-up",
  "fresh-session",
  "session-step-up",
  "session-or-password-change",
  "reader",
  "mcp",
  "uploader",
  "user",
  "user-or-key",
  "user-or-scoring-key",
  "user-or-evaluate",
  "user-or-prompts",
  "user-or-operator",
  "ingest",
  "webhook",
];

const PROXIES = { identity: "/api/identity", "code-index": "/api/code-index", observability: "/api/observability" };

const PASSWORD = "seven green lanterns";

let product: StartedProduct;
let database: StartedProduct["database"];
let environment: StartedProduct["environment"];
let roles: StartedProduct["roles"];

beforeAll(async () => {
  product = await startProduct("routes", { CODEINDEX_WEBHOOK_SECRET: "x".repeat(43), REGISTRATION: "open" });
  ({ database, environment, roles } = product);
});

afterAll(() => product.stop());

test("every route has a class that is known here, and below /admin it is one for admins", () => {
  const classes = [...OPEN_CLASSES, ...ADMIN_CLASSES, ...OTHER_CLASSES];
  expect(roles.routes.filter(({ auth }) => auth === undefined || !classes.includes(auth))).toEqual([]);
  const administration = roles.routes.filter(({ role, url }) => role === "identity" && url.startsWith("/admin"));
  expect(administration.filter(({ auth = "" }) => !ADMIN_CLASSES.includes(auth))).toEqual([]);
});

test("what anyone may call is listed, and nothing else is open", () => {
  for (const [role, listed] of Object.entries(PUBLIC)) {
    expect(openRoutes(role), role).toEqual(listed);
  }
  expect(new Set(roles.routes.map(({ role }) => role))).toEqual(new Set(Object.keys(PUBLIC)));
});

test("without any credentials every other route answers 401, through the console too", async () => {
  expect(await answersOf(guarded(), {})).toEqual(all(guarded(), 401));
});

test("a partial token opens nothing but the second step", async () => {
  await register("ada@example.com");
  const { secret, partialToken } = await logInHalfway("ada@example.com");
  const cookie = ["__Host-sightline_refresh", "sightline_refresh"].map((name) => `${name}=${partialToken}`).join("; ");
  for (const headers of [{ authorization: `Bearer ${partialToken}` }, { "x-api-key": partialToken }, { cookie }]) {
    expect(await answersOf(guarded(), headers)).toEqual(all(guarded(), 401));
  }
  const payload = { partial_token: partialToken, code: totpCode(secret, 1) };
  const opened = await roles.serverOf("identity").inject({ method: "POST", url: "/login/verify-2fa", payload });
  expect(opened.statusCode).toBe(200);
});

test("a member's session is refused with 403 by every route for admins", async () => {
  await register("grace@example.com");
  const routes = guarded().filter(({ auth = "" }) => ADMIN_CLASSES.includes(auth));
  expect(routes.length).toBeGreaterThan(10);
  const token = await accessTokenOf("grace@example.com");
  expect(await answersOf(routes, { authorization: `Bearer ${token}` })).toEqual(all(routes, 403));
});

test("the token of a one-time password opens nothing but its change", async () => {
  const oneTimePassword = await withParts(environment, silentLog, async ({ identity }) => {
    const made = await identity.createAdmin({ email: "alan@example.com", name: "Alan", password: undefined, tenantName: "default" });
    return made.oneTimePassword ?? "";
  });
  const token = await accessTokenOf("alan@example.com", oneTimePassword);
  const routes = guarded().filter(({ auth }) => auth !== "session-or-password-change");
  const answers = await answersOf(routes, { authorization: `Bearer ${token}` });
  expect(answers.filter((answer) => !/ 40[13]$/.test(answer))).toEqual([]);
});

test("the token of an admin who has yet to set up a second factor opens nothing but that", async () => {
  await withParts(environment, silentLog, ({ identity }) =>
    identity.createAdmin({ email: "joan@example.com", name: "Joan", password: PASSWORD, tenantName: "default" }),
  );
  await database.pool.query(
    "insert into identity.policies select id, now() - interval '1 s', false from identity.tenants where name = 'default'",
  );
  const token = await accessTokenOf("joan@example.com");
  await database.pool.query("delete from identity.policies");
  const routes = guarded().filter(
    ({ auth = "" }) => !["admin-setting-up", "session-setting-up", "fresh-session", "session-or-password-change"].includes(auth),
  );
  const answers = await answersOf(routes, { authorization: `Bearer ${token}` });
  expect(answers.filter((answer) => !/ 40[13]$/.test(answer))).toEqual([]);
});

function isOpen({ role, method, url, auth = "" }: ServedRoute): boolean {
  return OPEN_CLASSES.includes(auth) && !(role === "identity" && ASKS_ELSEWHERE.includes(`${method} ${url}`));
}

/** In short: HEAD goes with its GET, a proxy takes every method, and the API's pages are one. */
function openRoutes(role: string): readonly string[] {
  const open = roles.routes.filter((route) => route.role === role && isOpen(route));
  const names = open.map(({ method, url }) => {
    const isProxy = role === "console" && url.startsWith("/api/");
    return `${isProxy ? "*" : method.replace("HEAD", "GET")} ${isProxy ? url.replace(/\/\*?$/, "/*") : url.replace(/^\/docs.*/, "/docs/*")}`;
  });
  return [...new Set(names)].toSorted((one, other) => (one < other ? -1 : 1));
}

/** Every route that is not open to anyone, as it is and behind the console. The second step is for the one who has a partial token. */
function guarded(): readonly ServedRoute[] {
  const routes = roles.routes.filter((route) => !isOpen(route) && !route.url.startsWith("/login/verify-2fa"));
  const proxied = Object.entries(PROXIES).flatMap(([role, prefix]) =>
    routes.filter((route) => route.role === role).map((route) => ({ ...route, role: "console" as const, url: `${prefix}${route.url}` })),
  );
  return [...routes, ...proxied];
}

async function answersOf(routes: readonly ServedRoute[], headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const route of routes) {
    const url = route.url.replaceAll(/:\w+/g, "00000000-0000-4000-8000-000000000000").replace("*", "x");
    const answer = await roles.serverOf(route.role).inject({ method: route.method as "GET", url, headers });
    answers.push(`${routeName(route)} ${answer.statusCode}`);
  }
  return answers;
}

function all(routes: readonly ServedRoute[], status: number): readonly string[] {
  return routes.map((route) => `${routeName(route)} ${status}`);
}

function routeName({ role, method, url }: ServedRoute): string {
  return `${role}: ${method} ${url}`;
}

async function register(email: string): Promise<void> {
  const payload = { email, password: PASSWORD, name: "Someone" };
  const answer = await roles.serverOf("observability").inject({ method: "POST", url: "/api/v1/auth/register", payload });
  expect(answer.statusCode).toBe(201);
}

async function logIn<Answer>(email: string, password = PASSWORD): Promise<Answer> {
  const answer = await roles.serverOf("identity").inject({ method: "POST", url: "/login/access-token", payload: { email, password } });
  expect(answer.statusCode).toBe(200);
  return answer.json<Answer>();
}

async function accessTokenOf(email: string, password?: string): Promise<string> {
  const { access_token: token } = await logIn<{ access_token: string }>(email, password);
  return token;
}

/** Sets the second factor up and shows the password alone after that. */
async function logInHalfway(email: string): Promise<{ readonly secret: string; readonly partialToken: string }> {
  const identity = roles.serverOf("identity");
  const headers = { authorization: `Bearer ${await accessTokenOf(email)}` };
  const setup = await identity.inject({ method: "POST", url: "/admin/2fa/setup", headers });
  const { secret, setup_token } = setup.json<{ secret: string; setup_token: string }>();
  const payload = { code: totpCode(secret), setup_token };
  await identity.inject({ method: "POST", url: "/admin/2fa/verify-setup", headers, payload });
  const { partial_token: partialToken } = await logIn<{ partial_token: string }>(email);
  return { secret, partialToken };
}
