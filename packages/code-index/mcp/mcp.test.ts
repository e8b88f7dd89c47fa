import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countTokens } from "#tokens/count-tokens.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let shop: Indexed;
let token: string;
let foreign: string;
let address: URL;

/** Long enough that ten of them don't fit into any usual answer. */
const HANDLERS = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [
    `src/handlers/handler-${index}.ts`,
    `export function handleRequest${index}(request: Request) {\n${`  audit("request", request.id, "${index}");\n`.repeat(40)}}\n`,
  ]),
);

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", {
    ...HANDLERS,
    "src/shelves.ts": Array.from(
      { length: 3 },
      (_, shelf) => `export function fillShelf${shelf}() {\n${`  placeOnShelf(${shelf});\n`.repeat(80)}}\n`,
    ).join("\n"),
    "src/cart.ts": "/** Puts an item into the shopping cart. */\nexport function addToCart(item: string) {\n  cart.push(item);\n}\n",
    "notes/fence.md": "```js\nconst fenced = `x`;\n```\n",
  });
  token = await running.createToken("one");
  foreign = await running.createToken("two");
  await running.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = running.server.server.address() as AddressInfo;
  address = new URL(`http://127.0.0.1:${port}/mcp`);
});

afterAll(async () => {
  // A client that was closed while it opened a connection leaves one without a request, and the server would wait for it.
  running.server.server.closeAllConnections();
  await running.stop();
});

type Mode = "legacy" | { readonly pin: string };

async function withClient<Result>(work: (client: Client) => Promise<Result>, mode: Mode = "legacy", bearer = token): Promise<Result> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers: { authorization: `Bearer ${bearer}` } } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function callTool(name: string, given: Record<string, unknown>, mode?: Mode, bearer?: string) {
  const result = await withClient((client) => client.callTool({ name, arguments: given }), mode, bearer);
  const [content] = result.content;
  return { ...result, text: content?.type === "text" ? content.text : "" };
}

const ERAS: readonly (readonly [string, Mode])[] = [
  ["2025-11-25", "legacy"],
  ["2026-07-28", { pin: "2026-07-28" }],
];

test.for(ERAS)("a client of MCP %s lists its read-only tools with instructions", async ([, mode]) => {
  await withClient(async (client) => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      "search",
      "grep",
      "read_file",
      "find_symbol",
      "find_references",
      "commit_search",
      "read_commit",
      "list_files",
      "list_repos",
      "index_status",
    ]);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        annotations: { readOnlyHint: true },
        inputSchema: { type: "object" },
      });
      // With one, clients show the model the data alone, without what the text says of itself.
      expect(tool.outputSchema).toBeUndefined();
    }
    expect(client.getInstructions()).toContain("search");
    // Lists change without word of it.
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: false }, resources: { listChanged: false } });
  }, mode);
});

test("each tool says what it does in few words, and what is wrong with what it is given", async () => {
  await withClient(async (client) => {
    for (const { name, title, description = "", inputSchema } of (await client.listTools()).tools) {
      expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      expect(title).not.toBe("");
      expect(countTokens(description)).toBeLessThanOrEqual(MAX_DESCRIPTION_TOKENS);
      expect(inputSchema.properties).toHaveProperty("max_tokens");
      const refused = await client.callTool({ name, arguments: { no_such_field: 1 } });
      expect(refused, name).toMatchObject({
        isError: true,
        content: [{ type: "text", text: expect.stringMatching(/no_such_field|required|expected/i) }],
      });
    }
  });
});

/** Models are told of all tools in every conversation. */
const MAX_DESCRIPTION_TOKENS = 200;

test.for(ERAS)("a client of MCP %s searches, and gets repository, commit, path, numbered lines and nothing twice", async ([, mode]) => {
  const { text, structuredContent } = await callTool("search", { query: "where is an item put into the shopping cart" }, mode);
  expect(structuredContent).toBeUndefined();
  expect(text).toMatch(/^1\. acme\/shop src\/cart\.ts:1-\d+ \(addToCart\)/);
  expect(text).toContain(`acme/shop@${shop.commit} (`);
  expect(text).toMatch(/^3: {3}cart\.push\(item\)/mu);
});

