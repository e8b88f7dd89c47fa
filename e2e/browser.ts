import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type BrowserContext, type ConsoleMessage, type Page } from "playwright-core";
import { findViolations } from "#find-violations.ts";

const THEMES = ["light", "dark"] as const;

const PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** `E2E_SCREENSHOTS=docs/screenshots` renews the pictures of the documents; else they land beside the tests, uncommitted. */
const screenshots = new URL(
  process.env["E2E_SCREENSHOTS"] === undefined ? "./output/" : `../${process.env["E2E_SCREENSHOTS"]}/`,
  import.meta.url,
).pathname;

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A visitor of the console, without a session yet. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "light", reducedMotion: "reduce" });
}

/** A page that writes every error the browser sees into `problems`. */
export async function openPage(context: BrowserContext, problems: string[]): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => problems.push(`error on ${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !isRefusal(message)) {
      problems.push(`console on ${page.url()}: ${message.text()} (${message.location().url})`);
    }
  });
  return page;
}

/** Takes out what a test provoked. @throws {Error} when the browser did not complain of it. */
export function excuse(problems: string[], provoked: RegExp): void {
  const others = problems.filter((problem) => !provoked.test(problem));
  if (others.length === problems.length) {
    throw new Error(`The browser did not complain of ${provoked}:\n${problems.join("\n")}`);
  }
  problems.splice(0, problems.length, ...others);
}

/** @throws {Error} naming what the browser complained about. */
export function failOn(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new Error(`The browser complained:\n${problems.join("\n")}`);
  }
}

/** Looks at the page in both themes: what axe finds, in words, with a screenshot taken of each. */
export async function inspectPage(page: Page, name: string): Promise<readonly string[]> {
  mkdirSync(screenshots, { recursive: true });
  const found: string[] = [];
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate("document.fonts.ready");
    await page.screenshot({ path: join(screenshots, `${name}-${theme}.png`), animations: "disabled", caret: "hide" });
    found.push(...(await findViolations(page, theme)).map((violation) => `${name}, ${theme}: ${violation}`));
  }
  return found;
}

function findChromium(): string {
  const { CHROMIUM_PATH: given, PATH: path = "" } = process.env;
  const found = [
    ...(given === undefined ? [] : [given]),
    ...path.split(delimiter).flatMap((folder) => PROGRAMS.map((name) => join(folder, name))),
  ];
  const executable = found.find((candidate) => existsSync(candidate));
  if (executable === undefined) {
    throw new Error("There is no Chromium. Install it (apt install chromium), or set CHROMIUM_PATH.");
  }
  return executable;
}

/** A refused request is shown by the console itself and also reported by the browser; so is the first visit's, which has no session. */
function isRefusal(message: ConsoleMessage): boolean {
  return /Failed to load resource: the server responded with a status of (?:401|403|429) /.test(message.text());
}
