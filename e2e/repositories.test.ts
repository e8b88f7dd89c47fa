import { createHmac } from "node:crypto";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failOn, inspectPage, launchBrowser, openContext, openPage, THEMES } from "./browser.ts";
import { logInFirst } from "./log-in.ts";
import { makePlace, startProduct, type Place, type Product } from "./product.ts";
import { makeSmallRepository, type SmallRepository } from "./small-repository.ts";

const PASSWORD = "correct horse battery staple";
const NAME = "acme/webshop";
const RETRY = "src/payment/retry-failed-payment.ts";
const INDEXING_MS = 90_000;

let place: Place;
let product: Product;
let repository: SmallRepository;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let problems: string[];

beforeAll(async () => {
  repository = makeSmallRepository();
  place = await makePlace();
  product = await startProduct(place);
  browser = await launchBrowser();
  context = await openContext(browser);
  problems = [];
  page = await openPage(context, problems);
  await logInFirst(page, product.consoleUrl, product.admin, PASSWORD);
  failOn(problems);
});

afterAll(async () => {
  await browser?.close();
  await product?.interrupt();
  repository?.remove();
  await place?.remove();
});

beforeEach(async () => {
  problems = [];
  page = await openPage(context, problems);
});

afterEach(async () => {
  await page.close();
  failOn(problems);
});

