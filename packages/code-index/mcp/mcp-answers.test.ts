import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countTokens } from "#tokens/count-tokens.ts";
import { writeScipIndex } from "#testing/scip-index.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

/** What answers hold, and how long they are, whatever is asked. */
let running: RunningCodeIndex;
let shop: Indexed;
let client: Client;
let token: string;
let address: URL;

const SERVICES = ["cart", "order", "payment", "invoice", "refund", "stock", "search", "mail", "login", "export"];

function serviceFile(name: string): string {
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const methods = ["load", "store", "validate", "retry", "notify", "cancel"].map(
    (verb) =>
      `  /** Will ${verb} the ${name}; backs off when the ${name} service is busy. */\n  async ${verb}${title}(id: string, attempts = 3): Promise<void> {\n` +
      `    if (id === "") {\n      throw new Error("no ${name} to ${verb}: the id is empty");\n    }\n` +
      `    for (let attempt = 0; attempt < attempts; attempt++) {\n      await this.client.send("${name}/${verb}", { id, attempt });\n    }\n  }\n`,
  );
  return `import { Client } from "../client.ts";\n\nexport class ${title}Service {\n  constructor(private client: Client) {}\n\n${methods.join("\n")}}\n`;
}

const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SERVICES.map((name) => [`src/services/${name}.ts`, serviceFile(name)])),
  ...Object.fromEntries(SERVICES.map((name) => [`test/${name}.test.ts`, `test("${name}", () => new ${name}Service());\n`])),
  "src/jobs/nightly.ts":
    'import { RefundService } from "../services/refund.ts";\n\nexport async function settleNight(service: RefundService) {\n  await service.retryRefund("all");\n}\n',
  "src/client.ts": "export class Client {\n  async send(path: string, body: unknown) {}\n}\n",
  "src/wide.ts": `export const wide = "${"wide ".repeat(1_400)}";\n`,
  "docs/read me.md": "# Read me\n\n```\nfenced\n```\n",
  "data/👍.txt": "emoji\n",
  "package-lock.json": "{}\n",
  ".gitignore": "dist\n",
};

beforeAll(async () => {
  running = await startCodeIndex();
  shop = await running.index("acme/shop", FILES);
  await running.index("acme/tools", { "main.go": "package main\n\nfunc main() {}\n" });
  token = await running.createToken("one");
  await running.server.listen({ host: "127.0.0.1", port: 0 });
  address = new URL(`http://127.0.0.1:${(running.server.server.address() as AddressInfo).port}/mcp`);
  client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
});

afterAll(async () => {
  await client.close();
  running.server.server.closeAllConnections();
  await running.stop();
});

async function call(name: string, given: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: given });
  const [content] = result.content;
  return { result, text: content?.type === "text" ? content.text : "" };
}

const cursorOf = (text: string) => /^cursor: (.+)$/mu.exec(text)?.[1];
/** `path:line` of the results of a search. */
const placesOf = (text: string) => [...text.matchAll(/^\d+\. acme\/shop (\S+?)-\d+(?: |$)/gmu)].map(([, place = ""]) => place);
/** Of a list of files, each line after the first. */
const entriesOf = (text: string) =>
  [...text.matchAll(/^(\S.*?) (?:\(.*\)|\d+)$/gmu)].map(([, path = ""]) => path).filter((path) => !path.startsWith("acme/"));

