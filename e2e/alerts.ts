import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inspectPage } from "./browser.ts";

type Stage = { readonly consoleUrl: string; readonly page: Page };

/** Rules are looked at every minute, and the demo agent may still run. */
const FIRED_MS = 240_000;
const LONG_MS = 420_000;
const CHANNEL = "On call";
const RULE = "Any failure";

/** From a rule to the message somebody gets when an agent fails; the demo's has failed already. */
export function describeAlerts(stage: () => Stage): void {
  describe("alerts of a project", () => {
    test(
      "a rule fires on a failed run, is told to a webhook, shows in the history, is paused and deleted",
      async () => {
        const { consoleUrl, page } = stage();
        const receiver = await startReceiver();
        try {
          await openAlerts(page, consoleUrl);
          const channels = sectionOf(page, "Channels");
          await channels.getByLabel("Kind").selectOption("webhook");
          await channels.getByLabel("Name").fill(CHANNEL);
          await channels.getByLabel("Address").fill(receiver.url);
          await channels.getByRole("button", { name: "Add channel" }).click();
          await page.getByText(`Copy the secret of “${CHANNEL}” now`).waitFor();
          await channels.getByRole("button", { name: `Test ${CHANNEL}` }).click();
          await expect.poll(() => receiver.told("test"), { timeout: 30_000 }).toBe(1);
          await channels.getByText("arrived").waitFor();

          const rules = sectionOf(page, "Rules");
          await rules.getByRole("button", { name: "New alert" }).click();
          const dialog = page.getByRole("dialog", { name: "New alert" });
          await dialog.getByLabel("Name", { exact: true }).fill(RULE);
          await dialog.getByLabel("Limit").fill("0");
          await dialog.getByLabel("Window").selectOption("1440");
          await dialog.getByRole("checkbox", { name: CHANNEL }).check();
          await dialog.getByRole("button", { name: "Save" }).click();
          const rule = rules.getByRole("row").filter({ hasText: RULE });
          await rule.getByText("Firing").waitFor({ timeout: FIRED_MS });
          await expect.poll(() => receiver.told("fired"), { timeout: 60_000 }).toBe(1);
          const event = sectionOf(page, "History").getByRole("row").filter({ hasText: RULE });
          await event.getByText(CHANNEL, { exact: true }).waitFor({ timeout: 60_000 });
          expect(await inspectPage(page, "alerts")).toEqual([]);

          await rule.getByRole("button", { name: `Pause ${RULE}` }).click();
          await rule.getByText("Paused").waitFor();
          await rule.getByRole("button", { name: `Delete ${RULE}` }).click();
          await confirmDeletion(page);
          await rule.waitFor({ state: "detached" });
          await channels.getByRole("button", { name: `Delete ${CHANNEL}` }).click();
          await confirmDeletion(page);
          await channels.getByText("No channels yet").waitFor();

          await event.getByRole("link", { name: "failures of that time" }).click();
          await page.getByRole("table").getByText("Failure").first().waitFor();
          expect(new URL(page.url()).searchParams.get("q")).toBe("status:failure");
        } finally {
          await receiver.close();
        }
      },
      LONG_MS,
    );
  });
}

async function openAlerts(page: Page, consoleUrl: string): Promise<void> {
  await page.goto(`${consoleUrl}/projects`);
  await page.getByRole("table").getByRole("link", { name: "Demo" }).click();
  await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Alerts" }).click();
  await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
}

function sectionOf(page: Page, heading: string) {
  return page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: heading }) });
}

async function confirmDeletion(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Takes what alerts send. */
async function startReceiver() {
  const events: unknown[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      events.push((JSON.parse(body) as { event?: unknown }).event);
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/alerts`,
    told: (event: string) => events.filter((each) => each === event).length,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
