import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failOn, launchBrowser, openContext, openPage } from "./browser.ts";
import { logInFirst } from "./log-in.ts";
import { startAlone, type Stage } from "./product.ts";
import { inspectWidths, sendTo, sendTraces } from "./walk.ts";

/** Speaks as an OpenAI-compatible server that streams does; it says what it was asked last. */
const model = createServer((request, response) => void answerPrompt(request, response));

async function answerPrompt(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = JSON.parse(await text(request)) as { messages: { content: string | { text: string }[] }[] };
  const last = asked.messages.at(-1)?.content ?? "";
  const said = `You asked: ${typeof last === "string" ? last : last[0]?.text}`;
  const chunk = (delta: object, more: object = {}) => ({
    id: "1",
    created: 1,
    object: "chat.completion.chunk",
    model: "agent-1",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
  const usage = { prompt_tokens: 220, completion_tokens: 30, total_tokens: 250 };
  const chunks = [
    ...said.split(/(?<= )/).map((content) => chunk({ content })),
    chunk({}, { finish_reason: "stop" }),
    { ...chunk({}), choices: [], usage },
  ];
  response.setHeader("content-type", "text/event-stream");
  response.end([...chunks.map((each) => JSON.stringify(each)), "[DONE]"].map((data) => `data: ${data}\n\n`).join(""));
}

const PASSWORD = "correct horse battery staple";
const STEP_MS = 240_000;

let stage: Stage;
let browser: Browser;
let page: Page;
let base: string;
let project: string;
let token: string;
const problems: string[] = [];

beforeAll(async () => {
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
  stage = await startAlone([], { OBSERVABILITY_ALLOW_MODEL_HOSTS: "127.0.0.1" });
  const { consoleUrl, admin } = stage.product;
  browser = await launchBrowser();
  page = await openPage(await openContext(browser), problems);
  await logInFirst(page, consoleUrl, admin, PASSWORD);
  ({ access_token: token } = await send("POST", "/api/identity/login/access-token", { email: admin.email, password: PASSWORD }));
  const { id } = await send("POST", "/api/observability/api/v1/projects", { name: "Support" });
  base = `/api/observability/api/v1/projects/${id}`;
  project = `${consoleUrl}/projects/${id}`;
  await send("PUT", `${base}/prices`, { model: "agent-1", input: 1, output: 10, valid_from: "2026-01-01T00:00:00Z" });
  const { port } = model.address() as { port: number };
  const connection = { name: "Fake", provider: "openai-compatible", base_url: `http://127.0.0.1:${port}/v1`, key: "sk-e2e" };
  await send("POST", `${base}/model-connections`, connection);
  await sendTrace();
}, STEP_MS);

afterAll(async () => {
  await browser?.close();
  await stage?.end();
  model.close();
});

const send = async <Answer = Readonly<Record<string, string>>>(method: string, path: string, body?: object) =>
  sendTo<Answer>(stage.product.consoleUrl, { method, path, body, token });

/** A trace with a model call in it. */
async function sendTrace(): Promise<void> {
  const { key = "" } = await send("POST", `${base}/keys`, { name: "agent", scopes: ["ingest"] });
  const messages = { "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Where is my order?" };
  const answered = {
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "It was shipped on Monday.",
  };
  const call = { "openinference.span.kind": "LLM", "llm.model_name": "agent-1", ...messages, ...answered };
  const root = { "input.value": "Where is my order?", "output.value": "It was shipped on Monday." };
  const trace = [
    { name: "support", attributes: root },
    { name: "answer", attributes: call, isChild: true },
  ];
  await sendTraces(stage.product.observabilityUrl, key, [trace]);
}

const inspect = async (name: string, inspected = page) => inspectWidths(inspected, name);

const button = (name: string | RegExp) => page.getByRole("button", { name });

async function openTrace(): Promise<void> {
  await page.goto(`${project}/traces`);
  await page.getByRole("link", { name: "support" }).first().click();
  await page.getByRole("heading", { level: 1, name: "support" }).waitFor();
}

test("a trace is shared with somebody without an account, until the link is ended", { timeout: STEP_MS }, async () => {
  await openTrace();
  await button("Share").click();
  await page.getByText("Links are off in this project.").waitFor();
  await page.goto(`${project}/settings?section=sharing`);
  await page.getByText("No links.").waitFor();
  await page.getByRole("switch", { name: "Links to traces" }).click();
  await expect.poll(async () => (await send<{ is_sharing: boolean }>("GET", base)).is_sharing).toBe(true);

  await openTrace();
  await button("Share").click();
  await page.getByLabel("Valid for").selectOption("a day");
  await inspect("share-dialog");
  await button("Make a link").click();
  const link = (await page.getByLabel("the link", { exact: true }).textContent()) ?? "";
  expect(link).toMatch(/^http:\/\/localhost:\d+\/shared\/[\w-]{43}$/);

  const guestProblems: string[] = [];
  const guest = await openPage(await openContext(browser), guestProblems);
  const asked: string[] = [];
  guest.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const answer = await guest.goto(link);
  expect(answer?.headers()).toMatchObject({ "x-robots-tag": "noindex, nofollow", "referrer-policy": "no-referrer" });
  await guest.getByRole("heading", { level: 1, name: "support" }).waitFor();
  await guest.getByText(/^answer · /).click();
  await guest.getByText("It was shipped on Monday.").first().waitFor();
  expect(await guest.locator('meta[name="robots"]').getAttribute("content")).toBe("noindex, nofollow");
  expect(asked.filter((path) => path.startsWith("/api/"))).toEqual(["/api/observability/api/v1/shared"]);
  await inspect("shared-trace", guest);
  failOn(guestProblems);

  await page.goto(`${project}/settings?section=sharing`);
  await button("End now").waitFor();
  await inspect("sharing-settings");
  await button("End now").click();
  await page.getByText("No links.").waitFor();
  await guest.goto(link);
  await guest.getByText(/^This link shows nothing/).waitFor();
  await inspect("shared-ended", guest);
  await guest.context().close();

  await page.goto(`${stage.product.consoleUrl}/admin/audit`);
  for (const event of ["Sharing of traces switched on or off", "Link to a trace made", "Link to a trace ended"]) {
    await page.getByText(event, { exact: true }).first().waitFor();
  }
  failOn(problems);
});

test("a model call is opened in the playground, changed in a second variant, run, and kept", { timeout: STEP_MS }, async () => {
  await openTrace();
  await page.getByRole("treeitem", { name: /answer/ }).click();
  await page.getByRole("link", { name: "Open in playground" }).click();
  await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
  const variant = (at: number) => page.getByRole("region", { name: `Variant ${at}` });
  expect(await variant(1).getByLabel("Model", { exact: true }).inputValue()).toBe("agent-1");
  expect(await variant(1).getByLabel("user").inputValue()).toBe("Where is my order?");
  await button("Add a variant").click();
  await variant(2).getByLabel("user").fill("Where is my refund?");
  for (const at of [1, 2]) {
    await variant(at).getByRole("button", { name: "Run" }).click();
  }
  await variant(1).getByText("You asked: Where is my order?").waitFor();
  await variant(2).getByText("You asked: Where is my refund?").waitFor();
  await variant(2)
    .getByText(/250 tokens, \$0\.0005/)
    .waitFor();
  await inspect("playground");

  await variant(2).getByRole("button", { name: "Save as prompt" }).click();
  await page.getByLabel("Name").fill("refund");
  await button("Save version").click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { items } = await send<{ items: { name: string }[] }>("GET", `${base}/prompts`);
  expect(items.map(({ name }) => name)).toEqual(["refund"]);

  await variant(2).getByRole("link", { name: "Trace" }).click();
  await page.getByRole("heading", { level: 1, name: "playground" }).waitFor();
  await button("Add to dataset").waitFor();

  const dataset = await send("POST", `${base}/datasets`, { name: "orders" });
  await send("POST", `${base}/datasets/${dataset["id"]}/items`, { items: ["two", "three"].map((order) => ({ input: { order } })) });
  await page.goto(`${project}/prompts`);
  await page.getByRole("link", { name: "refund" }).click();
  await page.getByRole("link", { name: "Open in playground" }).click();
  await variant(1).getByLabel("user").fill("Where is order {{order}}?");
  await page.getByLabel("order", { exact: true }).fill("one");
  await variant(1).getByRole("button", { name: "Run" }).click();
  await variant(1).getByText("You asked: Where is order one?").waitFor();
  await inspect("playground-variables");
  await button("Run over a dataset").click();
  await page.getByText("2 calls, about $0.003").waitFor();
  await inspect("playground-dataset");
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
  await page.getByText("You asked: Where is order three?").first().waitFor();
  await page.getByText("Finished").waitFor();
  await inspect("played-experiment");
  failOn(problems);
});
