import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, openContext, openPage } from "./browser.ts";
import { logIn, logInFirst } from "./log-in.ts";
import { makePlace, startProduct, type Place, type Product } from "./product.ts";

const PASSWORD = "correct horse battery staple";
const HEAL_MS = 5_000;
const ROLES = ["identity", "code-index", "indexer", "observability", "consumer", "console"];

let place: Place;
let product: Product;

beforeAll(async () => {
  place = await makePlace();
  product = await startProduct(place);
});

afterAll(async () => {
  await product.interrupt();
  await place.remove();
});

test("every role that is killed is back within five seconds", async () => {
  for (const role of ROLES) {
    const [running] = (await product.processes()).filter(({ command }) => command.at(-2) === "role" && command.at(-1) === role);
    expect(running, role).toBeDefined();
    process.kill(running?.pid ?? 0, "SIGKILL");
    await product.printed(new RegExp(`${role} is ready again`), HEAL_MS);
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
  await product.printed(new RegExp(`${name} is ready again`), HEAL_MS);
  await expectHealthy();
});

test("Ctrl-C leaves no process, a second start keeps the data, and a service manager's SIGTERM leaves none either", async () => {
  const browser = await launchBrowser();
  const problems: string[] = [];
  const page = await openPage(await openContext(browser), problems);
  await logInFirst(page, product.consoleUrl, product.admin, PASSWORD);
  // A page that stays open would rightly complain while the product is away.
  await page.close();

  expect((await product.processes()).length).toBeGreaterThan(ROLES.length);
  // npm itself ends by the signal, after what it started.
  expect([0, "SIGINT"]).toContain(await product.interrupt());
  expect(await product.processes()).toEqual([]);

  const { email } = product.admin;
  product = await startProduct(place);
  expect(product.output()).not.toContain("First admin");
  await logIn(await openPage(await openContext(browser), problems), product.consoleUrl, { email, password: PASSWORD });
  await browser.close();
  expect(problems).toEqual([]);

  await product.terminate();
  expect(await product.processes()).toEqual([]);
});

/** The console, and the APIs behind its proxy. */
async function expectHealthy(): Promise<void> {
  for (const path of ["/", "/api/identity/.well-known/jwks.json", "/api/code-index/health", "/api/observability/health"]) {
    await expect.poll(() => statusOf(path), { timeout: HEAL_MS, message: path }).toBe(200);
  }
}

async function statusOf(path: string): Promise<number> {
  return fetch(`${product.consoleUrl}${path}`).then(
    ({ status }) => status,
    () => 0,
  );
}