test("a file is one result, which names its other places", async () => {
  const { text } = await callTool("search", { query: "placeOnShelf" });
  expect(text.match(/^\d+\. .*src\/shelves\.ts.*/gmu)).toEqual([
    expect.stringMatching(/^1\. acme\/shop src\/shelves\.ts:\d+-\d+ \(.+\), also \d+-\d+/u),
  ]);
});

test.for([400, 1_000, 2_000, 4_000])("an answer of %i tokens at the most keeps to them, and says what was cut", async (maxTokens) => {
  const { text } = await callTool("search", {
    query: "handleRequest audit request",
    limit: 12,
    max_tokens: maxTokens,
  });
  expect(countTokens(text)).toBeLessThanOrEqual(maxTokens);
  expect(text).toMatch(/Cut to max_tokens: .+read_file/);
});

test("an answer has 2,000 tokens at the most unless more are asked for, and 25,000 however many are", async () => {
  const usual = await callTool("search", { query: "handleRequest audit request", limit: 50 });
  expect(countTokens(usual.text)).toBeLessThanOrEqual(2_000);
  const most = await callTool("search", { query: "handleRequest audit request", limit: 50, max_tokens: 10_000_000 });
  expect(most.isError).toBeUndefined();
  expect(countTokens(most.text)).toBeLessThanOrEqual(25_000);
});

test("a file is read by lines, cut to its tokens and read on where it was cut", async () => {
  const path = "src/handlers/handler-3.ts";
  const lines = await callTool("read_file", { repo: "acme/shop", path, start: 1, end: 1 });
  expect(lines.text).toBe(
    `acme/shop@${shop.commit} ${path}:1-1 of 42 lines\n\`\`\`\n1: export function handleRequest3(request: Request) {\n\`\`\``,
  );
  const read: string[] = [];
  for (let start: number | undefined = 1; start !== undefined;) {
    const { text } = await callTool("read_file", { repo: "acme/shop", path, start, max_tokens: 400 });
    expect(countTokens(text)).toBeLessThanOrEqual(400);
    read.push(...[...text.matchAll(/^\d+: (.*)$/gmu)].map(([, line = ""]) => line));
    const next = /read on with start=(\d+)/u.exec(text)?.[1];
    start = next === undefined ? undefined : Number(next);
  }
  expect(`${read.join("\n")}\n`).toBe(HANDLERS[path]);
});

test("code that has fences of its own does not end the answer's", async () => {
  const { text } = await callTool("read_file", { repo: "acme/shop", path: "notes/fence.md" });
  expect(text.match(/^````$/gm)).toHaveLength(2);
});

test("repositories are listed with status and commit", async () => {
  const { text } = await callTool("list_repos", { query: "SHOP" });
  expect(text).toBe(`acme/shop@${shop.commit} (ready, 15 files)`);
  expect((await callTool("list_repos", { query: "nothing" })).text).toContain("No repository");
});

test.for([
  ["search", { query: "x", repo: "acme/nowhere" }, /acme\/nowhere is not indexed here; known: acme\/shop/],
  ["search", { query: "  " }, /empty; say what to look for/],
  ["search", { query: "a\0b" }, /NUL/],
  ["search", {}, /query/],
  ["search", { query: "x", limit: 0 }, /limit/],
  ["search", { query: "x", language: "py" }, /language/],
  ["list_repos", { query: "x", top: 3 }, /top/],
  ["read_file", { repo: "acme/shop", path: "cart.ts" }, /has no file cart\.ts; did you mean src\/cart\.ts/],
  ["read_file", { repo: "acme/shop", path: "src/" }, /has no file src\/; it is a folder: list its files/],
  ["read_file", { repo: "acme/shop", path: "src/catr.ts" }, /has no file src\/catr\.ts; did you mean src\/cart\.ts/],
  ["read_file", { repo: "acme/nowhere", path: "cart.ts" }, /known: acme\/shop/],
  ["read_file", { repo: "acme/shop", path: "src/cart.ts", start: 99 }, /has 4 lines/],
] as const)("the tool %s, given %j, answers with an error to act on", async ([name, given, message]) => {
  const { isError, text } = await callTool(name, given);
  expect(isError).toBe(true);
  expect(text).toMatch(message);
});

