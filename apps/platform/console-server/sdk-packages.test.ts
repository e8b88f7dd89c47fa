import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { findPython, needsPython } from "@sightline/foundation/testing/find-python";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consolePages } from "./console-pages.ts";
import { packSdks, SDK_FILES, sdkSources } from "./sdk-packages.ts";
import { createConsoleServer } from "#testing/console-server.ts";

const run = promisify(execFile);
const LONG = 120_000;

let folder: string;
let server: HttpServer;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-packages-"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Sightline</title>");
  await packSdks(sdkSources(), join(folder, "sdk"));
  server = await createConsoleServer([consolePages(folder)]);
  address = await server.listen({ host: "127.0.0.1", port: 0 });
}, LONG);
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

test.each(Object.values(SDK_FILES))("the console serves /sdk/%s, to be revalidated each time", async (name) => {
  const url = `/sdk/${name}`;
  const found = await server.inject({ url });
  expect(found.statusCode).toBe(200);
  expect(found.headers).toMatchObject({ "cache-control": "no-cache", etag: expect.any(String) });
  expect(found.headers).not.toHaveProperty("content-encoding");
  expect(found.rawPayload.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  expect((await server.inject({ method: "HEAD", url })).statusCode).toBe(200);
  expect((await server.inject({ url, headers: { "if-none-match": String(found.headers["etag"]) } })).statusCode).toBe(304);
});

test("what is no package is not found, for browsers, too", async () => {
  for (const url of ["/sdk/other.tgz", "/sdk/", "/sdk/..%2findex.html"]) {
    expect((await server.inject({ url, headers: { accept: "text/html" } })).statusCode, url).toBeGreaterThanOrEqual(400);
  }
});

test(
  "npm installs the SDK from the console's address into an empty project, where it runs",
  async () => {
    const project = join(folder, "with-npm");
    await mkdir(project);
    await writeFile(join(project, "package.json"), "{}");
    await run("npm", ["install", "--no-audit", "--no-fund", `${address}/sdk/${SDK_FILES.npm}`], { cwd: project, timeout: LONG });
    const code = 'import { initializeRedisPublisher } from "@sightline/sdk"; console.log((await initializeRedisPublisher()).reason)';
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], { cwd: project });
    expect(stdout).toContain("no Redis URL");
  },
  LONG,
);

test(
  "pip installs the SDK from the console's address into an empty environment, where it runs",
  { ...needsPython, timeout: LONG },
  async () => {
    const environment = join(folder, "with-pip");
    await run(findPython() ?? "python3", ["-m", "venv", environment], { timeout: LONG });
    const python = join(environment, "bin", "python");
    await run(python, ["-m", "pip", "install", "--quiet", `${address}/sdk/${SDK_FILES.pip}`], { timeout: LONG });
    const code = "import sightline; print(sightline.__version__, sightline.initialize_redis_publisher().wait().reason)";
    const { stdout } = await run(python, ["-c", code], { cwd: folder });
    expect(stdout).toContain("0.5.0 no Redis URL");
  },
);

test(
  "npx runs the command line from the console's address, without another package, and its codes are those of CI",
  async () => {
    const place = await mkdtemp(join(tmpdir(), "sightline-npx-"));
    const program = ["--yes", `${address}/sdk/${SDK_FILES.cli}`];
    const command = [...program, "upload-scip"];
    const options = { cwd: place, timeout: LONG, env: { ...process.env, SIGHTLINE_TOKEN: "" } };
    expect((await run("npx", [...command, "--help"], options)).stdout).toContain("SIGHTLINE_TOKEN");
    await expect(run("npx", [...command, "index.scip"], options)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("No token: set SIGHTLINE_TOKEN, or in CI SIGHTLINE_WORKLOAD."),
    });
    const asked = [...program, "grep", "x", "--url", "http://127.0.0.1:9"];
    await expect(run("npx", asked, { ...options, env: { ...process.env, SIGHTLINE_TOKEN: "codeindex_t" } })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("http://127.0.0.1:9 does not answer"),
    });
    await rm(place, { recursive: true });
  },
  LONG,
);
