import { randomBytes } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failOn, inspectPage, launchBrowser, openContext, openPage } from "./browser.ts";
import { logInFirst } from "./log-in.ts";
import { startAlone, type Stage } from "./product.ts";

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
  stage = await startAlone([], { OBSERVABILITY_ALLOW_MODEL_HOSTS: "127.0.0.1" });
  const { consoleUrl, admin } = stage.product;
  browser = await launchBrowser();
  page = await openPage(await openContext(browser), problems);
  await logInFirst(page, consoleUrl, admin, PASSWORD);
  ({ access_token: token } = await send("POST", "/api/identity/login/access-token", { email: admin.email, password: PASSWORD }));
  const { id } = await send("POST", "/api/observability/api/v1/projects", { name: "Support" });
  base = `/api/observability/api/v1/projects/${id}`;
  project = `${consoleUrl}/projects/${id}`;
  await sendTrace();
}, STEP_MS);

afterAll(async () => {
  await browser?.close();
  await stage?.end();
});

async function send<Answer = Readonly<Record<string, string>>>(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(stage.product.consoleUrl + path, { method, headers, ...payload });
  const said = await answer.text();
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status} ${said}`);
  }
  return JSON.parse(said === "" ? "{}" : said) as Answer;
}

/** A trace with a model call in it. */
async function sendTrace(): Promise<void> {
  const { key = "" } = await send("POST", `${base}/keys`, { name: "agent", scopes: ["ingest"] });
  const now = BigInt(Date.now()) * 1_000_000n;
  const [traceId, rootId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const span = (name: string, attributes: Readonly<Record<string, string>>, parent?: string) => ({
    traceId,
    spanId: parent === undefined ? rootId : randomBytes(8).toString("hex"),
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    kind: 1,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 500_000_000n),
    status: { code: 1 },
    attributes: Object.entries(attributes).map(([attribute, stringValue]) => ({ key: attribute, value: { stringValue } })),
  });
  const messages = { "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Where is my order?" };
  const answered = {
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "It was shipped on Monday.",
  };
  const spans = [
    span("support", { "input.value": "Where is my order?", "output.value": "It was shipped on Monday." }),
    span("answer", { "openinference.span.kind": "LLM", "llm.model_name": "agent-1", ...messages, ...answered }, rootId),
  ];
  const answer = await fetch(`${stage.product.observabilityUrl}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  expect(answer.status).toBe(200);
}

/** In both themes and three widths. */
async function inspect(name: string, inspected = page): Promise<void> {
  for (const width of [390, 820, 1440]) {
    await inspected.setViewportSize({ width, height: 900 });
    expect(await inspectPage(inspected, `${name}-${width}`)).toEqual([]);
    expect(await inspected.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${name} at ${width}`).toBe(true);
  }
}

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