test("the token of a foreign tenant finds, reads and lists nothing", async () => {
  expect((await callTool("search", { query: "addToCart" }, "legacy", foreign)).text).toContain("Nothing was found");
  expect((await callTool("list_repos", {}, "legacy", foreign)).text).toContain("No repository");
  for (const [name, given] of [
    ["search", { query: "addToCart", repo: "acme/shop" }],
    ["read_file", { repo: "acme/shop", path: "src/cart.ts" }],
  ] as const) {
    const { isError, text } = await callTool(name, given, "legacy", foreign);
    expect(isError).toBe(true);
    expect(text).toMatch(/known: none yet/);
  }
});

test("calls of two tenants at once never mix", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { text } = await callTool("list_repos", {}, "legacy", index % 2 === 0 ? token : foreign);
      return text.includes("acme/shop");
    }),
  );
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => index % 2 === 0));
});

test("an access token of the console opens /mcp as well", async () => {
  const jwt = running.issue({ tid: "one", role: "member" });
  expect((await callTool("list_repos", {}, "legacy", jwt)).text).toContain("acme/shop");
});

// Without the client: what is on the wire.

async function send(headers: Record<string, string>, body: string | undefined, method = "POST") {
  const response = await fetch(address, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const listing = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test("plain JSON-RPC by POST is answered, without a session", async () => {
  const { status, text } = await send({ ...json, authorization: `Bearer ${token}` }, listing);
  expect(status).toBe(200);
  expect(text).toContain('"name":"read_file"');
});

test.for(["GET", "POST", "DELETE"])("%s /mcp without a token is 401 auth_failed with the address of the metadata", async (method) => {
  const { status, headers, text } = await send({}, undefined, method);
  expect(status).toBe(401);
  expect(JSON.parse(text)).toEqual({ error: "auth_failed", message: expect.any(String) });
  expect(headers.get("www-authenticate")).toBe('Bearer resource_metadata="http://localhost:8080/.well-known/oauth-protected-resource/mcp"');
});

test.for(["", "/mcp"])("the metadata of the protected resource is at /.well-known/oauth-protected-resource%s", async (suffix) => {
  const response = await fetch(new URL(`/.well-known/oauth-protected-resource${suffix}`, address));
  expect(await response.json()).toMatchObject({ resource: "http://localhost:8080/mcp", bearer_methods_supported: ["header"] });
});

test("sessions are not kept: GET, HEAD and DELETE with a token are 405", async () => {
  for (const method of ["GET", "HEAD", "DELETE"]) {
    expect((await send({ ...json, authorization: `Bearer ${token}` }, undefined, method)).status).toBe(405);
  }
});

test("what is no JSON-RPC is refused, never 500", async () => {
  for (const body of ["", "{", "[]", "null", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1,"method":"no/such"}']) {
    const { status } = await send({ ...json, authorization: `Bearer ${token}` }, body);
    expect({ body, failed: status >= 500 }).toEqual({ body, failed: false });
  }
  expect((await send({ ...json, authorization: `Bearer ${token}` }, "x".repeat(1024 * 1024 + 1))).status).toBe(413);
  expect((await send({ authorization: `Bearer ${token}`, "content-type": "text/plain" }, listing)).status).toBe(415);
});

test("a page of another site may not call /mcp, even with a token", async () => {
  const authorization = `Bearer ${token}`;
  expect((await send({ ...json, authorization, origin: "https://evil.example" }, listing)).status).toBe(403);
  expect((await send({ ...json, authorization, origin: "null" }, listing)).status).toBe(403);
  expect((await send({ ...json, authorization, origin: "http://localhost:3000" }, listing)).status).toBe(200);
});

test("a name that was rebound to the server's address is no way in", async () => {
  const answer = await running.server.inject({
    method: "POST",
    url: "/mcp",
    headers: { ...json, authorization: `Bearer ${token}`, host: "evil.example" },
    payload: listing,
  });
  expect(answer.statusCode).toBe(403);
});