test("no answer is over 25,000 tokens as a whole, and none over 2,000 unless more are asked for", { timeout: 120_000 }, async () => {
  const verbs = ["load", "retry", "validate", "cancel"];
  const queries = [
    ...SERVICES.slice(0, 5).flatMap((name) => [`where is the ${name} retried`, `${name}Service`, `no ${name} to load: the id is empty`]),
    ...verbs,
    "wide",
    "/attempt\\w*/",
    "path:src OR path:test",
    "👍",
  ];
  const calls = [
    ...queries.map((query) => ({ name: "search", arguments: { query, limit: 50 } })),
    ...verbs.map((verb) => ({ name: "grep", arguments: { pattern: verb, context: 3, limit: 1_000 } })),
    { name: "grep", arguments: { pattern: "wide" } },
    ...["src/wide.ts", "src/services/cart.ts", "src/services/order.ts"].map((path) => ({
      name: "read_file",
      arguments: { repo: "acme/shop", path },
    })),
    ...["send", "Client", "CartService"].map((symbol) => ({ name: "find_references", arguments: { symbol } })),
    ...["load", "Client"].map((name) => ({ name: "find_symbol", arguments: { name } })),
    { name: "list_files", arguments: { repo: "acme/shop" } },
    { name: "commit_search", arguments: { repo: "acme/shop" } },
    { name: "index_status", arguments: {} },
    { name: "list_repos", arguments: {} },
  ];
  const usual: number[] = [];
  for (const { name, arguments: given } of calls) {
    const { text, result: answer } = await call(name, given);
    expect({ name, given, failed: answer.isError === true && text }).toEqual({ name, given, failed: false });
    usual.push(countTokens(text));
    const { result } = await call(name, { ...given, max_tokens: 1_000_000 });
    expect({ name, given, tokens: countTokens(JSON.stringify(result)) < 25_000 }).toEqual({ name, given, tokens: true });
  }
  expect(usual.filter((tokens) => tokens > 2_000)).toEqual([]);
});

test("a search that is cut goes on with its cursor until every result was shown once", async () => {
  const places: string[] = [];
  const notes: string[] = [];
  let cursor: string | undefined;
  do {
    const { text } = await call("search", {
      query: "id is empty path:services",
      limit: 30,
      max_tokens: 700,
      ...(cursor === undefined ? {} : { cursor }),
    });
    places.push(...placesOf(text));
    notes.push(text);
    cursor = cursorOf(text);
  } while (cursor !== undefined && places.length < 500);
  const { text: whole } = await call("search", { query: "id is empty path:services", limit: 50, max_tokens: 12_000 });
  expect(placesOf(whole).length).toBeGreaterThan(5);
  expect(places.length).toBeGreaterThanOrEqual(placesOf(whole).length);
  const twice = places.filter((place, index) => places.indexOf(place) !== index);
  // A machine that is busy answers with fewer legs, and says so.
  expect({ twice: notes.some((note) => note.includes("may come twice")) ? [] : twice }).toEqual({ twice: [] });
});

test("a search says how new what it searched is", async () => {
  const { text } = await call("search", { query: "CartService", repo: "acme/shop" });
  expect(text).toContain(`acme/shop@${shop.commit} (main)`);
});

test("files are listed as deep as fits, by folder, by pattern, and on by cursor", async () => {
  const whole = await call("list_files", { repo: "acme/shop" });
  expect(whole.text).toContain(`acme/shop@${shop.commit} (main): ${Object.keys(FILES).length} files`);
  expect(entriesOf(whole.text).toSorted()).toEqual(Object.keys(FILES).toSorted());
  expect(whole.text).toMatch(/^package-lock\.json \(not searchable: .+\)$/mu);

  const top = await call("list_files", { repo: "acme/shop", depth: 1 });
  expect(top.text).toMatch(/^src\/ \(13 files, \d+ lines\)$/mu);
  expect(top.text).toContain("Open a folder by naming it as path.");

  const folder = await call("list_files", { repo: "ACME/shop", path: "./src/services/", glob: "{cart,o*}.ts" });
  expect(entriesOf(folder.text)).toEqual(["src/services/cart.ts", "src/services/order.ts"]);

  const paths: string[] = [];
  let cursor: string | undefined;
  do {
    const { text } = await call("list_files", {
      repo: "acme/shop",
      max_tokens: 400,
      depth: 9,
      ...(cursor === undefined ? {} : { cursor }),
    });
    paths.push(...entriesOf(text));
    cursor = cursorOf(text);
  } while (cursor !== undefined);
  expect(paths).toEqual(entriesOf(whole.text));
});

test("the state of the index is told for one repository and for all", async () => {
  const one = await call("index_status", { repo: "Acme/Shop" });
  expect(one.text).toMatch(new RegExp(`^Repositories: 1 ready\nacme/shop: ready\n  main@${shop.commit} indexed \\S+, \\d+ files$`, "u"));
  expect((await call("index_status", {})).text).toContain("Repositories: 2 ready");
});

