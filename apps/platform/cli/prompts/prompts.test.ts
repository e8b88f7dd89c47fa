import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";

vi.setConfig({ testTimeout: COMMAND_MS, hookTimeout: COMMAND_MS });

const PASSWORD = "seven green lanterns";
const answerSchema = z.looseObject({ id: z.string().default(""), key: z.string().default(""), access_token: z.string().default("") });

let folder: string;
let product: StartedProduct;
let settings: Readonly<Record<string, string>>;
let releasing: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-prompts-"));
  product = await startProduct("prompts", { ADMIN_EMAIL: "ada@example.org", ADMIN_PASSWORD: PASSWORD });
  const url = `http://127.0.0.1:${product.environment["OBSERVABILITY_PORT"]}`;
  const identity = `http://127.0.0.1:${product.environment["IDENTITY_PORT"]}`;
  const { access_token: admin } = await ask(`${identity}/login/access-token`, "", { email: "ada@example.org", password: PASSWORD });
  const project = await ask(`${url}/api/v1/projects`, admin, { name: "Shipping" });
  const makeKey = async (...scopes: string[]) =>
    (await ask(`${url}/api/v1/projects/${project.id}/keys`, admin, { name: "ci", scopes })).key;
  settings = { OBS_API_URL: url, OBS_API_KEY: await makeKey("evaluate"), OBS_PROJECT_ID: project.id };
  releasing = await makeKey("evaluate", "production");
});
afterAll(async () => {
  await product.stop();
  await rm(folder, { recursive: true });
});

async function ask(url: string, token: string, body: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.ok, `${url} ${answer.status}`).toBe(true);
  return answerSchema.parse(await answer.json());
}

const run = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand(["prompts", ...words], { folder, environment: { ...settings, ...environment } });

const write = async (path: string, content: string) => {
  await mkdir(join(folder, "prompts/support"), { recursive: true });
  await writeFile(join(folder, "prompts", path), content);
};

test("files are pushed once, listed, and pulled as they were", async () => {
  const greeting = '---\n{\n  "model": "m"\n}\n---\nHello {{name}}!\n\n';
  const chat = `${JSON.stringify({ template: [{ role: "system", content: "Be {{mood}}." }], config: {} }, null, 2)}\n`;
  await write("support/greeting.md", greeting);
  await write("chat.json", chat);
  await write("README.txt", "no prompt");
  expect(await run(["push", "--dry-run"])).toMatchObject({
    code: 0,
    out: "chat: would be version 1\nsupport/greeting: would be version 1\n",
  });
  expect((await run(["push", "--reason", "first"])).out).toBe("chat: version 1, new\nsupport/greeting: version 1, new\n");
  expect((await run(["push", "--label", "staging"])).out).toBe(
    "chat: version 1, unchanged, staging\nsupport/greeting: version 1, unchanged, staging\n",
  );
  await write("support/greeting.md", greeting.replace("Hello", "Hi"));
  expect((await run(["push", "--dry-run"])).out).toBe("chat: version 1, unchanged\nsupport/greeting: would be version 2\n");
  const refused = await run(["push", "--label", "production"]);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.error).toContain("This API key lacks the scope production");
  expect((await run(["push", "--label", "production"], { OBS_API_KEY: releasing })).code).toBe(0);
  expect((await run(["list"])).out).toBe(
    "Prompt            Newest  Labels\nchat              1       production=1 staging=1\nsupport/greeting  2       production=2 staging=1\n",
  );
  expect((await run(["pull", "pulled", "--label", "staging"])).out).toBe(
    "pulled/chat.json: version 1\npulled/support/greeting.md: version 1\n",
  );
  expect(await readFile(join(folder, "pulled/support/greeting.md"), "utf8")).toBe(greeting);
  expect(await readFile(join(folder, "pulled/chat.json"), "utf8")).toBe(chat);
});

test("a file that is no prompt is named, and nothing is written", async () => {
  await write("broken.json", '{"template": 7}');
  const { code, error } = await run(["push"]);
  expect(code).toBe(1);
  expect(error).toContain("prompts/broken.json is no prompt");
});
