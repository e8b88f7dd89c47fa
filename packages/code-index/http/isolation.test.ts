import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ensureCodeIndexTenant } from "#index.ts";
import { markTenant } from "#store/records/deletions.store.ts";
import { createMarkedFixture, MARKS, type MarkedFixture } from "#testing/marked-fixture.ts";
import { exampleOf, exampleOfJson, type Fill, type ServedRoute } from "#testing/served-routes.ts";

/**
 * Tries every route and every MCP tool, as they are registered, with the tokens of whoever must see nothing of a marked
 * repository: what is not theirs has to look as if it were not there. A new route or tool is tried without a change here.
 */
let fixture: MarkedFixture;
let address: URL;
let before: unknown;

/** Asks as another tenant, or as a token of the tenant that opens another repository only. */
const ASKERS = ["admin", "member", "token", "restricted token"] as const;
type Asker = (typeof ASKERS)[number];

const tokens = new Map<string, string>();

beforeAll(async () => {
  fixture = await createMarkedFixture();
  const { running, allowedId } = fixture;
  tokens.set("owner", running.issue({ tid: "one" }));
  tokens.set("admin", running.issue({ tid: "two", sub: "admin-two" }));
  tokens.set("member", running.issue({ tid: "two", role: "member", sub: "member-two" }));
  tokens.set("token", await running.createToken("two"));
  const restricted = await running.server.inject({
    method: "POST",
    url: "/api/v1/developer-tokens",
    headers: running.asAdmin("one"),
    payload: { label: "restricted", repositories: [allowedId] },
  });
  tokens.set("restricted token", restricted.json<{ token: string }>().token);
  await running.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = running.server.server.address() as AddressInfo;
  address = new URL(`http://127.0.0.1:${port}/mcp`);
  before = await rowsOfVictim();
}, 60_000);

afterAll(async () => {
  fixture.running.server.server.closeAllConnections();
  await fixture.running.stop();
});

type Answer = { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, unknown>> };
type Call = { readonly method: string; readonly url: string; readonly payload?: Record<string, unknown> };

