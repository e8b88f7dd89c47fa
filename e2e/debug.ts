import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inspectPage } from "./browser.ts";

type Stage = { readonly consoleUrl: string; readonly page: Page };

/** The demo agent may still run. */
const DEMO_MS = 120_000;
/** axe looks at five pages in two themes. */
const LONG_MS = 120_000;
const GUESS = "restart-policy.ts";

/** An engineer on the way from a run that failed to the code that made it fail. */
export function describeDebugging(stage: () => Stage): void {
  describe("an engineer whose agent failed", () => {
    test(
      "finds the run, its first failing step by a key, what led there in each view, and the code that ran",
      async () => {
        const page = await openFailedTrace(stage());
        const steps = page.getByRole("tree", { name: "Steps of the trace" });
        await steps.getByRole("treeitem", { name: "read_file" }).first().waitFor();
        await page.keyboard.press("f");
        const details = page.getByRole("tabpanel", { name: "Details" });
        await details.getByRole("heading", { level: 2, name: "read_file" }).waitFor();
        expect(page.url()).toContain("observation=");
        await details.getByText("file_not_found").first().waitFor();
        expect(await inspectPage(page, "trace-failed")).toEqual([]);

        const graph = await openView(page, "Graph");
        await graph.getByText("recover", { exact: true }).first().waitFor();
        expect(await inspectPage(page, "trace-graph")).toEqual([]);

        const transcript = await openView(page, "Transcript");
        await transcript.getByText(`I read ${GUESS}.`).first().waitFor();
        expect(await inspectPage(page, "trace-transcript")).toEqual([]);

        const state = await openView(page, "State");
        await state.getByText("messages").first().waitFor();
        expect(await inspectPage(page, "trace-state")).toEqual([]);

        const json = await openView(page, "JSON");
        await json.getByText(GUESS).first().waitFor();
        expect(await inspectPage(page, "trace-json")).toEqual([]);
        await steps.getByRole("treeitem").first().click();
        // The trace's error is a text of several lines, further down than a panel is high.
        await json.hover();
        await expect
          .poll(async () => {
            await page.mouse.wheel(0, 200);
            return json.getByRole("treeitem", { name: "Empty line" }).count();
          })
          .toBeGreaterThan(0);
        expect(await inspectPage(page, "trace-json-whole")).toEqual([]);
        await page.keyboard.press("f");

        await page.getByRole("tab", { name: "Details" }).click();
        await page.keyboard.press("c");
        await page.getByText(/\d+ steps found/).waitFor();
        expect(page.url()).toContain("only=critical");
        await details.getByRole("link", { name: "apps/platform/demo/agent.ts:" }).last().click();
        // Calls of the stack lead there too. Named after the checkout's remote, or `local/…` without one.
        await page.waitForURL(/\/code\/[^/?]+\/[^/?]+\?.*path=apps%2Fplatform%2Fdemo%2Fagent\.ts.*#L\d+/);
        await page.getByText("createTracedGraph").first().waitFor();
      },
      LONG_MS,
    );

    test("sees what the run that went well did otherwise", async () => {
      const { consoleUrl, page } = stage();
      await openTraces({ consoleUrl, page });
      const choices = page.getByRole("table").getByRole("checkbox", { name: /^Choose .+ of \d/ });
      await expect.poll(() => choices.count()).toBeGreaterThan(1);
      await choices.nth(0).click();
      await choices.nth(1).click();
      await page.getByRole("button", { name: "Compare" }).click();
      await page.waitForURL(/\/compare\?a=[0-9a-f-]{36}&b=[0-9a-f-]{36}$/);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText("search_code").first().waitFor();
      expect(await inspectPage(page, "compare")).toEqual([]);
    });
  });
}

async function openTraces({ consoleUrl, page }: Stage): Promise<void> {
  await page.goto(`${consoleUrl}/projects`);
  await page.getByRole("table").getByRole("link", { name: "Demo", exact: true }).click({ timeout: DEMO_MS });
  await page.getByRole("table").getByRole("link").first().waitFor({ timeout: DEMO_MS });
}

async function openFailedTrace({ consoleUrl, page }: Stage): Promise<Page> {
  await openTraces({ consoleUrl, page });
  await page.getByRole("combobox", { name: "Query of the traces" }).fill("status:failure");
  await page.waitForURL(/q=status%3Afailure/);
  await page.getByRole("row").filter({ hasText: "failure" }).getByRole("link").first().click();
  return page;
}

async function openView(page: Page, name: string) {
  await page.getByRole("tab", { name, exact: true }).click();
  return page.getByRole("tabpanel", { name });
}
