import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { failOn, launchBrowser, openContext, openPage } from "./browser.ts";
import { logIn, logInFirst } from "./log-in.ts";
import { describeOutage } from "./outage.ts";
import { makePlace, startProduct, type Place, type Product } from "./product.ts";
import { crowd } from "./crowd.ts";

const PASSWORD = "correct horse battery staple";
const HEAL_MS = 5_000;
const ROLES = ["identity", "code-index", "indexer", "observability", "consumer", "console"];

let place: Place;
let product: Product;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let problems: string[];

beforeAll(async () => {
  place = await makePlace();
  product = await startProduct(place);
  browser = await launchBrowser();
  context = await openContext(browser);
  problems = [];
  page = await openPage(context, problems);
  await logInFirst(page, product.consoleUrl, product.admin, PASSWORD);
  // A page that stays open would rightly complain while something is away.
  await page.close();
  failOn(problems);
});

afterAll(async () => {
  await browser?.close();
  await product?.interrupt();
  await place?.remove();
});

beforeEach(async () => {
  problems = [];
  page = await openPage(context, problems);
});

afterEach(async () => {
  await page.close();
  failOn(problems);
});

test("every role that is killed is back within five seconds", async () => {
  for (const role of ROLES) {
    const [running] = (await product.processes()).filter(({ command }) => command.at(-2) === "role" && command.at(-1) === role);
    expect(running, role).toBeDefined();
    process.kill(running?.pid ?? 0, "SIGKILL");
    await product.printed(new RegExp(`${role} is ready again`), HEAL_MS * crowd());
  }
  await expectHealthy();
});

test.each([
  ["PostgreSQL", "postgres", /embedded\/postgres\.ts$/],
  ["Redis", "redis", /redis-server|valkey-server/],
  ["the keeper of Redis", "redis", /embedded\/redis\.ts$/],
])("%s is back within five seconds when it is killed", async (_store, name, command) => {
  const [running] = (await product.processes()).filter((one) => one.command.some((word) => command.test(word)));
  expect(running).toBeDefined();
  process.kill(running?.pid ?? 0, "SIGKILL");
  await product.printed(new RegExp(`${name} is ready again`), HEAL_MS * crowd());
  await expectHealthy();
});

describeOutage(() => ({ product, page, problems }));

test("Ctrl-C leaves no process, a second start keeps the data, and a service manager's SIGTERM leaves none either", async () => {
  const { email } = product.admin;
  expect((await product.processes()).length).toBeGreaterThan(ROLES.length);
  // npm itself ends by the signal, after what it started.
  expect([0, "SIGINT"]).toContain(await product.interrupt());
  expect(await product.processes()).toEqual([]);

  product = await startProduct(place);
  expect(product.output()).not.toContain("First admin");
  const visitor = await openContext(browser);
  await logIn(await openPage(visitor, problems), product.consoleUrl, { email, password: PASSWORD });
  await visitor.close();

  await product.terminate();
  expect(await product.processes()).toEqual([]);
});

/** The console, and the APIs behind its proxy. */
async function expectHealthy(): Promise<void> {
  for (const path of ["/", "/api/identity/.well-known/jwks.json", "/api/code-index/health", "/api/observability/health"]) {
    await expect.poll(() => statusOf(path), { timeout: HEAL_MS * crowd(), message: path }).toBe(200);
  }
}

async function statusOf(path: string): Promise<number> {
  return fetch(`${product.consoleUrl}${path}`).then(
    ({ status }) => status,
    () => 0,
  );
}
