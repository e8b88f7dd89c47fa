import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inspectPage } from "./browser.ts";

type Stage = { readonly consoleUrl: string; readonly page: Page };

const REPOSITORY = "acme/webshop";

/** The console by keyboard alone. */
export function describePalette(stage: () => Stage): void {
  describe("from the keyboard", () => {
    test("a repository is opened by its name, pages by two keys, and a map shows them", async () => {
      const { consoleUrl, page } = stage();
      await page.goto(consoleUrl);
      await page.getByRole("button", { name: "Search everything" }).waitFor();
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Command palette" });
      await palette.getByRole("combobox", { name: "Search everything" }).pressSequentially("webshop");
      await palette.getByRole("option", { name: REPOSITORY }).first().waitFor();
      expect(await inspectPage(page, "palette")).toEqual([]);
      await page.keyboard.press("Enter");
      await page.waitForURL(({ pathname }) => pathname === `/code/${REPOSITORY}`);
      await palette.waitFor({ state: "detached" });

      await page.keyboard.press("g");
      await page.keyboard.press("p");
      await page.waitForURL(`${consoleUrl}/projects`);
      await page.keyboard.press("?");
      const map = page.getByRole("dialog", { name: "Keyboard" });
      await map.getByRole("row").filter({ hasText: "Projects" }).waitFor();
      expect(await inspectPage(page, "keyboard-map")).toEqual([]);
      await page.keyboard.press("Escape");
      await map.waitFor({ state: "detached" });
    });

    test("what is typed from the first moment is in the field, and no key of the page", async () => {
      const { consoleUrl, page } = stage();
      // As over a slow line: the palette is loaded when it is first asked for.
      await page.route(/palette/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 700));
        await route.continue();
      });
      try {
        await page.goto(`${consoleUrl}/projects`);
        await page.getByRole("button", { name: "Search everything" }).waitFor();
        await page.keyboard.press("Control+k");
        await page.keyboard.type("gatewax", { delay: 60 });
        await page.keyboard.press("Backspace");
        await page.keyboard.type("y hooks", { delay: 60 });
        const field = page.getByRole("dialog", { name: "Command palette" }).getByRole("combobox", { name: "Search everything" });
        await expect.poll(() => field.inputValue()).toBe("gateway hooks");
        expect(new URL(page.url()).pathname).toBe("/projects");
        await page.keyboard.type("!");
        expect(await field.inputValue()).toBe("gateway hooks!");
        await page.keyboard.press("Escape");
        await field.waitFor({ state: "detached" });
      } finally {
        await page.unroute(/palette/);
      }
    });

    test("what is known late is chosen when it comes first, and never in place of what someone chose", async () => {
      const { consoleUrl, page } = stage();
      let answer = (): void => undefined;
      const asked = new Promise<void>((resolve) => (answer = resolve));
      await page.route(/\/api\/code-index\/api\/v1\/repos\?limit=200$/, async (route) => {
        await asked;
        await route.continue();
      });
      await page.goto(`${consoleUrl}/projects`);
      await page.getByRole("button", { name: "Search everything" }).waitFor();
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Command palette" });
      const field = palette.getByRole("combobox", { name: "Search everything" });
      const everything = palette.getByRole("option", { name: "Search code for “webshop”" });
      const chosen = palette.locator("[data-selected]");
      // Typed by a person, who sees what is found so far between two letters.
      await field.pressSequentially("webshop", { delay: 250 });
      await everything.waitFor();
      answer();
      await palette.getByRole("option", { name: REPOSITORY, exact: true }).waitFor();
      expect(await chosen.allInnerTexts()).toEqual([REPOSITORY]);
      await expect.poll(() => activeOption(field)).toBe(REPOSITORY);

      await page.keyboard.press("ArrowUp");
      expect(await chosen.allInnerTexts()).toEqual([await everything.innerText()]);
      await expect.poll(() => activeOption(field)).toBe(await everything.innerText());
      await field.press("Enter");
      await page.waitForURL(`${consoleUrl}/code?q=webshop`);
    });

    test("single keys can be turned off, for whoever hits them by chance, and on again", async () => {
      const { consoleUrl, page } = stage();
      await page.goto(`${consoleUrl}/projects`);
      await page.getByRole("button", { name: "Search everything" }).waitFor();
      await page.keyboard.press("?");
      const map = page.getByRole("dialog", { name: "Keyboard" });
      const keys = map.getByRole("switch", { name: "Single-key shortcuts" });
      await keys.uncheck();
      await page.keyboard.press("Escape");
      await map.waitFor({ state: "detached" });
      await page.reload();
      await page.getByRole("button", { name: "Search everything" }).waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("h");
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Command palette" });
      await palette.getByRole("combobox", { name: "Search everything" }).fill("keyboard map");
      await palette.getByRole("option", { name: "Show the keyboard map" }).waitFor();
      expect(page.url()).toBe(`${consoleUrl}/projects`);
      await page.keyboard.press("Enter");
      await keys.check();
      await page.keyboard.press("Escape");
      await map.waitFor({ state: "detached" });
      await page.keyboard.press("g");
      await page.keyboard.press("h");
      await page.waitForURL(`${consoleUrl}/`);
    });

    test("a dialog of another page is opened by what it does", async () => {
      const { consoleUrl, page } = stage();
      await page.goto(consoleUrl);
      await page.getByRole("button", { name: "Search everything" }).waitFor();
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Command palette" });
      await palette.getByRole("combobox", { name: "Search everything" }).fill("new project");
      await palette.getByRole("option", { name: "Create a project" }).waitFor();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "Create a project" });
      await dialog.waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.waitForURL(`${consoleUrl}/projects`);
      expect(await page.getByRole("dialog").count()).toBe(0);
    });
  });
}

/** What a screen reader says is chosen while the focus stays in the field. */
async function activeOption(field: Locator): Promise<string> {
  const id = await field.getAttribute("aria-activedescendant");
  return field.page().locator(`[id="${id}"][aria-selected=true]`).innerText();
}