async function send(bearer: string | undefined, { method, url, payload }: Call): Promise<Answer> {
  const answer = await fixture.running.server.inject({
    method: method as "GET",
    url,
    headers: { host: "localhost", ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    ...(payload === undefined ? {} : { payload }),
  });
  const { date: _date, "x-request-id": _id, ...headers } = answer.headers;
  return { status: answer.statusCode, body: answer.body, headers };
}

const PARAMETER = /:(\w+)|\*/g;

/** A route's addresses, with every id for each of its parameters: a parameter that is new here is tried too. */
function callsOf({ method, url, query, body }: ServedRoute, fill: Fill, ids: readonly string[]): readonly Call[] {
  const hasParameter = url.search(PARAMETER) !== -1;
  return (hasParameter ? ids : [""]).flatMap((id) =>
    (["all", "required"] as const).map((which) => {
      const asked = new URLSearchParams();
      for (const [name, value] of Object.entries(query === undefined ? {} : exampleOf(query, fill, which))) {
        asked.append(name, String(value));
      }
      const payload =
        body === undefined
          ? {}
          : { payload: { index: false, clone_url: fill["clone_url"], ...exampleOf(body, { ...fill, name: () => randomUUID() }, which) } };
      const path = url.replace(":commit", String(fill["commit"])).replaceAll(PARAMETER, id);
      return { method, url: `${path}?${asked.toString()}`, ...payload };
    }),
  );
}

function guarded(): readonly ServedRoute[] {
  return fixture.routes.filter(({ method, auth, url }) => method !== "HEAD" && auth !== "public" && auth !== "webhook" && url !== "/mcp");
}

/** What is in the answer of the marked repository, and was not in the question. */
function leaks(question: string, answer: string): readonly string[] {
  const marks = [...Object.values(MARKS), ...Object.values(fixture.ids), "dunlin-secret", "kingfisher"];
  return marks.filter((mark) => answer.includes(mark) && !decodeURIComponent(question.replaceAll("+", " ")).includes(mark));
}

/** An answer without what was asked for and what differs each time. */
function shapeOf({ status, body, headers }: Answer, fill: Fill): unknown {
  const names = Object.values(fill)
    .flat()
    .filter((value) => typeof value === "string" && value !== fill["query"] && value !== fill["pattern"]);
  const plain = names
    .toSorted((one, other) => String(other).length - String(one).length)
    .reduce<string>((text, name) => text.replaceAll(String(name), "<asked>"), body)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>")
    .replaceAll(/codeindex_[\w-]+/g, "<token>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/"ms":[\d.]+/g, "<ms>");
  return { status, body: plain, headers: { ...headers, "content-length": undefined } };
}

/** What is made in the background answers 202 meanwhile. */
async function sendUntilReady(call: Call): Promise<Answer> {
  return vi.waitFor(
    async () => {
      const answer = await send(tokens.get("owner"), call);
      expect(answer.status).not.toBe(202);
      return answer;
    },
    { timeout: 20_000, interval: 200 },
  );
}

test("the owner sees the marks on every route that shows anything: the questions are the right ones", async () => {
  const blind: string[] = [];
  for (const route of guarded().filter(({ method }) => method === "GET")) {
    let seen = false;
    for (const call of callsOf(route, fixture.victim, Object.values(fixture.ids))) {
      const { status, body } = await sendUntilReady(call);
      seen ||= status === 200 && leaks("", body).length > 0;
    }
    if (!seen) {
      blind.push(`${route.method} ${route.url}`);
    }
  }
  expect(guarded().length).toBeGreaterThan(25);
  expect(blind).toEqual([]);
});

test.for(ASKERS)("to a foreign %s what is not theirs is not there, on any route", { timeout: 120_000 }, async (asker) => {
  const logged = fixture.log.length;
  const unknownIds = Object.values(fixture.ids).map(() => randomUUID());
  const found: unknown[] = [];
  for (const route of guarded()) {
    const unknown = callsOf(route, fixture.nowhere, unknownIds);
    for (const [index, call] of callsOf(route, fixture.victim, Object.values(fixture.ids)).entries()) {
      const answer = await send(tokens.get(asker), call);
      const question = call.url + JSON.stringify(call.payload ?? {});
      const leaked = leaks(question, answer.body + JSON.stringify(answer.headers));
      const other = unknown[index];
      const absent = other === undefined ? answer : await send(tokens.get(asker), other);
      const [shape, expected] = [shapeOf(answer, fixture.victim), shapeOf(absent, fixture.nowhere)];
      if (leaked.length > 0 || answer.status >= 500 || JSON.stringify(shape) !== JSON.stringify(expected)) {
        found.push({ call, leaked, shape, expected });
      }
    }
  }
  expect(found).toEqual([]);
  expect(leaks(JSON.stringify([fixture.victim, fixture.ids]), fixture.log.slice(logged).join("\n"))).toEqual([]);
  expect(await rowsOfVictim()).toEqual(before);
});

test("a token of the tenant changes nothing and mints nothing, on any route", async () => {
  const reading = ["/api/v1/search", "/api/v1/grep"];
  const changing = guarded().filter(({ method, url }) => method !== "GET" && !reading.includes(url));
  expect(changing.length).toBeGreaterThan(10);
  const own = await fixture.running.createToken("one");
  for (const route of changing) {
    for (const call of callsOf(route, fixture.victim, Object.values(fixture.ids))) {
      const { status } = await send(own, call);
      expect({ call, status }).toEqual({ call, status: 403 });
    }
  }
  expect(await rowsOfVictim()).toEqual(before);
});

test("what everybody may see shows nothing of anybody", async () => {
  for (const route of fixture.routes.filter(({ method, auth }) => method === "GET" && auth === "public")) {
    const { body, status } = await send(undefined, { method: "GET", url: route.url.replaceAll("*", "json") });
    expect({ url: route.url, leaked: leaks("", body) }).toEqual({ url: route.url, leaked: [] });
    expect(status).toBeLessThan(500);
  }
});

test("tokens that are unknown, revoked or of a deleted tenant open nothing", async () => {
  const { running } = fixture;
  await ensureCodeIndexTenant(running.database, { tenantId: "three", name: "three" });
  const dead = {
    deleted: await running.createToken("three"),
    revoked: await running.createToken("one"),
    unknown: `codeindex_${"A".repeat(43)}`,
  };
  const { items } = (await running.server.inject({ url: "/api/v1/developer-tokens", headers: running.asAdmin("one") })).json();
  await running.server.inject({ method: "DELETE", url: `/api/v1/developer-tokens/${items[0].id}`, headers: running.asAdmin("one") });
  await markTenant(running.database, { name: "three", now: new Date() });
  const users = ["admin", "member"].map((role) => running.issue({ tid: "three", role }));
  for (const route of [...guarded(), { method: "POST", url: "/mcp", auth: "mcp", query: undefined, body: undefined }]) {
    const [call = { method: "GET", url: "" }] = callsOf(route, fixture.victim, Object.values(fixture.ids));
    for (const bearer of Object.values(dead)) {
      expect(await send(bearer, call)).toMatchObject({ status: 401, body: expect.stringContaining("auth_failed") });
    }
    for (const bearer of users) {
      const { status } = await send(bearer, call);
      expect({ call, status }).toEqual({ call, status: 403 });
    }
  }
});

// MCP

async function asClient<Result>(asker: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${tokens.get(asker)}` };
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

type ToolCall = { readonly name: string; readonly arguments: Record<string, unknown> };

async function toolCalls(client: Client, fill: Fill): Promise<readonly ToolCall[]> {
  const { tools } = await client.listTools();
  return tools.flatMap(({ name, inputSchema }) =>
    (["all", "required"] as const).map((which) => ({
      name,
      arguments: { ...exampleOfJson(inputSchema as Parameters<typeof exampleOfJson>[0], fill, which), max_tokens: 25_000 },
    })),
  );
}

test("the owner sees the marks through every MCP tool", async () => {
  const blind = await asClient("owner", async (client) => {
    const seen = new Map<string, boolean>();
    for (const call of await toolCalls(client, { ...fixture.victim, query: MARKS.content, start: 1, end: 3 })) {
      const question = JSON.stringify(call);
      const answer = JSON.stringify(await client.callTool(call));
      seen.set(call.name, seen.get(call.name) === true || leaks(question, answer).length > 0);
    }
    return [...seen].filter(([, sees]) => !sees).map(([name]) => name);
  });
  expect(blind).toEqual([]);
});

test.for(ASKERS)("to a foreign %s what is not theirs is not there, through any MCP tool", { timeout: 60_000 }, async (asker: Asker) => {
  const found = await asClient(asker, async (client) => {
    const problems: unknown[] = [];
    const unknown = await toolCalls(client, fixture.nowhere);
    for (const [index, call] of (await toolCalls(client, fixture.victim)).entries()) {
      const other = unknown[index] ?? call;
      const [answer, absent] = [JSON.stringify(await client.callTool(call)), JSON.stringify(await client.callTool(other))];
      const leaked = leaks(JSON.stringify(call), answer);
      const [shape, expected] = [shapeOf(asAnswer(answer), fixture.victim), shapeOf(asAnswer(absent), fixture.nowhere)];
      if (leaked.length > 0 || JSON.stringify(shape) !== JSON.stringify(expected)) {
        problems.push({ call, leaked, shape, expected });
      }
    }
    return problems;
  });
  expect(found).toEqual([]);
});

function asAnswer(body: string): Answer {
  return { status: 200, headers: {}, body };
}

/** Everything of tenant `one` that a foreign request could have changed. */
async function rowsOfVictim(): Promise<unknown> {
  const { database } = fixture.running;
  const tables = ["repositories", "refs", "credentials", "webhook_deliveries", "index_jobs", "saved_searches", "watch_alerts"];
  const rows = await Promise.all(
    tables.map(async (table) => {
      const { rows: found } = await sql<{ rows: string }>`
        select md5(coalesce(string_agg(row::text, ' ' order by row::text), '')) as rows from ${sql.id("codeindex", table)} as row where tenant_id = 'one'
      `.execute(database.query);
      return [table, found[0]?.rows];
    }),
  );
  const { rows: tokenRows } = await sql`
    select id, label, repositories, revoked_at from codeindex.developer_tokens
    where tenant_id = 'one' and label in (${MARKS.label}, 'restricted') order by id
  `.execute(database.query);
  return [rows, tokenRows];
}