test.for([
  ["list_files", { repo: "acme/nowhere" }, /known: acme\/shop/],
  ["list_files", { repo: "acme/shop", path: "service" }, /has nothing at service/],
  ["list_files", { repo: "acme/shop", path: "src/servces" }, /did you mean src\/services\?/],
  ["list_files", { repo: "acme/shop", path: "cart.ts" }, /did you mean src\/services\/cart\.ts/],
  ["list_files", { repo: "acme/shop", path: "a\0b" }, /NUL/],
  ["list_files", { repo: "acme/shop", cursor: "7.bm9wZQ" }, /cursor/],
  ["list_files", { repo: "acme/shop", ref: "dev" }, /branch dev .*not indexed/],
  ["index_status", { repo: "acme/nowhere" }, /known: acme\/shop, acme\/tools/],
  ["search", { query: "x", cursor: "bm9wZQ" }, /cursor/],
] as const)("%s, given %j, answers with an error to act on", async ([name, given, message]) => {
  const { result, text } = await call(name, given);
  expect(result.isError).toBe(true);
  expect(text).toMatch(message);
});

test("patterns of files are characters where they mean nothing, and slow for nobody", async () => {
  for (const glob of ["}{", "{a,{b", "[x](", "***///", `${"*a".repeat(200)}!`, `${"{a,".repeat(60)}b${"}".repeat(60)}`]) {
    const { result, text } = await call("list_files", { repo: "acme/shop", glob });
    expect({ glob, failed: result.isError ?? false, text }).toMatchObject({
      failed: false,
      text: expect.stringContaining("): 0 files\nNo file"),
    });
  }
});

test("an assistant finds a behaviour, reads it, finds its callers its last change and who wrote it in seven calls and few tokens", async () => {
  // History comes after the code can be searched.
  await expect.poll(async () => (await call("commit_search", { repo: "acme/shop" })).text, { timeout: 10_000 }).toContain(shop.commit);
  let tokens = 0;
  const ask = async (name: string, given: Record<string, unknown>) => {
    const { text } = await call(name, given);
    tokens += countTokens(text);
    return text;
  };
  const found = await ask("search", { query: "where are refunds retried when the service is busy" });
  const [, repo, path, start = "", end = ""] = /^1\. (\S+) (\S+):(\d+)-(\d+)/u.exec(found) ?? [];
  expect([repo, path]).toEqual(["acme/shop", "src/services/refund.ts"]);
  expect(await ask("read_file", { repo, path, start: Number(start), end: Number(end) })).toContain("async retryRefund(");
  expect(await ask("find_references", { symbol: "retryRefund", repo })).toMatch(
    /^acme\/shop src\/jobs\/nightly\.ts\n {2}4: await service\.retryRefund\("all"\); {2}\[call in settleNight\]$/mu,
  );
  expect(await ask("commit_search", { repo, path, limit: 1 })).toContain(shop.commit);
  expect(await ask("read_commit", { repo, commit: shop.commit.slice(0, 10), path })).toContain("+  async retryRefund(");
  expect(await ask("read_file", { repo, path, show: "blame" })).toMatch(new RegExp(`^1-\\d+ ${shop.commit.slice(0, 12)} `, "m"));
  const history = await ask("read_file", { repo, path, show: "history", start: Number(start), end: Number(end) });
  expect(history).toMatch(
    new RegExp(`^${shop.commit.slice(0, 12)} .*\\(then :${start}-${end}\\)\\n\x60{3}diff\\n@@ .*[^]*\\+  async retryRefund\\(`, "mu"),
  );
  expect(await ask("read_file", { repo, path, show: "outline" })).toMatch(/^\d+-\d+ method RefundService › retryRefund$/mu);
  expect(await ask("read_file", { repo, path, commit: shop.commit })).toContain("async retryRefund(");
  expect(tokens).toBeLessThanOrEqual(8_000);
});

// Resources

