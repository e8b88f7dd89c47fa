import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { connectMcp } from "#testing/mcp-client.ts";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";
import { waitUntil } from "#testing/wait-until.ts";

vi.setConfig({ testTimeout: COMMAND_MS, hookTimeout: COMMAND_MS });

const PASSWORD = "seven green lanterns";
const PROGRAM = fileURLToPath(new URL("../../sightline.ts", import.meta.url));
const FILES = {
  "src/retry.ts": "/** Waits longer after each failure. */\nexport function backOff(tries: number): number {\n  return 2 ** tries;\n}\n",
  "src/fetch.ts":
    'import { backOff } from "./retry.ts";\n\nexport const waits = [backOff(1), backOff(2)];\n// \u001b[31mbackOff is red\nconst c = backOff;\n',
  "src/many.txt": Array.from({ length: 1_200 }, (_, number) => `lantern ${number}\n`).join(""),
};

let product: StartedProduct;
let folder: string;
let url: string;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-twin-"));
  await makeRepository();
  product = await startProduct("twin", { ADMIN_EMAIL: "ada@example.org", ADMIN_PASSWORD: PASSWORD, CODEINDEX_ALLOW_FILE_URLS: "true" });
  url = `http://127.0.0.1:${product.environment["CODEINDEX_PORT"]}`;
  const admin = await post(`http://127.0.0.1:${product.environment["IDENTITY_PORT"]}/login/access-token`, {
    email: "ada@example.org",
    password: PASSWORD,
  });
  const { id } = await post(`${url}/api/v1/repos`, { full_name: "acme/shop", clone_url: pathToFileURL(folder).href }, admin.access_token);
  ({ token } = await post(`${url}/api/v1/developer-tokens`, { label: "shell" }, admin.access_token));
  const headers = { authorization: `Bearer ${admin.access_token}` };
  await waitUntil(
    "the repository is indexed",
    async () => {
      const answer = await fetch(`${url}/api/v1/repos/${id}`, { headers });
      return z.object({ index_status: z.string() }).parse(await answer.json()).index_status === "ready";
    },
    30_000,
  );
});

afterAll(async () => {
  await product.stop();
  await rm(folder, { recursive: true, force: true });
});

async function makeRepository(): Promise<void> {
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", ...words]);
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "git@github.com:acme/shop.git");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
}

const answerSchema = z.object({ id: z.string().default(""), token: z.string().default(""), access_token: z.string().default("") });

async function post(address: string, body: object, bearer = "") {
  const headers = { "content-type": "application/json", ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }) };
  return answerSchema.parse(await (await fetch(address, { method: "POST", headers, body: JSON.stringify(body) })).json());
}

function run(...words: readonly string[]) {
  return runCommand([...words, "--url", url], { folder, environment: { SIGHTLINE_TOKEN: token } });
}

test.for([
  ["search", ["search", "backOff", "waits", "--max-tokens", "500"], "search", { query: "backOff waits", max_tokens: 500 }],
  ["refs", ["refs", "backOff", "--repo", "."], "find_references", { symbol: "backOff", repo: "acme/shop" }],
  [
    "refs of a place, of any kind",
    ["refs", "backOff", "--repo", "acme/shop", "--position", "src/fetch.ts:3:24", "--text"],
    "find_references",
    { symbol: "backOff", repo: "acme/shop", position: "src/fetch.ts:3:24", all: true },
  ],
  ["a page of refs", ["refs", "backOff", "--limit", "1"], "find_references", { symbol: "backOff", limit: 1 }],
] as const)("%s prints letter for letter what the tool answers", async ([, words, tool, given]) => {
  const client = await connectMcp(url, token);
  const { text } = await client.call(tool, given);
  await client.close();
  expect(text).toContain("backOff");
  expect(await run(...words)).toEqual({ code: 0, out: `${text}\n`, error: "" });
});

