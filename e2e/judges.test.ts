import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failOn, launchBrowser, openContext, openPage } from "./browser.ts";
import { logInFirst } from "./log-in.ts";
import { startAlone, type Stage } from "./product.ts";
import { inspectWidths, sendTo, sendTraces } from "./walk.ts";

const PASSWORD = "correct horse battery staple";
const STEP_MS = 240_000;
const ANSWERS = [
  "It was shipped on Monday.",
  "Ask somebody else, you fool.",
  "Your refund of $5 is on its way.",
  "I can't find that order.",
];

/** Speaks as an OpenAI-compatible server does; it finds fools impolite, and of two answers the first one better. */
const model = createServer((request, response) => void answerPrompt(request, response));

async function answerPrompt(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = await text(request);
  const verdict = asked.includes("First answer:")
    ? { explanation: "It says when.", value: "first" }
    : asked.includes("you fool")
      ? { explanation: "It calls the user a fool.", value: false, works: true }
      : { explanation: "It is polite and clear.", value: true, works: true };
  const choices = [{ index: 0, message: { role: "assistant", content: JSON.stringify(verdict) }, finish_reason: "stop" }];
  const usage = { prompt_tokens: 220, completion_tokens: 30, total_tokens: 250 };
  const told = { id: "1", created: 1, object: "chat.completion", model: "judge-1", choices, usage };
  response.setHeader("content-type", "application/json").end(JSON.stringify(told));
}

let stage: Stage;
let browser: Browser;
let page: Page;
let base: string;
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
  await send("PUT", `${base}/prices`, { model: "judge-1", input: 1, output: 10, valid_from: "2026-01-01T00:00:00Z" });
}, STEP_MS);

afterAll(async () => {
  await browser?.close();
  await stage?.end();
  model.close();
});

const send = async <Answer = Readonly<Record<string, string>>>(method: string, path: string, body: object = {}) =>
  sendTo<Answer>(stage.product.consoleUrl, { method, path, token, body: method === "GET" ? undefined : body });

async function sendAnswers(times = 1): Promise<void> {
  const { key = "" } = await send("POST", `${base}/keys`, { name: "agent", scopes: ["ingest"] });
  const answers = Array.from({ length: times }, () => ANSWERS).flat();
  const toTrace = (answer: string) => [{ name: "support", attributes: { "input.value": "Where is my order?", "output.value": answer } }];
  await sendTraces(stage.product.observabilityUrl, key, answers.map(toTrace));
}

type Scored = { readonly items: readonly { readonly trace_id: string; readonly value: number }[] };

/** Somebody says of all that was judged the same, but of every twelfth the contrary. */
async function labelAll(judged: number): Promise<void> {
  const list = async () => send<Scored>("GET", `${base}/scores?name=tone&limit=200`);
  await expect.poll(async () => (await list()).items.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(judged);
  const labels = (await list()).items.map(({ trace_id: id, value }, at) => ({ id, value: at % 12 === 0 ? 1 - value : value }));
  for (const value of [0, 1]) {
    const chosen = labels.filter((label) => label.value === value).map(({ id }) => id);
    await send("POST", `${base}/traces/score`, { name: "tone", value: value === 1, trace_ids: chosen });
  }
}

/** As the guide does it, in a program of one's own. */
async function scoreInCode(): Promise<void> {
  const guide = await readFile(new URL("../docs/evaluation.md", import.meta.url), "utf8");
  const [program = ""] = /(?<=```py\n)import json, os(?:(?!```)[^])*/.exec(guide) ?? [];
  const { key = "" } = await send("POST", `${base}/keys`, { name: "code", scopes: ["read", "scores"] });
  const { observabilityUrl } = stage.product;
  const env = { ...process.env, OBS_API_URL: observabilityUrl, OBS_API_KEY: key, OBS_PROJECT_ID: base.split("/").at(-1) };
  await promisify(execFile)("python3", ["-c", program], { env, timeout: 60_000 });
  expect((await send<Scored>("GET", `${base}/scores?name=cites`)).items.length).toBeGreaterThan(3);
}

const inspect = async (name: string) => inspectWidths(page, name);

