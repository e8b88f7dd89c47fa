import { afterEach, beforeEach, expect, test } from "vitest";
import { askFor, CALLBACK, registerApp } from "#testing/connect-app.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture();
});

afterEach(() => subject.close());

function register(payload: Readonly<Record<string, unknown>>, remoteAddress = "203.0.113.7") {
  return subject.server.inject({ method: "POST", url: "/oauth/register", payload, remoteAddress });
}

test("an app registers with what it is called and where it takes codes, and has no secret", async () => {
  const answer = await register({
    client_name: "An assistant",
    redirect_uris: [CALLBACK, "https://assistant.example/callback", CALLBACK],
    token_endpoint_auth_method: "client_secret_basic",
    scope: "everything",
    logo_uri: "https://assistant.example/logo.svg",
  });
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toEqual({
    client_id: expect.stringMatching(/^[\w-]{32}$/),
    client_id_issued_at: Math.floor(subject.clock.now().getTime() / 1000),
    client_name: "An assistant",
    redirect_uris: [CALLBACK, "https://assistant.example/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
});

test.for([
  "http://assistant.example/callback",
  "https://localhost/callback",
  "javascript:alert(1)",
  "javascript://assistant.example/%0aalert(1)",
  "JavaScript:/alert(1)",
  "data:/text/html,x",
  "file:///etc/passwd",
  "ftp://assistant.example/callback",
  "intent://assistant.example/#Intent;scheme=https;end",
  "chrome-extension://abcdef/callback",
  "ms-msdt:/id",
  "search-ms://query",
  "mailto:ada@example.org",
  "facetime:/someone",
  "itms-services:/x",
  "slack:/x",
  "skype:/x",
  "steam://run/1",
  "web+x://x",
  "vscode://x/y",
  "vscode://vscode.github-authentication/did-authenticate",
  "cursor://evil/oauth/callback",
  "cursor://anysphere.cursor-mcp.evil/oauth/callback",
  "assistant://callback/path",
  ".assistant:/callback",
  "com.:/callback",
  "assistant:callback",
  "com.assistant://callback?command=run",
  "com.assistant://user@callback",
  "com.assistant:///../\\host",
  "Com.Assistant://callback",
  "x:/callback",
  "https:assistant.example",
  "https:\\\\assistant.example\\callback",
  " https://assistant.example/callback",
  "https://assistant.example/call\nback",
  "https://assistant.example/<b>",
  "https://assistant.example/\u0000",
  "https://assistant.example/\uD800",
  "https://[::1]/callback",
  "https://127.1/callback",
  "http://0.0.0.0/callback",
  "http://127.0.0.1.evil.example/callback",
  "https://user:password@assistant.example/callback",
  "https://assistant.example/callback#part",
  "/callback",
])("codes are not sent to %j", async (address) => {
  const answer = await register({ client_name: "An assistant", redirect_uris: [CALLBACK, address] });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ error: "invalid_redirect_uri", error_description: expect.any(String) });
});

test.for([
  "cursor://anysphere.cursor-retrieval/oauth/callback",
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "vscode://saoudrizwan.claude-dev/mcp-auth/callback/1f2e",
  "com.example.assistant:/callback",
])("codes are sent to an app that opens its own addresses: %s", async (address) => {
  const answer = await register({ client_name: "An assistant", redirect_uris: [address] });
  expect(answer.json()).toMatchObject({ redirect_uris: [address] });
});

test.for<readonly [string | undefined, string]>([
  ["  Two \n lines\u0000 ", "Two lines"],
  ["Sight\u202Eenil", "Sight enil"],
  ["\u200B", "An app without a name"],
  [undefined, "An app without a name"],
  ["n".repeat(200), `${"n".repeat(79)}…`],
])("a name is one short line that reads as it is: %j", async ([given, name]) => {
  const answer = await register({ ...(given === undefined ? {} : { client_name: given }), redirect_uris: [CALLBACK] });
  expect(answer.json()).toMatchObject({ client_name: name });
});

test("one place registers 30 apps an hour, and others go on", async () => {
  for (let count = 0; count < 30; count += 1) {
    expect((await register({ redirect_uris: [CALLBACK] })).statusCode).toBe(201);
  }
  const refused = await register({ redirect_uris: [CALLBACK] });
  expect([refused.statusCode, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
  expect((await register({ redirect_uris: [CALLBACK] }, "198.51.100.7")).statusCode).toBe(201);
});

test("a site of IPv6 has 65,536 networks, and the registrations of ten", async () => {
  const from = (network: number) => register({ redirect_uris: [CALLBACK] }, `2001:db8:7:${network.toString(16)}::1`);
  for (let network = 0; network < 12; network += 1) {
    await Promise.all(Array.from({ length: 25 }, () => from(network)));
  }
  expect((await from(13)).statusCode).toBe(429);
  expect((await register({ redirect_uris: [CALLBACK] }, "2001:db8:8::1")).statusCode).toBe(201);
});

test("a registration is short", async () => {
  expect((await register({ redirect_uris: [CALLBACK], software_statement: "x".repeat(20_000) })).statusCode).toBe(413);
  expect((await register({ redirect_uris: Array.from({ length: 21 }, () => CALLBACK) })).statusCode).toBe(400);
  expect((await register({ redirect_uris: [] })).json()).toMatchObject({ error: "invalid_client_metadata" });
});

test("each refusal says in OAuth's own field what is wrong", async () => {
  const headers = { "content-type": "application/json" };
  const refusals = await Promise.all([
    register({ redirect_uris: "https://assistant.example/callback" }),
    register({ redirect_uris: [] }),
    register({ redirect_uris: [CALLBACK], software_statement: "x".repeat(20_000) }),
    subject.server.inject({ method: "POST", url: "/oauth/register", headers, payload: "{" }),
    subject.server.inject({ method: "POST", url: "/oauth/register", headers: { "content-type": "text/plain" }, payload: "x" }),
  ]);
  expect(refusals.map(({ statusCode }) => statusCode)).toEqual([400, 400, 413, 400, 400]);
  for (const refused of refusals) {
    expect(refused.json()).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/), error_description: expect.stringMatching(/\w{3}/) });
  }
  expect(refusals[0]?.json()).toMatchObject({ error_description: expect.stringContaining("redirect_uris") });
});

test("an app that nobody let in is forgotten after a day", async () => {
  const app = await registerApp(subject.server);
  subject.clock.forward(24 * 3600 + 1);
  const answer = await askFor(subject.server, app);
  expect([answer.statusCode, answer.body.includes("invalid_client")]).toEqual([400, true]);
});