describe("a repository, from its registration to its deletion,", { timeout: 120_000 }, () => {
  test("is looked at before it is indexed, and says until then that it is not", async () => {
    await page.goto(`${product.consoleUrl}/code/repos`);
    await page.getByRole("button", { name: "Register a repository" }).first().click();
    const form = page.getByRole("dialog", { name: "Register a repository" });
    await form.getByLabel("Name").fill(NAME);
    await form.getByLabel("Clone URL").fill(repository.cloneUrl);
    await form.getByRole("button", { name: "Register and preview" }).click();
    const preview = previewOf(page);
    await preview.getByRole("table", { name: "Biggest files" }).getByText(RETRY).waitFor({ timeout: INDEXING_MS });

    await preview.getByLabel("Leave out").fill("*.py");
    expect(await preview.getByRole("button", { name: "Index it" }).isDisabled()).toBe(true);
    await preview.getByRole("button", { name: "Look again" }).click();
    await preview.getByText("src/stock/reserve.py").waitFor({ timeout: INDEXING_MS });
    await inspectInBothThemes("repository-preview");
    await page.keyboard.press("Escape");
    await rowOf(page).getByText("Not indexed yet").waitFor();
  });

  test("is indexed when that is asked for, by a job that is shown", async () => {
    await page.goto(`${product.consoleUrl}/code/repos`);
    await rowOf(page)
      .getByRole("button", { name: `Preview and index ${NAME}` })
      .click();
    await previewOf(page).getByText("By language").waitFor({ timeout: INDEXING_MS });
    await previewOf(page).getByRole("button", { name: "Index it" }).click();
    await rowOf(page).getByText("Ready").waitFor({ timeout: INDEXING_MS });
    await inspectInBothThemes("repositories");

    await page.goto(`${product.consoleUrl}/code/jobs`);
    await rowOf(page).getByText("Succeeded").waitFor();
    expect(await rowOf(page).innerText()).toContain("by hand");
    await inspectInBothThemes("jobs");
  });

  test("is found by search, without what was left out", async () => {
    await page.goto(`${product.consoleUrl}/code?q=pauseBeforeRetry`);
    await page.getByRole("heading", { name: RETRY }).waitFor();
    await openSettings(page);
    expect(await lookUp(page, RETRY)).toContain(`Searchable: ${RETRY}`);
    expect(await lookUp(page, "src/stock/reserve.py")).toContain("Left out: src/stock/reserve.py");
    expect(await lookUp(page, "src/stock/nothing.py")).toContain("Not in the indexed commit: src/stock/nothing.py");
    await inspectInBothThemes("repository-settings");
  });

  test("takes pushes that are signed with the secret made for it, and replays one", async () => {
    await openSettings(page);
    await page.getByRole("button", { name: "Make a secret of its own" }).click();
    const secret = (await page.getByLabel("the webhook secret", { exact: true }).innerText()).trim();
    const address = (await page.getByLabel("the webhook's address", { exact: true }).innerText()).trim();
    expect((await push(address, "0123456789abcdef", "forged")).status).toBe(401);
    expect((await push(address, secret, "pushed-once")).ok).toBe(true);

    await page.getByRole("link", { name: "Deliveries for this repository" }).click();
    await rowOf(page).getByText("push to main").waitFor();
    await rowOf(page).getByText("GitHub").waitFor();
    expect(await rowOf(page).count()).toBe(1);
    await rowOf(page)
      .getByRole("button", { name: /^Replay the delivery/ })
      .click();
    await rowOf(page).getByText("replayed 1 time").waitFor();
    await inspectInBothThemes("webhooks");
  });

  test("is all that a token opens which was made for it", async () => {
    await page.goto(`${product.consoleUrl}/code/connect`);
    await page.getByLabel("Label").fill("Only the webshop");
    await page.getByRole("combobox", { name: "Repositories" }).fill("web");
    await page.getByRole("option", { name: NAME }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Create token" }).click();
    const token = await page
      .getByRole("status")
      .filter({ hasText: "Only the webshop" })
      .getByLabel("the token", { exact: true })
      .innerText();
    await page.getByRole("row").filter({ hasText: "Only the webshop" }).getByText(NAME).waitFor();
    await inspectInBothThemes("connect");

    const headers = { authorization: `Bearer ${token.trim()}` };
    const repositories = await fetch(`${product.codeIndexUrl}/api/v1/repos`, { headers });
    expect(await repositories.json()).toMatchObject({ items: [{ full_name: NAME }] });
  });

  test("goes only when its name is typed", async () => {
    await openSettings(page);
    await page.getByRole("button", { name: "Delete this repository" }).click();
    const dialog = page.getByRole("dialog", { name: `Delete ${NAME}?` });
    const remove = dialog.getByRole("button", { name: "Delete", exact: true });
    await dialog.getByLabel(`Type ${NAME}`).fill("acme/websho");
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${NAME}`).fill(NAME);
    await remove.click();
    await page.getByRole("heading", { name: "No repository yet" }).waitFor();
    await page.goto(`${product.consoleUrl}/code?q=pauseBeforeRetry`);
    await page.getByRole("searchbox", { name: "Search code" }).waitFor();
    await page.getByRole("heading", { name: RETRY }).waitFor({ state: "detached" });
  });
});

test("a credential is added and taken away, and its secret never shown again", async () => {
  await page.goto(`${product.consoleUrl}/code/credentials`);
  await page.getByRole("button", { name: "Add a credential" }).first().click();
  const form = page.getByRole("dialog", { name: "Add a credential" });
  await form.getByLabel("Name", { exact: true }).fill("Read only");
  await form.getByLabel("Host").fill("git.example.org");
  await form.getByLabel("Token", { exact: true }).fill("glpat-not-to-be-seen");
  await inspectInBothThemes("credential-add");
  await form.getByRole("button", { name: "Add the credential" }).click();
  const row = page.getByRole("row").filter({ hasText: "git.example.org" });
  await row.waitFor();
  await inspectInBothThemes("credentials");
  expect(await page.content()).not.toContain("glpat-not-to-be-seen");
  await row.getByRole("button", { name: "Delete Read only" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "No credential yet" }).waitFor();
});

async function inspectInBothThemes(name: string): Promise<void> {
  for (const theme of THEMES) {
    expect(await inspectPage(page, name, theme)).toEqual([]);
  }
}

function rowOf(shown: Page): Locator {
  return shown.getByRole("row").filter({ hasText: NAME });
}

function previewOf(shown: Page): Locator {
  return shown.getByRole("dialog", { name: `Index ${NAME}?` });
}

async function openSettings(shown: Page): Promise<void> {
  await shown.goto(`${product.consoleUrl}/code/repos`);
  await shown.getByRole("link", { name: `Settings of ${NAME}` }).click();
  await shown.getByRole("heading", { level: 1, name: NAME }).waitFor();
}

/** What the settings page says of a path. */
async function lookUp(shown: Page, path: string): Promise<string> {
  await shown.getByLabel("Path", { exact: true }).fill(path);
  await shown.getByRole("button", { name: "Look up" }).click();
  return shown
    .getByRole("status")
    .filter({ hasText: `: ${path}` })
    .innerText();
}

/** A push as GitHub sends it. */
async function push(address: string, secret: string, delivery: string): Promise<Response> {
  const body = JSON.stringify({
    ref: "refs/heads/main",
    before: "0".repeat(40),
    after: repository.commit,
    repository: { id: 1, full_name: NAME, default_branch: "main", clone_url: repository.cloneUrl },
  });
  return fetch(address, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-github-delivery": delivery,
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
  });
}
