import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inspectPage } from "./browser.ts";
import type { Product } from "./product.ts";

type Stage = { readonly product: Product; readonly page: Page };

const REPOSITORY = "acme/webshop";
const RETRY = "src/payment/retry-failed-payment.ts";

/** Searching and reading code as people meet them in their browsers, on the small repository. */
export function describeCode(stage: () => Stage): void {
  describe("code search", () => {
    test("a question in words finds the file, and a result opens it at its line", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code`);
      await page.getByRole("combobox", { name: "Search code" }).fill("how long to wait before a failed payment is tried again");
      const first = page.locator("#results").getByRole("listitem").first();
      await first.getByRole("heading", { name: RETRY }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`/code/${REPOSITORY}\\?path=${encodeURIComponent(RETRY)}#L\\d+`));
      const content = contentOf(page);
      await content.getByText("export function pauseBeforeRetry").waitFor();
      expect(await content.locator("[data-target]").count()).toBeGreaterThan(0);
    });

    test("an exact name finds where it is defined, and says why", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code?q=reserve_items&repo=${encodeURIComponent(REPOSITORY)}`);
      const first = page.locator("#results").getByRole("listitem").first();
      await expect.poll(() => first.getByRole("heading").innerText()).toContain("src/stock/reserve.py");
      await page.getByRole("switch", { name: "Explain" }).click({ force: true });
      await page.getByLabel("What its score is made of").first().waitFor();
    });

    test("a filter is completed as it is typed, is read back, and can be dropped", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code?repo=${encodeURIComponent(REPOSITORY)}`);
      const field = page.getByRole("combobox", { name: "Search code" });
      await field.pressSequentially("pauseBeforeRetry lang:pyt");
      await page.getByRole("option", { name: "lang:python" }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "src/stock/reserve.py" }).waitFor();
      expect(await page.getByRole("heading", { name: RETRY }).count()).toBe(0);
      expect(await field.inputValue()).toBe("pauseBeforeRetry lang:python ");
      await page.getByRole("button", { name: "Drop the filter lang: python" }).click();
      await page.getByRole("heading", { name: RETRY }).waitFor();
      expect(new URL(page.url()).searchParams.get("q")).toBe("pauseBeforeRetry");
    });

    test("grep finds every line by an expression, with what matched marked", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code?mode=grep&repo=${encodeURIComponent(REPOSITORY)}`);
      await page.getByRole("combobox", { name: "Find in all lines" }).fill(String.raw`retry\w+\(`);
      await page.getByRole("heading", { name: "No line matches" }).waitFor();
      await page.getByRole("button", { name: "Regular expression" }).click();
      await page.getByRole("heading", { name: RETRY }).waitFor();
      // A mark ends where a colour does.
      expect((await page.locator("#results mark").allInnerTexts()).join("")).toBe("retryFailedPayment(");
      expect(await inspectPage(page, "code-grep")).toEqual([]);
      await page.getByRole("button", { name: "Match case" }).click();
      await page.getByRole("link", { name: /^Line \d+$/ }).click();
      await contentOf(page).locator("[data-target]").getByText("retryFailedPayment").first().waitFor();
    });
  });

  test("a repository opens with its README, and a folder is one with or without the slash at its end", async () => {
    const { product, page } = stage();
    await page.goto(`${product.consoleUrl}/code/${REPOSITORY}`);
    await page.getByRole("region", { name: "README.md" }).getByText("Orders, payments and stock").waitFor();
    for (const folder of ["src/payment", "src/payment/"]) {
      await page.goto(`${product.consoleUrl}/code/${REPOSITORY}?path=${encodeURIComponent(folder)}`);
      await page.getByRole("region", { name: "Content of src/payment/" }).getByRole("link", { name: "gateway.ts" }).waitFor();
    }
    expect(await inspectPage(page, "code-folder")).toEqual([]);
  });

  describe("a file", () => {
    test("has an outline, and its names lead to where they are defined and used", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code/${REPOSITORY}?path=${encodeURIComponent(RETRY)}`);
      await page.getByRole("button", { name: "Outline" }).click();
      await page.getByRole("link", { name: "retryFailedPayment function" }).click();
      await page.waitForURL(/#L\d+$/);
      await contentOf(page).getByText("pauseBeforeRetry", { exact: true }).last().click();
      const names = page.getByRole("region", { name: "References" });
      await names.getByRole("heading", { name: /^Used on 1 line of 1 file/ }).waitFor();
      expect(await names.getByRole("link", { name: `function ${RETRY}` }).count()).toBe(1);
      expect(await inspectPage(page, "code-names")).toEqual([]);
      await names.getByRole("link", { name: /gateway\.sleep/ }).click();
      await contentOf(page).locator("[data-target]").getByText("gateway").first().waitFor();
    });

    test("tells its history, and gives a link that names the commit", async () => {
      const { product, page } = stage();
      await page.goto(`${product.consoleUrl}/code/${REPOSITORY}?path=${encodeURIComponent(RETRY)}&panel=history`);
      // The history is fetched after the index is there.
      const subject = page.getByRole("region", { name: "History" }).getByText("Sell things");
      await expect
        .poll(
          async () => {
            await page.reload();
            await page
              .getByRole("region", { name: "History" })
              .getByText(/Sell things|not fetched/)
              .first()
              .waitFor();
            return subject.count();
          },
          { timeout: 60_000 },
        )
        .toBe(1);
      await page.getByRole("button", { name: "Permalink" }).waitFor();
      expect(await inspectPage(page, "code-history")).toEqual([]);
      // Placed by the page and not by their button, the hidden words of a long list make the page longer than the screen.
      const hidden = page.getByRole("region", { name: "History" }).getByText("Copy commit").first();
      expect(await hidden.evaluate(placedBy)).toBe("BUTTON");
    });
  });

  test("the console calls a tool as an assistant would, with a token made for it", async () => {
    const { product, page } = stage();
    await page.goto(`${product.consoleUrl}/code/connect?new=1`);
    await page.getByLabel("Label").fill("Tried in the console");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("button", { name: "Connect as an assistant" }).click();
    await page.getByLabel("query").fill("pauseBeforeRetry");
    await page.getByRole("button", { name: "Call search" }).click();
    await expect.poll(() => page.getByLabel("the answer", { exact: true }).innerText()).toContain(RETRY);
    expect(await inspectPage(page, "connect-try-it")).toEqual([]);
  });
}

/** What is needed of the browser's own objects. */
function placedBy(element: { readonly offsetParent: { readonly tagName: string } | null }): string | undefined {
  return element.offsetParent?.tagName;
}

function contentOf(page: Page) {
  return page.getByRole("region", { name: `Content of ${RETRY}` });
}