test("grep prints lines that editors can follow, those around them as grep does, and pages by --limit or all", async () => {
  expect(await run("grep", "2 ** tries", "--repo", ".", "--context", "1")).toMatchObject({
    code: 0,
    out: "src/retry.ts-2- export function backOff(tries: number): number {\nsrc/retry.ts:3:   return 2 ** tries;\nsrc/retry.ts-4- }\n",
  });
  const all = await run("grep", "^LANTERN \\d+$", "--regex", "--case", "insensitive", "--all");
  expect(all.out.split("\n")).toHaveLength(1_201);
  expect(all.out).toMatch(/^acme\/shop\/src\/many\.txt:1: lantern 0\n/);
  const first = await run("grep", "lantern", "--path", "*.txt", "--limit", "2");
  const [, cursor = ""] = /--cursor (\S+)/.exec(first.error) ?? [];
  const second = await run("grep", "lantern", "--path", "*.txt", "--limit", "2", "--cursor", cursor);
  expect(first.out + second.out).toBe([1, 2, 3, 4].map((line) => `acme/shop/src/many.txt:${line}: lantern ${line - 1}\n`).join(""));
});

test("--all goes through every page of a tool, and --json prints each as the API answers it", async () => {
  const { out } = await run("refs", "backOff", "--all", "--limit", "1");
  expect(out).not.toContain("cursor: ");
  expect(out).toContain("const c = backOff;");
  const pages = await run("refs", "backOff", "--all", "--limit", "1", "--json");
  const lines = pages.out.trim().split("\n");
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.map((line) => JSON.parse(line).references.length)).toEqual(lines.map(() => 1));
  const found = await run("search", "backOff", "--json");
  const { results } = z.object({ results: z.array(z.object({ path: z.string() })) }).parse(JSON.parse(found.out));
  expect(results.map(({ path }) => path).toSorted()).toEqual(Object.keys(FILES).toSorted());
});

test.for([
  ["search", "zzqxv", "path:nowhere"],
  ["grep", "zzqxv"],
  ["grep", "zzqxv", "--json"],
  ["refs", "zzqxv"],
])("%s that finds nothing ends with 1", async (words) => {
  expect(await run(...words)).toMatchObject({ code: 1 });
});

test.for([
  ["a limit that is none", ["grep", "x", "--limit", "many"], /limit/],
  ["an expression that is none", ["grep", "(", "--regex"], /expression/],
  ["a tool's input that is none", ["refs", "x", "--kind", "aunt"], /kind/],
  ["an unknown repository", ["search", "x", "--repo", "acme/other"], /acme\/other/],
  ["an option that does not exist", ["grep", "x", "--colour"], /unknown option/],
] as const)("%s ends with 2 and says so", async ([, words, message]) => {
  expect(await run(...words)).toMatchObject({ code: 2, out: "", error: expect.stringMatching(message) });
});

test.for([
  ["no token", {}, [], /set SIGHTLINE_TOKEN/],
  ["an unknown token", { SIGHTLINE_TOKEN: "codeindex_secret" }, [], /401/],
  ["nobody there", { SIGHTLINE_TOKEN: "codeindex_secret" }, ["--url", "http://127.0.0.1:9"], /127\.0\.0\.1:9 does not answer/],
] as const)("%s ends with 2, and shows no token", async ([, environment, words, message]) => {
  for (const command of ["search", "grep", "refs"]) {
    const result = await runCommand([command, "x", "--url", url, ...words], { folder, environment });
    expect(result).toMatchObject({ code: 2, error: expect.stringMatching(message) });
    expect(result.error).not.toContain("codeindex_secret");
  }
});

test("who stops reading hears nothing more", async () => {
  const script = `"$0" "$1" grep lantern --all --url ${url} | head -1; echo "\${PIPESTATUS[0]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", `${script} 2>&1`, process.execPath, PROGRAM], {
    cwd: folder,
    env: { PATH: process.env["PATH"], SIGHTLINE_TOKEN: token },
  });
  expect(stdout).toBe("acme/shop/src/many.txt:1: lantern 0\n0\n");
});

test("Ctrl-C ends it while it waits, and the connection with it", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = z.object({ port: z.int() }).parse(silent.address());
  const child = spawn(process.execPath, [PROGRAM, "grep", "x", "--url", `http://127.0.0.1:${address.port}`], {
    cwd: folder,
    env: { PATH: process.env["PATH"], SIGHTLINE_TOKEN: token },
  });
  const [socket] = await once(silent, "connection");
  socket.resume();
  child.kill("SIGINT");
  expect(await Promise.all([once(child, "close"), once(socket, "close")])).toMatchObject([[null, "SIGINT"], {}]);
  silent.close();
});
