import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { launchBrowser, openContext, openPage } from "#browser.ts";
import { findViolations } from "#find-violations.ts";
import { logIn } from "#log-in.ts";
import { codePages } from "./code-pages.ts";
import { commonPages } from "./common-pages.ts";
import { findLayoutFaults, findUnseenFocus } from "./find-faults.ts";
import { VIEWER, type ReviewedPage } from "./page.ts";
import { projectPages } from "./project-pages.ts";
import { viewerPages } from "./viewer-pages.ts";
import { imposeState, STATES, type State } from "./states.ts";

const WIDTHS = [1440, 820, 390] as const;
const THEMES = ["light", "dark"] as const;
const TAB_STOPS = 12;
const COLOURS_CHANGED = `Promise.allSettled(document.getAnimations()
  .filter((each) => each.effect.getTiming().iterations !== Infinity).map((each) => each.finished))`;
/** The browser reports what a failing state makes the APIs answer. */
const ANSWERED_500 = /status of 500/;

/**
 * Takes every page of a running product in every state, width and theme, and says what is wrong with it:
 * `run.ts FOLDER [NAME…]`, with `--pictures` without what takes longest, axe and the focus.
 */
const words = process.argv.slice(2);
const picturesAlone = words.includes("--pictures");
const [folder, ...names] = words.filter((word) => word !== "--pictures");
const { REVIEW_URL: url, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = process.env;
if (folder === undefined || url === undefined || email === undefined || password === undefined) {
  throw new Error("Usage: REVIEW_URL=http://localhost:3000 ADMIN_EMAIL=… ADMIN_PASSWORD=… node visual-review/run.ts FOLDER [NAME…]");
}
const consoleUrl: string = url;
const admin = { email, password };
const output = resolve(folder);
mkdirSync(output, { recursive: true });

const browser = await launchBrowser();
const faults: string[] = [];
const contexts = new Map<string, BrowserContext>();
try {
  for (const reviewed of [...commonPages, ...codePages, ...projectPages, ...viewerPages]) {
    if (names.length === 0 || names.some((name) => reviewed.name.startsWith(name))) {
      const context = await contextOf(reviewed.as ?? "admin");
      for (const state of reviewed.states ?? STATES) {
        const found = await review(context, reviewed, state);
        const lines = found.map((fault) => `${reviewed.name}, ${state}: ${fault}`);
        faults.push(...lines);
        console.log([`${reviewed.name}, ${state}`, ...found.map((fault) => `  ${fault}`)].join("\n"));
      }
    }
  }
} finally {
  await browser.close();
}
writeFileSync(join(output, "faults.txt"), faults.join("\n"));
process.exitCode = faults.length === 0 ? 0 : 1;

async function contextOf(who: "admin" | "viewer" | "visitor"): Promise<BrowserContext> {
  const context = contexts.get(who) ?? (await openContext(browser));
  if (!contexts.has(who) && who !== "visitor") {
    const page = await openPage(context, faults);
    await logIn(page, consoleUrl, who === "viewer" ? VIEWER : admin);
    await page.close();
  }
  contexts.set(who, context);
  return context;
}

async function review(context: BrowserContext, reviewed: ReviewedPage, state: State): Promise<readonly string[]> {
  const problems: string[] = [];
  const page = await openPage(context, problems);
  const found: string[] = [];
  try {
    await page.setViewportSize({ width: WIDTHS[0], height: 900 });
    const address = typeof reviewed.address === "string" ? reviewed.address : await reviewed.address(page, consoleUrl);
    await imposeState(context, state, reviewed.calls);
    await reviewed.before?.(page);
    for (const width of WIDTHS) {
      if (width === WIDTHS[0] || reviewed.actAgain === true) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${consoleUrl}${address}`);
        await settle(page, state);
        await reviewed.act?.(page);
      }
      for (const theme of THEMES) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme });
        await page.evaluate("document.fonts.ready");
        await page.evaluate(COLOURS_CHANGED);
        const path = join(output, `${reviewed.name}-${state}-${width}-${theme}.png`);
        await page.screenshot({ path, animations: "disabled", caret: "hide" });
        const faultsHere = [
          ...(theme === "light" ? await findLayoutFaults(page) : []),
          ...(picturesAlone ? [] : await findViolations(page, theme)),
        ];
        found.push(...faultsHere.map((fault) => `${width} ${theme}: ${fault}`));
      }
    }
    if (state === "data" && !picturesAlone) {
      found.push(...(await findUnseenFocus(page, TAB_STOPS)));
    }
  } catch (error) {
    found.push(String(error));
  } finally {
    await imposeState(context, "data");
    await page.close();
  }
  const provoked = [...(state === "failing" ? [ANSWERED_500] : []), ...(reviewed.provokes === undefined ? [] : [reviewed.provokes])];
  return [...found, ...problems.filter((problem) => !provoked.some((pattern) => pattern.test(problem)))];
}

/** Nothing on the way any more, unless that is what is looked at. A failed answer is asked for again before it is shown. */
async function settle(page: Page, state: State): Promise<void> {
  const waiting = page.locator("[aria-label^=Loading], [class*=mantine-Skeleton], [class*=mantine-Loader]");
  if (state === "loading") {
    await waiting.first().waitFor();
    // The page's own file comes before what the page waits for.
    await page.locator("[aria-label=Loading] .mantine-Loader-root").waitFor({ state: "detached" });
    await waiting.first().waitFor();
    return;
  }
  await page.locator("h1, h2").first().waitFor();
  await waiting.first().waitFor({ state: "detached" });
}
