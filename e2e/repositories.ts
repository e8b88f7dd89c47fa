import { createHmac } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectPage } from "./browser.ts";
import type { Product } from "./product.ts";
import { makeSmallRepository, type SmallRepository } from "./small-repository.ts";

/** What the tests take place on: a page of someone who is logged in as the first admin. */
type Stage = { readonly product: Product; readonly page: Page };

const NAME = "acme/warehouse";
const RETRY = "src/payment/retry-failed-payment.ts";
const INDEXING_MS = 90_000;

/** A repository and a credential from their making to their end, as admins meet them in their browsers. */
export function describeRepositories(stage: () => Stage): void {
  describe("a repository, from its registration to its deletion,", { timeout: 120_000 }, () => {
    let repository: SmallRepository;

    beforeAll(() => {
      repository = makeSmallRepository();
    });

    afterAll(() => repository.remove());

    test("is looked at before it is indexed, and says until then that it is not", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code/repos`);
      await page.getByRole("button", { name: "Register a repository" }).first().click();
      const form = page.getByRole("dialog", { name: "Register a repository" });
      await form.getByLabel("Name").fill(NAME);
      await form.getByLabel("Clone URL").fill(repository.cloneUrl);
      await form.getByRole("button", { name: "Register and preview" }).click();
      const preview = previewOf(page);
      await preview.getByRole("table", { name: "Biggest files" }).getByText(RETRY).waitFor({ timeout: INDEXING_MS });

      await preview.getByLabel("Leave out").fill("*.py");
      expect(await preview.getByRole("button", { name: "Index", exact: true }).isDisabled()).toBe(true);
      await preview.getByRole("button", { name: "Preview again" }).click();
      await preview.getByText("src/stock/reserve.py").waitFor({ timeout: INDEXING_MS });
      await expectAccessible(page, "repository-preview");
      await page.keyboard.press("Escape");
      await rowOf(page).getByText("Not indexed yet").waitFor();
    });

    test("is indexed when that is asked for, by a job that is shown", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code/repos`);
      await rowOf(page)
        .getByRole("button", { name: `Preview and index ${NAME}` })
        .click();
      await previewOf(page).getByText("By language").waitFor({ timeout: INDEXING_MS });
      await previewOf(page).getByRole("button", { name: "Index", exact: true }).click();
      await rowOf(page).getByText("Ready").waitFor({ timeout: INDEXING_MS });

      await page.goto(`${product.consoleUrl}/code/jobs`);
      await rowOf(page).getByText("Succeeded").waitFor();
      expect(await rowOf(page).innerText()).toContain("by hand");
      await expectAccessible(page, "jobs");
    });

    test("is found by search, without what was left out", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code?q=pauseBeforeRetry&repo=${encodeURIComponent(NAME)}`);
      await page.getByRole("heading", { name: RETRY }).waitFor();
      await openSettings(stage());
      expect(await lookUp(page, RETRY)).toContain(`Searchable: ${RETRY}`);
      expect(await lookUp(page, "src/stock/reserve.py")).toContain("Left out: src/stock/reserve.py");
      expect(await lookUp(page, "src/stock/nothing.py")).toContain("Not in the indexed commit: src/stock/nothing.py");
      await expectAccessible(page, "repository-settings");
    });

    test("takes pushes that are signed with the secret made for it, and replays one", async () => {
      const { page } = stage();
      await openSettings(stage());
      await page.getByRole("button", { name: "Make a secret of its own" }).click();
      const secret = (await page.getByLabel("the webhook secret", { exact: true }).innerText()).trim();
      const address = (await page.getByLabel("the webhook's address", { exact: true }).innerText()).trim();
      expect((await push({ address, secret: "0123456789abcdef", delivery: "forged" }, repository)).status).toBe(401);
      expect((await push({ address, secret, delivery: "pushed-once" }, repository)).ok).toBe(true);

      await page.getByRole("link", { name: "Deliveries for this repository" }).click();
      await rowOf(page).getByText("push to main").waitFor();
      await rowOf(page).getByText("GitHub").waitFor();
      expect(await rowOf(page).count()).toBe(1);
      await rowOf(page)
        .getByRole("button", { name: /^Replay the delivery/ })
        .click();
      await rowOf(page).getByText("replayed 1 time").waitFor();
      await expectAccessible(page, "webhooks");
      await rowOf(page).getByRole("link", { name: NAME }).click();
      await page.getByRole("heading", { level: 1, name: NAME }).waitFor();
    });

    test("is all that a token opens which was made for it", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code/connect?new=1`);
      await page.getByLabel("Label").fill("Only the warehouse");
      await page.getByRole("combobox", { name: "Repositories" }).fill("ware");
      await page.getByRole("option", { name: NAME }).click();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Create token" }).click();
      const token = await page
        .getByRole("status")
        .filter({ hasText: "Only the warehouse" })
        .getByLabel("the token", { exact: true })
        .innerText();
      await page.getByRole("row").filter({ hasText: "Only the warehouse" }).getByText(NAME).waitFor();

      const headers = { authorization: `Bearer ${token.trim()}` };
      const repositories = await fetch(`${product.codeIndexUrl}/api/v1/repos`, { headers });
      expect(await repositories.json()).toMatchObject({ items: [{ full_name: NAME }] });
    });

    test("goes only when its name is typed", async () => {
      const { product, page } = stage();
      await openSettings(stage());
      await page.getByRole("button", { name: "Delete this repository" }).click();
      const dialog = page.getByRole("dialog", { name: `Delete ${NAME}?` });
      const remove = dialog.getByRole("button", { name: "Delete", exact: true });
      await dialog.getByLabel(`Type ${NAME}`).fill("acme/warehous");
      expect(await remove.isDisabled()).toBe(true);
      await dialog.getByLabel(`Type ${NAME}`).fill(NAME);
      await remove.click();
      await rowOf(page).waitFor({ state: "detached" });
      await page.goto(`${product.consoleUrl}/code?q=pauseBeforeRetry`);
      await page.getByRole("heading", { name: RETRY }).waitFor();
      expect(await page.locator("#results").innerText()).not.toContain(NAME);
    });
  });

  test("a credential is added and taken away, and its secret never shown again", async () => {
    const { product, page } = stage();
    await page.goto(`${product.consoleUrl}/code/credentials`);
    await page.getByRole("button", { name: "Add a credential" }).first().click();
    const form = page.getByRole("dialog", { name: "Add a credential" });
    await form.getByLabel("Name", { exact: true }).fill("Read only");
    await form.getByLabel("Host").fill("git.example.org");
    await form.getByLabel("Token", { exact: true }).fill("glpat-not-to-be-seen");
    await expectAccessible(page, "credential-add");
    await form.getByRole("button", { name: "Add the credential" }).click();
    const row = page.getByRole("row").filter({ hasText: "git.example.org" });
    await row.waitFor();
    await expectAccessible(page, "credentials");
    expect(await page.content()).not.toContain("glpat-not-to-be-seen");
    await row.getByRole("button", { name: "Delete Read only" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "No credential yet" }).waitFor();
  });
}

async function expectAccessible(page: Page, name: string): Promise<void> {
  expect(await inspectPage(page, name)).toEqual([]);
}

function rowOf(shown: Page): Locator {
  return shown.getByRole("row").filter({ hasText: NAME });
}

function previewOf(shown: Page): Locator {
  return shown.getByRole("dialog", { name: `Index ${NAME}?` });
}

async function openSettings({ product, page: shown }: Stage): Promise<void> {
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

type Pushing = { readonly address: string; readonly secret: string; readonly delivery: string };

/** A push as GitHub sends it. */
async function push({ address, secret, delivery }: Pushing, repository: SmallRepository): Promise<Response> {
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
