import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAuthenticator, scanSecret } from "./authenticator.ts";
import { sendSpans } from "./send-spans.ts";
import { failOn, inspectPage, launchBrowser, openContext, openPage } from "./browser.ts";
import { logInFirst } from "./log-in.ts";
import { makePlace, startProduct, type Place, type Product } from "./product.ts";
import { makeSmallRepository, type SmallRepository } from "./small-repository.ts";

const PASSWORD = "correct horse battery staple";
const REPOSITORY = "acme/webshop";
const STEP_MS = 180_000;

let place: Place;
let product: Product;
let repository: SmallRepository;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  repository = makeSmallRepository();
  place = await makePlace();
  product = await startProduct(place);
  browser = await launchBrowser();
  page = await openPage(await openContext(browser), problems);
  await logInFirst(page, product.consoleUrl, product.admin, PASSWORD);
});

afterAll(async () => {
  await browser?.close();
  await product?.interrupt();
  repository?.remove();
  await place?.remove();
});

afterEach(() => failOn(problems));

test("an empty product has four steps, which can be put away and brought back", { timeout: STEP_MS }, async () => {
  await stepsOf(page).getByText("0 of 4 done").waitFor();
  await page.getByText("Nothing needs you").waitFor();
  expect(await inspectPage(page, "overview-first")).toEqual([]);
  await stepsOf(page).getByRole("button", { name: "Dismiss" }).click();
  await page.getByText("2FA is off").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "First steps: 0 of 4 done" }).click();
  await stepsOf(page).waitFor();
});

test("a repository is registered and indexed from there", { timeout: STEP_MS }, async () => {
  await take("Register one: Register a repository");
  const dialog = page.getByRole("dialog", { name: "Register a repository" });
  await dialog.getByLabel("Name").fill(REPOSITORY);
  await dialog.getByLabel("Clone URL").fill(repository.cloneUrl);
  await dialog.getByRole("button", { name: "Register and preview" }).click();
  const preview = page.getByRole("dialog", { name: `Index ${REPOSITORY}?` });
  await preview.getByRole("button", { name: "Index", exact: true }).click({ timeout: STEP_MS });
  await preview.waitFor({ state: "hidden" });
  await backToSteps();
  await stepsOf(page).getByText(`${REPOSITORY} is searchable.`).waitFor({ timeout: STEP_MS });
  await expect.poll(() => page.getByRole("region", { name: "Recently indexed" }).innerText()).toContain(repository.commit.slice(0, 8));
});

test("an assistant's first call ticks its step, without a reload", { timeout: STEP_MS }, async () => {
  await take("Connect one: Connect an assistant");
  await page.getByText("claude mcp login").waitFor();
  await page.getByText("Developer token", { exact: true }).click();
  await page.getByLabel("Label").fill("Ada's laptop");
  await page.getByRole("button", { name: "Create token" }).click();
  const token = (await page.getByLabel("the token", { exact: true }).innerText()).trim();
  await backToSteps();
  await stepsOf(page).getByText("“Ada's laptop” has not connected yet.").waitFor();
  const answer = await fetch(`${product.codeIndexUrl}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  expect(answer.status).toBe(200);
  await stepsOf(page).getByText("“Ada's laptop” has connected.").waitFor();
});

test("an agent's first trace ticks its step, without a reload", { timeout: STEP_MS }, async () => {
  await take("Create a project: Trace an agent");
  const dialog = page.getByRole("dialog", { name: "Create a project" });
  await dialog.getByLabel("Name").fill("Support");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  const key = await makeKey();
  await backToSteps();
  await stepsOf(page).getByText("Support waits for its first trace.").waitFor();
  await sendSpans(product.observabilityUrl, key, 1);
  await expect.poll(() => stepsOf(page).innerText(), { timeout: STEP_MS }).toContain("Support has traces.");
});

test("the second factor is the last step, and then the steps are gone", { timeout: STEP_MS }, async () => {
  await take("Set it up: Secure the admin with 2FA");
  const authenticator = createAuthenticator(
    await scanSecret(page.getByRole("img", { name: "QR code to scan with your authenticator app" })),
  );
  await page.getByLabel("Code", { exact: true }).fill(await authenticator.code());
  await page.getByLabel("I have saved these codes").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("region", { name: "Live agents" }).getByText("No agents are running.").waitFor();
  await stepsOf(page).waitFor({ state: "hidden" });
  expect(await page.getByRole("button", { name: /^First steps/ }).count()).toBe(0);
});

function stepsOf(shown: Page) {
  return shown.getByRole("region", { name: "First steps" });
}

async function take(action: string): Promise<void> {
  await stepsOf(page).getByRole("link", { name: action }).click();
}

async function backToSteps(): Promise<void> {
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await stepsOf(page).waitFor();
}

/** An API key of the only project, made over HTTP as its owner. */
async function makeKey(): Promise<string> {
  const credentials = { email: product.admin.email, password: PASSWORD };
  const { access_token: token } = await ask<{ access_token: string }>("POST", "/api/identity/login/access-token", credentials);
  const { items } = await ask<{ items: { id: string }[] }>("GET", "/api/observability/api/v1/projects", undefined, token);
  const path = `/api/observability/api/v1/projects/${items[0]?.id}/keys`;
  return (await ask<{ key: string }>("POST", path, { name: "exporter", scopes: ["ingest"] }, token)).key;
}

async function ask<Answer>(method: "GET" | "POST", path: string, body?: object, token?: string): Promise<Answer> {
  const answer = await fetch(`${product.consoleUrl}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.ok, `${path} answered ${answer.status}`).toBe(true);
  return (await answer.json()) as Answer;
}
