import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { failOn, launchBrowser, openContext, openPage } from "./browser.ts";
import { logIn } from "./log-in.ts";

/**
 * The screen of `npm run bench:live-screen`: shows the list of traces and a running trace while an agent runs, and prints for each
 * run and step how many milliseconds after the SDK's call it was in the page. `node watch-live.ts <console> <redis> <project>`, with
 * `ADMIN_EMAIL` and `ADMIN_PASSWORD`.
 */
type Times = Readonly<Record<string, number>>;

const AGENT = fileURLToPath(new URL("../packages/sdk/testing/live-agent.ts", import.meta.url));
const COUNT = 40;
/** So that all of a trace's steps are in sight. */
const STEPS = 20;
const PAUSE_MS = 500;
const PATIENCE_MS = 60_000;

/** Notes when a name is first in the page. */
const WATCH = `
  globalThis.seenAt = {};
  new MutationObserver((mutations) => {
    const at = Date.now();
    for (const { target, addedNodes } of mutations) {
      for (const node of [target.nodeType === Node.TEXT_NODE ? target : undefined, ...addedNodes]) {
        for (const [name] of (node?.textContent ?? "").matchAll(/(?:run|step)-\\d{3}/g)) {
          seenAt[name] ??= at;
        }
      }
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;

const [consoleUrl = "", redisUrl = "", project = ""] = process.argv.slice(2);
const { ADMIN_EMAIL: email = "", ADMIN_PASSWORD: password = "" } = process.env;
const browser = await launchBrowser();
const problems: string[] = [];
const page = await openPage(await openContext(browser), problems);
page.setDefaultTimeout(PATIENCE_MS);
await page.addInitScript({ content: WATCH });
try {
  await logIn(page, consoleUrl, { email, password });
  const runs = await watchRuns(page);
  const steps = [...(await watchSteps(page, 1)), ...(await watchSteps(page, STEPS + 1))];
  failOn(problems);
  console.log(JSON.stringify({ runs, steps }));
} finally {
  await browser.close();
}

async function watchRuns(shown: Page): Promise<readonly number[]> {
  await shown.goto(`${consoleUrl}/projects/${project}/traces`);
  await shown.getByRole("combobox", { name: "Query of the traces" }).waitFor();
  await shown.getByText("Live", { exact: true }).first().waitFor();
  return waitsOf(shown, await ended(startAgent("runs", 1, COUNT)));
}

async function watchSteps(shown: Page, first: number): Promise<readonly number[]> {
  await shown.goto(`${consoleUrl}/projects/${project}/traces?q=${encodeURIComponent("name:live-agent")}`);
  const before = await shown.locator("a[data-trace]").count();
  const agent = startAgent("steps", first, first + STEPS - 1);
  await shown.locator("a[data-trace]").nth(before).waitFor();
  await shown.locator("a[data-trace]").first().click();
  await shown.getByRole("heading", { level: 1, name: "live-agent" }).waitFor();
  await shown.getByText("Live", { exact: true }).first().waitFor();
  agent.stdin?.end("go on\n");
  return waitsOf(shown, await ended(agent));
}

function startAgent(what: "runs" | "steps", first: number, last: number): ChildProcess {
  const words = [AGENT, redisUrl, project, what, String(first), String(last), String(PAUSE_MS)];
  return spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
}

async function ended(agent: ChildProcess): Promise<Times> {
  let printed = "";
  agent.stdout?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await once(agent, "close");
  return JSON.parse(printed) as Times;
}

async function waitsOf(shown: Page, calledAt: Times): Promise<readonly number[]> {
  const names = Object.keys(calledAt);
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
    const seenAt = await shown.evaluate<Times>("seenAt");
    const waits = names.map((name) => (seenAt[name] ?? Infinity) - (calledAt[name] ?? 0));
    if (waits.every(Number.isFinite) || Date.now() > deadline) {
      return waits;
    }
  }
}