test(
  "a connection is tested, an evaluator tried and switched on, and its verdicts stand with the traces",
  { timeout: STEP_MS },
  async () => {
    const project = `${stage.product.consoleUrl}/projects/${base.split("/").at(-1)}`;
    const button = (name: string | RegExp) => page.getByRole("button", { name });
    await page.goto(`${project}/settings?section=models`);
    await button("Add a connection").click();
    const { port } = model.address() as { port: number };
    await page.getByLabel("Name").fill("Judges");
    await page.getByLabel("Address").fill(`http://127.0.0.1:${port}/v1`);
    await page.getByLabel("Key", { exact: true }).fill("sk-e2e");
    await button("Add").last().click();
    await button("Test Judges").click();
    await page.getByLabel("Model", { exact: true }).fill("judge-1");
    await button("Test").last().click();
    await page.getByText("It answered with the structured output").waitFor();
    await button("Close").last().click();
    await inspect("judge-models");

    await page.goto(`${project}/evaluators`);
    await page.getByText("No evaluators yet").waitFor();
    await inspect("judge-none");
    await button("New evaluator").click();
    await page.getByLabel("Begin with").selectOption("tone");
    await page.getByLabel("Model", { exact: true }).fill("judge-1");
    await sendAnswers();
    await expect
      .poll(
        async () => {
          await button("What does it cost?").click();
          return page.getByText(/4 of 4 traces: about/).isVisible();
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe(true);
    await button("Try it").click();
    await page.getByText("It calls the user a fool.").waitFor();
    await inspect("judge-editor");
    await button("Create").click();

    await page.getByRole("heading", { level: 1, name: "tone" }).waitFor();
    await button("Judge…").click();
    await page.getByLabel("Of them").fill("100");
    await inspect("judge-rule");
    await button("Switch on").click();
    await sendAnswers();
    await page
      .getByRole("cell", { name: "$0.0021 of $1.00 today" })
      .or(page.getByText(/of \$1\.00 today/))
      .first()
      .waitFor();
    await expect.poll(() => page.getByText("Judged", { exact: true }).count(), { timeout: 60_000 }).toBeGreaterThan(4);
    await inspect("judge-page");
    await sendAnswers(40);
    await labelAll(160);
    await page.reload();
    await page.getByText("Where they differ").waitFor();
    await inspect("judge-calibration");
    await page.goto(`${project}/evaluators`);
    await page.getByRole("link", { name: "tone" }).waitFor();
    await inspect("judge-list");

    await button("New evaluator").click();
    await page.getByText("Checks", { exact: true }).click();
    await page.getByLabel("Name").fill("no fools");
    await page.getByLabel("Add a check").selectOption("The output contains a text");
    await page.getByRole("textbox", { name: "Checks" }).fill('[{ "type": "matches", "pattern": "Monday" }]');
    await button("How many are there?").click();
    await page.getByText(/traces: free/).waitFor();
    await button("Try it").click();
    await page
      .getByText(/output matches Monday: it is/)
      .first()
      .waitFor();
    await inspect("checks-editor");
    await button("Create").click();
    await page.getByRole("heading", { level: 1, name: "no fools" }).waitFor();
    await button("Judge…").click();
    await page.getByLabel("What", { exact: true }).selectOption("past");
    await button("Begin").click();
    await page.getByText("all hold").first().waitFor({ timeout: 60_000 });
    await inspect("checks-page");
    await page.goto(`${project}/evaluators`);
    await page.getByRole("link", { name: "no fools" }).waitFor();
    await scoreInCode();

    await page.getByRole("link", { name: "tone" }).click();
    await page
      .getByRole("link", { name: /^trace …/ })
      .first()
      .click();
    await page.getByRole("link", { name: "a judge (version 1)" }).first().waitFor();
    await page.getByRole("link", { name: "a judge (version 1)" }).first().click();
    await page.getByRole("heading", { level: 1, name: "judge tone" }).waitFor();
    await inspect("judge-trace");
    await page.getByRole("link", { name: "The trace that it judged" }).click();
    await page.getByRole("heading", { level: 1, name: "support" }).waitFor();
    failOn(problems);
  },
);

/** @returns the id of an experiment that put out the same for each item. */
async function runExperiment(datasetId: string, name: string, output: string): Promise<string> {
  const { items } = await send<{ items: readonly { id: string }[] }>("GET", `${base}/datasets/${datasetId}/items`);
  const { id } = await send("POST", `${base}/experiments`, { dataset_id: datasetId, name });
  const runs = items.map((item) => ({ item_id: item.id, repetition: 0, state: "succeeded", output }));
  await send("POST", `${base}/experiments/${id}/runs`, { runs });
  await send("POST", `${base}/experiments/${id}/finish`);
  return id ?? "";
}

test("two experiments are compared by hand and by a judge, which follows the position", { timeout: STEP_MS }, async () => {
  const project = `${stage.product.consoleUrl}/projects/${base.split("/").at(-1)}`;
  const { id: dataset = "" } = await send("POST", `${base}/datasets`, { name: "orders" });
  const items = Array.from({ length: 3 }, (_, at) => ({
    input: { question: `Where is order ${at}?` },
    expected: "On its way since Monday.",
  }));
  await send("POST", `${base}/datasets/${dataset}/items`, { items });
  const before = await runExperiment(dataset, "before", "I can't say.");
  const after = await runExperiment(dataset, "after", "It was shipped on Monday, and is with you by Thursday.");
  await page.goto(`${project}/experiments/${after}?baseline=${before}`);
  await page.getByText("Nobody has compared the 3 items that both ran.").waitFor();
  await page.getByRole("link", { name: "Compare by hand" }).click();
  await page.getByText("0 of 3 items answered by you").waitFor();
  await inspect("pair");
  await page.keyboard.press("ArrowLeft");
  await page.getByText("1 of 3 items answered by you").waitFor();
  await page.keyboard.press("t");
  await page.getByText("2 of 3 items answered by you").waitFor();
  await page.keyboard.press("s");
  await page.keyboard.type("both are cut");
  await page.keyboard.press("Enter");
  await page.getByText("All compared").waitFor();

  await page.goto(`${project}/evaluators`);
  await page.getByRole("button", { name: "New evaluator" }).click();
  await page.getByLabel("Begin with").selectOption("preference");
  await page.getByLabel("Model", { exact: true }).fill("judge-1");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "preference" }).waitFor();
  await page.getByRole("button", { name: "Judge…" }).click();
  await page.getByLabel("Experiment", { exact: true }).selectOption("after");
  await inspect("preference-rule");
  await page.getByRole("button", { name: "Begin" }).click();
  await expect.poll(() => page.getByText("Judged", { exact: true }).count(), { timeout: 60_000 }).toBeGreaterThan(5);
  await page.goto(`${project}/experiments/${after}?baseline=${before}`);
  await page.getByText(/follows the position 3 times/).waitFor();
  await inspect("preferences");
  failOn(problems);
});
