import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failOn, launchBrowser, openContext, openPage } from "./browser.ts";
import { makeMember } from "./identity-client.ts";
import { logInFirst, type Credentials } from "./log-in.ts";
import { startAlone, type Stage } from "./product.ts";
import { inspectWidths, sendTo, sendTraces } from "./walk.ts";

const PASSWORD = "correct horse battery staple";
const STEP_MS = 240_000;
const ANSWERS = ["It was shipped on Monday.", "Ask somebody else, you fool.", "Your refund of $5 is on its way."];

let stage: Stage;
let browser: Browser;
let page: Page;
let base: string;
let token: string;
let colleague: string;
const problems: string[] = [];

beforeAll(async () => {
  stage = await startAlone([]);
  const { consoleUrl, admin } = stage.product;
  browser = await launchBrowser();
  page = await openPage(await openContext(browser), problems);
  await logInFirst(page, consoleUrl, admin, PASSWORD);
  const login = async (credentials: Credentials) =>
    (await send("POST", "/api/identity/login/access-token", credentials))["access_token"] ?? "";
  const first = { email: admin.email, password: PASSWORD };
  colleague = await login(await makeMember(consoleUrl, first, "mary@example.org"));
  token = await login(first);
  const { id } = await send("POST", "/api/observability/api/v1/projects", { name: "Support" });
  base = `/api/observability/api/v1/projects/${id}`;
  const { sub } = JSON.parse(Buffer.from(colleague.split(".")[1] ?? "", "base64url").toString()) as { sub: string };
  await send("PUT", `${base}/members/${sub}`, { role: "editor" });
  await send("PUT", `${base}/score-configs`, { name: "polite", data_type: "boolean" });
  await send("PUT", `${base}/score-configs`, { name: "tone", data_type: "category", categories: ["warm", "neutral", "rude"] });
  await send("PUT", `${base}/score-configs`, { name: "stars", data_type: "number", minimum: 1, maximum: 5 });
}, STEP_MS);

afterAll(async () => {
  await browser?.close();
  await stage?.end();
});

const send = async (method: string, path: string, body?: object, by = token) =>
  sendTo<Readonly<Record<string, string>>>(stage.product.consoleUrl, { method, path, body, token: by });

async function sendAnswers(): Promise<void> {
  const { key = "" } = await send("POST", `${base}/keys`, { name: "agent", scopes: ["ingest"] });
  const toTrace = (answer: string) => [{ name: "support", attributes: { "input.value": "Where is my order?", "output.value": answer } }];
  await sendTraces(stage.product.observabilityUrl, key, ANSWERS.map(toTrace));
}

const inspect = async (name: string) => inspectWidths(page, name);

test("a queue is labelled by the keyboard alone, skipped with a reason, and disagreements are resolved", { timeout: STEP_MS }, async () => {
  const project = `${stage.product.consoleUrl}/projects/${base.split("/").at(-1)}`;
  const press = (...keys: readonly string[]) =>
    keys.reduce(async (before, key) => (await before, page.keyboard.press(key)), Promise.resolve());
  const waitFor = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const next = async (progress: string) => {
    await waitFor(progress);
    // The form of the next trace is there once nothing is chosen in it, and nothing on its way.
    await page.locator("form[aria-label=Labels] button[type=submit][data-disabled]:not([data-loading])").waitFor();
  };
  await sendAnswers();
  await page.goto(`${project}/annotation`);
  await waitFor("No queues yet");
  await inspect("annotation-none");
  const queue = await send("POST", `${base}/annotation-queues`, {
    name: "Politeness",
    rubric: "A polite answer calls nobody a fool.",
    scores: ["polite", "tone", "stars"],
    annotators: 1,
  });
  const path = `${base}/annotation-queues/${queue["id"]}`;
  await expect
    .poll(
      async () => (await send("POST", `${path}/traces`, { from: { q: "", sample: { size: 10 } } }).catch(() => ({ added: 0 })))["added"],
      {
        timeout: 60_000,
      },
    )
    .toBe(3);

  await page.reload();
  await page.getByRole("link", { name: "Politeness" }).waitFor();
  await inspect("annotation-list");
  await page.getByRole("link", { name: "Politeness" }).click();
  await waitFor("Where is my order?");
  await waitFor("0 of 3 done, 3 for you");
  await inspect("annotation-label");
  await press("?");
  await waitFor(/next and previous score/);
  await inspect("annotation-keys");
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  // Yes; back to the first score, no; rude; two stars.
  await press("1", "k", "2", "3", "2", "c");
  await page.keyboard.type("calls somebody a fool");
  await press("Enter");
  await next("1 of 3 done, 2 for you");
  // The comment is the reason; without one it is asked for.
  await press("s");
  await page.keyboard.type("not an answer");
  await press("Escape", "s");
  await next("2 of 3 done, 1 for you");
  await press("e");
  await page.getByLabel("Name of the new dataset").fill("orders");
  await page.getByLabel("Expected", { exact: true }).fill("On Monday.");
  await page.getByRole("button", { name: "Add" }).last().click();
  await waitFor("1 item added in version 1.");
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await press("1", "1", "5", "Enter");
  await waitFor("3 of 3 done, 0 for you");
  await waitFor("Nothing waits for you");
  await inspect("annotation-done");

  const twice = await send("POST", `${base}/annotation-queues`, { name: "Twice", scores: ["polite"], annotators: 2 });
  const both = `${base}/annotation-queues/${twice["id"]}`;
  await send("POST", `${both}/traces`, { from: { q: "", sample: { size: 1 } } });
  for (const [by, value] of [
    [token, true],
    [colleague, false],
  ] as const) {
    const { trace_id: trace } = await send("POST", `${both}/claims`, {}, by);
    await send("PUT", `${both}/traces/${trace}`, { labels: [{ name: "polite", value, comment: "to me" }] }, by);
  }
  await page.goto(`${project}/annotation`);
  await page.getByRole("button", { name: "New queue" }).click();
  await page.getByLabel("Name", { exact: true }).fill("By hand");
  await page.getByRole("combobox", { name: "Scores" }).click({ force: true });
  await page.getByRole("option", { name: "polite" }).click();
  await press("Tab");
  await inspect("annotation-new");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row", { name: /By hand.*0 of 3/ }).waitFor();
  await page.getByRole("link", { name: "Twice" }).click();
  await page.getByRole("link", { name: "Disagreements (1)" }).click();
  await waitFor("polite yes (to me)");
  await inspect("annotation-disputed");
  await press("2", "Enter");
  await waitFor("No disagreements");
  await page.getByRole("link", { name: "Label" }).click();
  await waitFor("1 of 1 done, 0 for you");

  await page.goto(`${project}/traces`);
  await page.locator("a[data-trace]").first().click();
  const comment = page.getByLabel("New comment");
  await comment.fill("@ma");
  await page.getByRole("option", { name: "mary" }).click();
  await comment.press("End");
  await page.keyboard.type("see https://example.org/orders, please");
  await page.getByRole("button", { name: "Comment", exact: true }).last().click();
  await page.getByText("@mary see").waitFor();
  await page.getByRole("link", { name: "https://example.org/orders", exact: true }).scrollIntoViewIfNeeded();
  await inspect("comments");
  const notices = () => send("GET", "/api/identity/login/notices", undefined, colleague);
  await expect
    .poll(async () => JSON.stringify(await notices()), { timeout: 30_000 })
    .toContain("mentioned you in a comment in the project Support");
  failOn(problems);
});
