import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { setTimeout as delay } from "node:timers/promises";
import { excuse } from "./browser.ts";
import type { RunningProcess } from "./processes.ts";
import type { Product } from "./product.ts";

/** What the tests take place on: a page of an admin. */
type Stage = { readonly product: Product; readonly page: Page; readonly problems: string[] };

/** The console asks for the health every ten seconds, and what ends again and again is started later each time. */
const SEEN_MS = 60_000;
const WATCH_MS = 250;

/** An operator of whose product a part keeps ending. */
export function describeOutage(stage: () => Stage): void {
  describe("an operator with a part down", { timeout: 3 * SEEN_MS }, () => {
    test("sees that the code index is the one, works with the rest, and sees it return", async () => {
      const { product, page, problems } = stage();
      await page.goto(product.consoleUrl);
      const card = page.getByRole("region", { name: "Code index" });
      await card.getByText("Healthy").waitFor({ timeout: SEEN_MS });

      const release = keepDown(product, ({ command }) => command.at(-1) === "code-index");
      await card.getByText("Not answering").waitFor({ timeout: SEEN_MS });
      await page.getByText("The code index can't be reached at the moment").first().waitFor();
      await page.getByRole("region", { name: "Observability" }).getByText("Healthy").waitFor({ timeout: SEEN_MS });
      await page.getByRole("link", { name: "Projects", exact: true }).first().click();
      await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
      await page
        .getByRole("button", { name: /project/i })
        .first()
        .waitFor();
      await page.getByRole("link", { name: "Overview", exact: true }).first().click();

      await release();
      await expect.poll(() => card.getByText("Not answering").count(), { timeout: SEEN_MS }).toBe(0);
      await page.goto(`${product.consoleUrl}/code/repos`);
      await page.getByRole("button", { name: "Register a repository" }).first().waitFor();
      excuse(problems, /status of 502 .*\/api\/code-index\//);
    });

    test("sees that Redis is the one, and that it is well again", async () => {
      const { product, page } = stage();
      await page.goto(product.consoleUrl);
      const card = page.getByRole("region", { name: "Observability" });
      await card.getByText("Healthy").waitFor({ timeout: SEEN_MS });

      const release = keepDown(product, ({ command }) => command.some((word) => /redis-server|valkey-server/.test(word)));
      await card.getByText("Degraded").waitFor({ timeout: SEEN_MS });
      const redis = card.getByRole("listitem").filter({ hasText: "Redis" });
      await expect.poll(() => redis.getByText("Up", { exact: true }).count()).toBe(0);
      await page.goto(`${product.consoleUrl}/projects`);
      await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();

      await release();
      await page.goto(product.consoleUrl);
      await card.getByText("Healthy").waitFor({ timeout: SEEN_MS });
      expect(product.output()).toContain("redis is ready again");
    });
  });
}

/** Ends each process of that kind as soon as there is one, until it is told to let them be. */
function keepDown(product: Product, isMeant: (running: RunningProcess) => boolean): () => Promise<void> {
  const watching = new AbortController();
  const watched = (async () => {
    while (!watching.signal.aborted) {
      for (const { pid } of (await product.processes()).filter(isMeant)) {
        end(pid);
      }
      await delay(WATCH_MS);
    }
  })();
  return () => {
    watching.abort();
    return watched;
  };
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
