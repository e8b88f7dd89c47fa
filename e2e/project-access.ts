import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { failOn, inspectPage, openContext, openPage } from "./browser.ts";
import { makeMember } from "./identity-client.ts";
import { logIn, type Credentials } from "./log-in.ts";

export type ProjectAccessWorld = {
  readonly consoleUrl: string;
  readonly browser: Browser;
  /** Of the first admin. */
  readonly page: Page;
  readonly first: Credentials;
};

/** axe looks at five pages in two themes. */
const LONG_MS = 180_000;
const PROJECT = "Refunds, production";
const EMAIL = "mary@example.org";

export function describeProjectAccess(world: () => ProjectAccessWorld): void {
  describe("a project", () => {
    test(
      "is seen by a colleague when they are added by e-mail address, and by them no more when they are removed",
      async () => {
        const { consoleUrl, browser, page, first } = world();
        const colleague = await makeMember(consoleUrl, first, EMAIL);
        const visitor = await openContext(browser);
        const problems: string[] = [];
        const theirs = await openPage(visitor, problems);
        await logIn(theirs, consoleUrl, colleague);
        await createProject(page, consoleUrl);

        await theirs.goto(`${consoleUrl}/projects`);
        await theirs
          .getByText("No project yet")
          .or(theirs.getByRole("link", { name: "Demo" }))
          .waitFor();
        expect(await theirs.getByRole("link", { name: PROJECT }).count()).toBe(0);

        await page.getByRole("link", { name: "Members" }).click();
        await page.getByRole("combobox", { name: "E-mail address" }).fill(EMAIL);
        await page.getByRole("combobox", { name: "Role", exact: true }).click();
        await page.getByRole("option", { name: "Viewer" }).click();
        await page.getByRole("button", { name: "Add", exact: true }).click();
        await page.getByRole("combobox", { name: "Role of mary" }).waitFor();
        expect(await inspectPage(page, "project-members")).toEqual([]);

        await theirs.getByRole("link", { name: PROJECT }).click();
        await theirs.getByRole("link", { name: "Settings" }).click();
        await theirs.getByText("You are a viewer of this project").waitFor();
        expect(await theirs.getByRole("button", { name: "Delete this project" }).count()).toBe(0);

        // From here on the browser complains of what they may not see.
        failOn(problems);

        await page.getByRole("button", { name: "Remove mary" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
        await page.getByRole("combobox", { name: "Role of mary" }).waitFor({ state: "detached" });
        await theirs.reload();
        await theirs.getByText("This project is not here").waitFor();
        await visitor.close();
      },
      LONG_MS,
    );

    test(
      "has settings without a violation that axe finds, an API key that is shown once, and is deleted by its name",
      async () => {
        const { consoleUrl, page } = world();
        await openSettings(page, consoleUrl);
        expect(await inspectPage(page, "project-settings")).toEqual([]);
        const name = page.getByLabel("Name", { exact: true });
        await name.fill("Half a na");
        const asked = page.getByRole("dialog", { name: "Leave without saving?" });
        await page.getByRole("link", { name: "Prices" }).click();
        await asked.getByRole("button", { name: "Stay" }).click();
        await asked.waitFor({ state: "detached" });
        expect(await name.inputValue()).toBe("Half a na");
        await page.getByRole("link", { name: "Prices" }).click();
        await asked.getByRole("button", { name: "Leave" }).click();
        await page.getByRole("textbox", { name: "Filter models" }).fill("gpt-4o");
        await page.getByRole("button", { name: "Set own price of gpt-4o", exact: true }).waitFor();
        expect(await inspectPage(page, "project-prices")).toEqual([]);
        await page.getByRole("link", { name: "API keys" }).click();
        await page.getByLabel("Name").fill("Exporter");
        await page.getByRole("button", { name: "Create key" }).click();
        const key = await page.getByRole("status").getByLabel("the API key", { exact: true }).innerText();
        expect(key.trim()).toMatch(/^studio_[0-9a-f]{64}$/);
        await page.reload();
        await page.getByRole("button", { name: "Revoke Exporter" }).waitFor();
        expect(await page.content()).not.toContain(key.trim());

        await page.getByRole("link", { name: "General" }).click();
        await page.getByRole("button", { name: "Delete this project" }).click();
        const dialog = page.getByRole("dialog");
        expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
        await dialog.getByLabel(`Type ${PROJECT}`).fill(PROJECT);
        await dialog.getByRole("button", { name: "Delete" }).click();
        await page.waitForURL(`${consoleUrl}/projects`);
        await page.getByRole("link", { name: PROJECT }).waitFor({ state: "detached" });
      },
      LONG_MS,
    );
  });
}

async function createProject(page: Page, consoleUrl: string): Promise<void> {
  await page.goto(`${consoleUrl}/projects`);
  await page.getByRole("button", { name: "Create a project" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(PROJECT);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await openSettings(page, consoleUrl);
}

async function openSettings(page: Page, consoleUrl: string): Promise<void> {
  await page.goto(`${consoleUrl}/projects`);
  await page.getByRole("link", { name: PROJECT }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
}
