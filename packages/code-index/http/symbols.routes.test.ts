import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { countTokens } from "#tokens/count-tokens.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let shop: Indexed;
let client: Client;

/** Enough uses that they don't fit into an answer. */
const USERS = Object.fromEntries(
  Array.from({ length: 40 }, (_, file) => [
    `src/users/user-${file}.ts`,
    `import { chargeCard } from "../pay.ts";\nexport function user${file}() {\n${"  chargeCard(basket);\n".repeat(5)}}\n`,
  ]),
);

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", {
    ...USERS,
    "src/receipt.py": 'def print_receipt(receipt):\n    """Prints it.\n\n    On paper."""\n    out(receipt)\n',
    "src/pay.ts":
      "/**\n * Takes the money.\n * @param basket what is bought\n */\nexport function chargeCard(basket: Basket): Receipt {\n  return pay(basket);\n}\n",
  });
  const headers = { authorization: `Bearer ${await running.createToken("one")}` };
  await running.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = running.server.server.address() as AddressInfo;
  client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } }));
});

afterAll(async () => {
  await client.close();
  running.server.server.closeAllConnections();
  await running.stop();
});

async function get(url: string) {
  const answer = await running.server.inject({ url, headers: running.asAdmin() });
  return { status: answer.statusCode, body: answer.json() };
}

const commits = (query: string) => get(`/api/v1/repos/${shop.id}/commits${query}`);

async function call(name: string, given: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: given });
  const [content] = result.content;
  return { isError: result.isError, text: content?.type === "text" ? content.text : "" };
}

test("a definition and its uses are a request each", async () => {
  expect(await get("/api/v1/symbols?name=chargecard&repo=ACME/shop")).toMatchObject({
    status: 200,
    body: {
      symbols: [
        {
          repo: "acme/shop",
          commit: shop.commit,
          path: "src/pay.ts",
          name: "chargeCard",
          signature: expect.stringContaining("Basket): Receipt"),
          comment: "Takes the money.",
        },
      ],
    },
  });
  const { body: python } = await get("/api/v1/symbols?name=print_receipt");
  expect(python.symbols[0].comment).toBe("Prints it.\n\nOn paper.");
  const { body: outline } = await get(`/api/v1/repos/${shop.id}/outline?path=src/users/user-1.ts`);
  expect([outline.symbols.map(({ name }: { name: string }) => name), outline.names]).toEqual([["user1"], ["chargeCard"]]);
  const { body } = await get("/api/v1/references?symbol=chargeCard&limit=3");
  expect(body).toMatchObject({ total: 240, files_total: 40, references: [{ kind: "import" }, { kind: "call", within: "user0" }, {}] });
  expect((await get(`/api/v1/references?symbol=chargeCard&limit=3&cursor=${body.next_cursor}`)).body.references).toHaveLength(3);
});

test("the indexer brings a branch's history along, also of the next push", async () => {
  await vi.waitFor(async () => expect((await commits("")).body).toMatchObject({ commits: [{ subject: "Change" }] }), { timeout: 20_000 });
  const next = await shop.source.commit({ "src/pay.ts": "export function chargeCard() {}\n" });
  await running.server.inject({ method: "POST", url: `/api/v1/repos/${shop.id}/index`, headers: running.asAdmin(), payload: {} });
  await vi.waitFor(
    async () =>
      expect((await commits("?path=src/pay.ts&limit=1")).body).toMatchObject({
        commit: next,
        commits: [{ commit: next, paths: ["src/pay.ts"] }],
      }),
    { timeout: 20_000 },
  );
});

test.for([
  "/symbols",
  "/symbols?name=",
  "/symbols?name=%00",
  "/symbols?name=x&kind=thing",
  "/symbols?name=x&limit=0",
  "/symbols?name=x&cursor=x",
  "/symbols?name=x&path=%00",
  `/symbols?name=${"x".repeat(501)}`,
  "/references?symbol=%20",
  "/references?symbol=x&limit=201",
  "/references?symbol=x&cursor=bnVsbA",
  "COMMITS?since=yesterday",
  "COMMITS?until=2024-13-01",
  "COMMITS?limit=101",
  "COMMITS?query=a%00",
  "COMMITS?cursor=WyJhIiwxXQ",
  "COMMITS?ref=..",
])("%s is refused with what is wrong", async (url) => {
  const { status, body } = await get(`/api/v1${url.replace("COMMITS", `/repos/${shop.id}/commits`)}`);
  expect({ status, message: body.message }).toEqual({ status: 400, message: expect.stringMatching(/.{10,}/) });
});

test.for([
  ["find_symbol", { name: "chargeCard" }, /src\/pay\.ts:1-\d+ function chargeCard\n {2}export function chargeCard/],
  [
    "find_references",
    { symbol: "chargeCard", max_tokens: 500 },
    /Used \(240 lines in 40 files; all lines with the name: 1 definition, 40 import, 200 call\):[^]*Cut to max_tokens[^]*cursor: /,
  ],
  ["commit_search", { repo: "acme/shop", path: "src/pay.ts" }, /[0-9a-f]{40} \d{4}-\d\d-\d\d Test <test@example\.org>\n {2}Change/],
] as const)("the tool %s answers in few tokens", async ([name, given, expected]) => {
  const { text, isError } = await call(name, given);
  expect(isError).toBeUndefined();
  expect(text).toMatch(expected);
  const most = "max_tokens" in given ? given.max_tokens : 2_000;
  expect(countTokens(text)).toBeLessThanOrEqual(most);
});

/** `path:line` of every use, under the name of its file. */
function linesIn(text: string): readonly string[] {
  const [, used = ""] = text.split(/^Used .*$/mu);
  const found: string[] = [];
  let file = "";
  for (const line of used.split("\n")) {
    file = /^acme\/shop(?:@[0-9a-f]{40})? (\S+)$/u.exec(line)?.[1] ?? file;
    const number = /^ {2}(\d+): /u.exec(line)?.[1];
    found.push(...(number === undefined ? [] : [`${file}:${number}`]));
  }
  return found;
}

test("an answer that was cut goes on, page after page, without a hole", async () => {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const { text } = await call("find_references", { symbol: "chargeCard", max_tokens: 1_500, limit: 200, cursor });
    lines.push(...linesIn(text));
    cursor = /^cursor: (.+)$/mu.exec(text)?.[1];
  } while (cursor !== undefined);
  expect(new Set(lines).size).toBe(240);
  expect(lines).toHaveLength(240);
});

test.for([
  ["find_symbol", { name: "nothingOfThisName" }, undefined, /Nothing is defined/],
  ["find_references", { symbol: "nothingOfThisName" }, undefined, /No line uses/],
  ["find_symbol", { name: "x", repo: "acme/none" }, true, /known: acme\/shop/],
  ["commit_search", { repo: "acme/none" }, true, /known: acme\/shop/],
  ["commit_search", { repo: "acme/shop", since: "last week" }, true, /2026-01-31/],
] as const)("the tool %s, given %j, says what to do", async ([name, given, isError, message]) => {
  expect(await call(name, given)).toMatchObject({ isError, text: expect.stringMatching(message) });
});
