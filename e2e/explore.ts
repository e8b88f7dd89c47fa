import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inspectPage } from "./browser.ts";

type Stage = { readonly consoleUrl: string; readonly page: Page };

const TRACE = "demo agent";
/** The demo agent may still run, and its hour is counted a moment later. */
const COUNTED_MS = 120_000;

/** The pages of a project as people meet them in their browsers, on what the demo agent did. */
export function describeExplore(stage: () => Stage): void {
  describe("exploring traces", () => {
    test("a query is completed by keyboard, and its address shows the same to whoever opens it", async () => {
      const page = await openTraces(stage());
      const field = queryOf(page);
      await field.pressSequentially("status:suc");
      await page.getByRole("option", { name: "success" }).waitFor();
      await page.keyboard.press("Tab");
      await field.pressSequentially("name:dem");
      await page.getByRole("option", { name: `"${TRACE}"` }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      expect(await field.inputValue()).toBe(`status:success name:"${TRACE}" `);
      await expect.poll(() => new URL(page.url()).searchParams.get("q")?.trim()).toBe(`status:success name:"${TRACE}"`);
      await page.reload();
      await traceOf(page).waitFor();
      expect(await page.getByRole("button", { name: "Success" }).getAttribute("aria-pressed")).toBe("true");
      await page.getByRole("button", { name: "Failure" }).click();
      await expect.poll(async () => (await queryOf(page).inputValue()).trim()).toBe(`status:success,failure name:"${TRACE}"`);
      // A choice is a step back, and the letters before it are none.
      await page.goBack();
      await expect.poll(async () => (await queryOf(page).inputValue()).trim()).toBe(`status:success name:"${TRACE}"`);
    });

    test("what can't be read is explained, and found traces stay until it can be", async () => {
      const page = await openTraces(stage());
      await queryOf(page).fill("duration:>5 ");
      await page.getByText("Write a duration with its unit").waitFor();
      await page.getByText("As before: the query can't be read").waitFor();
      await traceOf(page).waitFor();
      expect(await queryOf(page).inputValue()).toBe("duration:>5 ");
    });

    test("what was asked for in vain is named, and each part of it can be dropped", async () => {
      const page = await openTraces(stage());
      await queryOf(page).fill("status:success error:nosuch duration:>5h");
      await page.getByRole("heading", { name: "No traces match your filters" }).waitFor();
      expect(await inspectPage(page, "traces-nothing")).toEqual([]);
      await page.getByRole("button", { name: "Drop error:nosuch" }).click();
      await expect.poll(() => queryOf(page).inputValue()).toBe("status:success duration:>5h");
      await page.getByRole("button", { name: "Drop duration:>5h" }).click();
      await traceOf(page).waitFor();
      await queryOf(page).fill("error:nosuch");
      await page.getByRole("button", { name: "Show all traces" }).click();
      await traceOf(page).waitFor();
      expect(await queryOf(page).inputValue()).toBe("");
    });

    test("heads sort, columns are chosen, and both are in the address", async () => {
      const page = await openTraces(stage());
      const head = page.getByRole("columnheader", { name: "Duration" });
      await head.getByRole("button").click();
      await expect.poll(() => head.getAttribute("aria-sort")).toBe("descending");
      await head.getByRole("button").click();
      await expect.poll(() => head.getAttribute("aria-sort")).toBe("ascending");
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("checkbox", { name: "Error" }).check();
      await page.keyboard.press("Escape");
      await page.reload();
      await page.getByRole("columnheader", { name: "Error" }).waitFor();
      expect(await page.getByRole("columnheader", { name: "Duration" }).getAttribute("aria-sort")).toBe("ascending");
    });

    test("a view is saved, shared, renamed, opened first and deleted", async () => {
      const page = await openTraces(stage());
      await queryOf(page).fill("status:success");
      await traceOf(page).waitFor();
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByRole("menuitem", { name: "Save as a new view…" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Good runs");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await chooseOf(page, "Good runs", "Share it with the project");
      await page.getByText("Everybody in the project sees").waitFor();
      await chooseOf(page, "Good runs", "Rename…");
      await page.getByRole("textbox", { name: "Name" }).fill("Fine runs");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await chooseOf(page, "Fine runs", "Open it first, in this browser");
      await page.getByRole("link", { name: "Dashboard" }).click();
      await page.getByText("Breakdown", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Traces", exact: true }).click();
      await expect.poll(() => queryOf(page).inputValue()).toBe("status:success");
      await chooseOf(page, "Fine runs", "No longer open it first");
      await chooseOf(page, "Fine runs", "Delete…");
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("button", { name: "Views" }).waitFor();
    });

    test("keys lead from the query to a trace and into it", async () => {
      const page = await openTraces(stage());
      await page.keyboard.press("/");
      await page.locator("search input:focus").waitFor();
      await page.keyboard.press("ArrowDown");
      const name = await page.locator("a[data-trace]:focus").innerText();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/traces\/[0-9a-f-]{36}$/);
    });

    test("the dashboard counts the run, also as a table, and a group leads to its traces", async () => {
      const page = await openTraces(stage());
      await page.getByRole("link", { name: "Dashboard" }).click();
      await page.getByText("Breakdown", { exact: true }).waitFor();
      await page.getByLabel("Group by").selectOption({ label: "Tool" });
      const groups = page.getByRole("region", { name: "Breakdown" });
      await groups.getByRole("link").first().waitFor({ timeout: COUNTED_MS });
      await page.getByRole("button", { name: "Show Tokens as a table" }).click();
      await page.getByRole("region", { name: "Tokens as a table" }).getByRole("row").nth(1).waitFor();
      expect(await inspectPage(page, "dashboard")).toEqual([]);
      await groups.getByRole("link").first().click();
      await page.locator("a[data-trace]").first().waitFor();
      expect(new URL(page.url()).searchParams.get("q")).toMatch(/^tool:/);
    });

    test(
      "all that match are tagged, the tag is in the filter menu, and a chart of one's own tells of it",
      { timeout: COUNTED_MS },
      async () => {
        const page = await openTraces(stage());
        await page
          .getByRole("table")
          .getByRole("checkbox", { name: /^Choose demo agent/ })
          .first()
          .click();
        const chosen = page.getByRole("group", { name: "Chosen traces" });
        await chosen.getByRole("button", { name: /^Choose all \d+$/ }).click();
        await chosen.getByText(/^All \d+ traces? chosen$/).waitFor();
        await chosen.getByRole("button", { name: "Tag…" }).click();
        const tagging = page.getByRole("dialog", { name: /^Tag \d+ traces?$/ });
        await tagging.getByLabel("Add", { exact: true }).press("Escape");
        await tagging.waitFor({ state: "hidden" });
        await chosen.getByRole("button", { name: "Tag…" }).click();
        await tagging.getByLabel("Add", { exact: true }).fill("to review");
        await page.getByRole("button", { name: "Save tags" }).click();
        await page.getByText(/^\d+ traces? (?:was|were) tagged\.$/).waitFor();

        await page.getByRole("button", { name: "Filter", exact: true }).click();
        const filter = page.getByRole("dialog", { name: "Filter" });
        await filter.locator("summary", { hasText: /^Tag$/ }).click();
        await filter.getByRole("checkbox", { name: /^to review/ }).check();
        await expect.poll(() => queryOf(page).inputValue()).toBe('tag:"to review"');
        expect(await inspectPage(page, "traces-filter")).toEqual([]);
        await page.keyboard.press("Escape");
        await traceOf(page).waitFor();

        await page.getByRole("link", { name: "Dashboard" }).click();
        await page.getByRole("button", { name: "Add a chart" }).click();
        const dialog = page.getByRole("dialog", { name: "Add a chart" });
        await dialog.getByRole("textbox", { name: "Name" }).fill("What to review");
        await dialog.getByLabel("Measure").selectOption({ label: "Traces" });
        await dialog.getByLabel("Grouped by").selectOption({ label: "Tag" });
        await dialog.getByText("Ranking", { exact: true }).click();
        await dialog.getByRole("button", { name: "Save" }).click();
        const ranking = page.getByRole("region", { name: "What to review as a list" });
        await ranking.getByRole("link", { name: "to review" }).waitFor();
        expect(await inspectPage(page, "dashboard-own-chart")).toEqual([]);
        await ranking.getByRole("link", { name: "to review" }).click();
        await expect.poll(() => queryOf(page).inputValue()).toBe('tag:"to review"');
        await page.goBack();
        await page.getByRole("button", { name: "Actions for What to review" }).click();
        await page.getByRole("menuitem", { name: "Delete…" }).click();
        await page.getByRole("button", { name: "Delete", exact: true }).click();
        await ranking.waitFor({ state: "detached" });
      },
    );

    test.each(["Sessions", "Users"])("%s are a page of the project", async (name) => {
      const page = await openTraces(stage());
      await page.getByRole("link", { name, exact: true }).last().click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page
        .getByRole("table")
        .or(page.getByRole("heading", { name: `No ${name.toLowerCase()} yet` }))
        .waitFor();
      expect(await inspectPage(page, `project-${name.toLowerCase()}`)).toEqual([]);
    });

    test("two sets are compared, with how many traces each has", async () => {
      const page = await openTraces(stage());
      await page.getByRole("link", { name: "Compare", exact: true }).click();
      await page.getByRole("combobox", { name: "Set A" }).fill("status:success");
      await page.getByRole("combobox", { name: "Set B" }).fill("status:failure");
      await page.getByText(/^A: [\d,]+ traces?, B: [\d,]+ traces?\./).waitFor();
      expect(await inspectPage(page, "compare-sets")).toEqual([]);
    });
  });
}

async function openTraces({ consoleUrl, page }: Stage): Promise<Page> {
  await page.goto(`${consoleUrl}/projects`);
  await page.getByRole("table").getByRole("link", { name: "Demo", exact: true }).click({ timeout: COUNTED_MS });
  await traceOf(page).waitFor({ timeout: COUNTED_MS });
  return page;
}

function queryOf(page: Page) {
  return page.getByRole("combobox", { name: "Query of the traces" });
}

function traceOf(page: Page) {
  return page.getByRole("table").getByRole("link", { name: TRACE }).first();
}

/** What the menu of views offers to do with the one that is shown. */
async function chooseOf(page: Page, view: string, action: string): Promise<void> {
  await page.getByRole("button", { name: view }).click();
  await page.getByRole("menuitem", { name: action }).click();
}