test("files and their lines are read as resources", async () => {
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "sightline://{owner}/{name}/{ref}/{+path}{?start,end}",
    "sightline://{owner}/{name}/{ref}/{+path}",
  ]);
  const read = async (uri: string) => (await client.readResource({ uri })).contents;
  const path = "src/services/cart.ts";
  expect(await read(`sightline://acme/shop/HEAD/${path}`)).toMatchObject([{ text: FILES[path], mimeType: "text/plain" }]);
  expect(await read(`sightline://acme/shop/main/${path}?start=1&end=1`)).toMatchObject([
    { text: 'import { Client } from "../client.ts";\n' },
  ]);
  expect(await read("sightline://acme/shop/HEAD/docs/read%20me.md")).toMatchObject([{ text: FILES["docs/read me.md"] }]);
  expect(await read("sightline://acme/shop/HEAD/data/👍.txt")).toMatchObject([{ text: "emoji\n" }]);
});

test.for([
  ["sightline://acme/shop/HEAD/nowhere.ts", /has no file nowhere\.ts/],
  ["sightline://acme/other/HEAD/nowhere.ts", /known: acme\/shop/],
  ["sightline://acme/shop/dev/src/client.ts", /branch dev/],
  ["sightline://acme/shop/HEAD/src/client.ts?start=9&end=9", /has 3 lines/],
  ["sightline://acme/shop/HEAD/src/client.ts?start=x&end=9", /sightline:\/\/\{owner\}/],
  ["sightline://acme/shop/HEAD/%FF%00", /sightline:\/\/\{owner\}/],
  ["sightline://acme/shop", /not found/i],
  ["file:///etc/passwd", /not found/i],
] as const)("the resource %s is an error that says what to do", async ([uri, message]) => {
  await expect(client.readResource({ uri })).rejects.toThrow(message);
});

test("repositories, branches and paths are completed", async () => {
  const uri = "sightline://{owner}/{name}/{ref}/{+path}";
  const complete = async (name: string, value: string, known: Record<string, string> = {}) => {
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri },
      argument: { name, value },
      context: { arguments: known },
    });
    return completion.values;
  };
  expect(await complete("owner", "A")).toEqual(["acme"]);
  expect(await complete("name", "", { owner: "acme" })).toEqual(["shop", "tools"]);
  expect(await complete("name", "s", { owner: "other" })).toEqual([]);
  expect(await complete("ref", "", { owner: "acme", name: "shop" })).toEqual(["HEAD", "main"]);
  expect(await complete("path", "src/services/re", { owner: "acme", name: "shop", ref: "HEAD" })).toEqual(["src/services/refund.ts"]);
  expect(await complete("path", "SRC/c", { owner: "acme", name: "shop" })).toEqual(["src/client.ts"]);
  expect(await complete("path", "%_\\", { owner: "acme", name: "shop" })).toEqual([]);
  expect(await complete("path", "src", { owner: "acme", name: "nowhere" })).toEqual([]);
});

test("an answer tells exact uses from those by name, which an uploaded index does not know", async () => {
  const { id, commit } = await running.index("acme/gaps", { "a.ts": "export function pay() {}\npay();\nunknown.pay();\nother.pay();\n" });
  const places = [
    { range: [0, 16, 19], symbol: "hand . . . pay().", isDefinition: true },
    { range: [1, 0, 3], symbol: "hand . . . pay()." },
    { range: [3, 6, 9], symbol: "hand . . . Other#pay()." },
  ];
  const uploaded = await running.server.inject({
    method: "POST",
    url: `/api/v1/repos/${id}/scip?commit=${commit}`,
    headers: { ...running.asAdmin(), "content-type": "application/octet-stream" },
    payload: writeScipIndex([{ path: "a.ts", places }]),
  });
  expect(uploaded.statusCode).toBe(200);
  const { text } = await call("find_references", { symbol: "pay", repo: "acme/gaps" });
  expect(text).toContain("Used (2 lines in 1 files: 1 exact, 1 by name; all lines with the name: 1 definition, 2 call):");
  expect(text).toContain("  2: pay();  [exact call]\n  3: unknown.pay();  [by name call]\n");
  expect(text).toContain("1 more lines have pay for another symbol, as an uploaded index knows; they are not listed.");
});
