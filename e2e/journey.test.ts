import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeAlerts } from "./alerts.ts";
import { describeAssistant } from "./assistant.ts";
import { inspectPage, openContext, openPage } from "./browser.ts";
import { describeCode } from "./code.ts";
import { describeDebugging } from "./debug.ts";
import { describeExplore } from "./explore.ts";
import { describeInterruptions } from "./interruptions.ts";
import { describePalette } from "./palette.ts";
import { startAlone } from "./product.ts";
import { describeProjectAccess } from "./project-access.ts";
import { startReplicas } from "./replicas.ts";
import { describeRepositories } from "./repositories.ts";
import { describeSpeed } from "./speed.ts";
import { makeSmallRepository, type SmallRepository } from "./small-repository.ts";
import { visitProduct } from "./visit.ts";

const REPOSITORY = "acme/webshop";
const RETRY = "src/payment/retry-failed-payment.ts";
/** Two processes of every role share the cores, and nobody waits for the demo: its repository may be indexed before this one. */
const INDEXING_MS = 150_000;
const DEMO_MS = 120_000;

let repository: SmallRepository;

beforeAll(() => {
  repository = makeSmallRepository();
});

afterAll(() => repository?.remove());

const visit = visitProduct(
  () => (process.env["E2E_REPLICAS"] === "2" ? startReplicas : startAlone)(["--demo"]),
  ({ page, consoleUrl }) => registerRepository(page, consoleUrl),
);

test("the product is up within 90 seconds of npm start", () => {
  expect(visit().product.startedInMs).toBeLessThan(90_000);
});

describeCode(visit);

describeAssistant(() => ({ ...visit(), repository }));

describe("observability", () => {
  test("the demo agent's run is there with its nodes, tool calls and model calls", { timeout: 2 * DEMO_MS }, async () => {
    const { page } = visit();
    await openDemoTrace(page);
    const steps = page.getByRole("tree", { name: "Steps of the trace" });
    await steps.getByRole("treeitem").first().waitFor();
    // It may still run.
    const kinds = async () =>
      steps.locator("[data-kind]").evaluateAll((elements) => elements.map((element) => element.getAttribute("data-kind")));
    await expect.poll(kinds, { timeout: 20_000 }).toEqual(expect.arrayContaining(["node", "tool", "llm"]));
  });

  test("the demo's change is evaluated, and its gate fails", { timeout: 2 * DEMO_MS }, async () => {
    const { page, product } = visit();
    const address = () => /A change that made it worse is at (\S+)/.exec(product.output())?.[1];
    await expect.poll(address, { timeout: DEMO_MS }).toBeDefined();
    await page.goto(address() ?? "");
    await page.getByText("The gate fails: it got worse").waitFor();
    expect(await inspectPage(page, "experiment")).toEqual([]);
  });
});

describeExplore(visit);

describeDebugging(visit);

describeAlerts(visit);

describePalette(visit);

describeInterruptions(visit);

describeRepositories(visit);

describeProjectAccess(visit);

describe("in both themes, without a violation that axe finds, is", () => {
  test("the login", async () => {
    const { browser, consoleUrl, problems } = visit();
    const visitor = await openContext(browser);
    const login = await openPage(visitor, problems);
    await login.goto(`${consoleUrl}/login`);
    await login.getByRole("button", { name: "Log in" }).waitFor();
    expect(await inspectPage(login, "login")).toEqual([]);
    await visitor.close();
  });

  test.each<[string, string, (shown: Page) => Promise<void>]>([
    ["overview", "/", (shown) => shown.getByText("p95 duration").first().waitFor()],
    [
      "code-search",
      `/code?q=how+long+to+wait+before+a+failed+payment+is+tried+again&repo=${encodeURIComponent(REPOSITORY)}`,
      (shown) => shown.getByRole("heading", { name: RETRY }).waitFor(),
    ],
    [
      "code-file",
      `/code/${REPOSITORY}?path=${encodeURIComponent(RETRY)}#L6-L8`,
      (shown) => shown.getByText("pauseBeforeRetry").first().waitFor(),
    ],
    ["repositories", "/code/repos", (shown) => shown.getByRole("link", { name: REPOSITORY, exact: true }).waitFor()],
    ["connect", "/code/connect", (shown) => shown.getByText("claude mcp add").waitFor()],
    ["projects", "/projects", (shown) => shown.getByRole("table").getByRole("link").first().waitFor()],
    ["forgot-password", "/login/forgot", (shown) => shown.getByRole("heading", { level: 1 }).waitFor()],
    ["password", "/account/password", (shown) => shown.getByRole("heading", { level: 1 }).waitFor()],
    [
      "not-found-in-frame",
      "/projects/nothing/traces/nothing/nowhere",
      async (shown) => {
        await shown.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
        await shown.getByRole("link", { name: "Overview", exact: true }).waitFor();
      },
    ],
    ["not-found", "/nowhere", (shown) => shown.getByRole("heading", { level: 1 }).waitFor()],
  ])("%s", async (name, address, isShown) => {
    const { page, consoleUrl } = visit();
    await page.goto(`${consoleUrl}${address}`);
    await isShown(page);
    await expectAccessible(name);
  });

  test("the list of traces", async () => {
    const { page } = visit();
    await openDemoTraces(page);
    await expectAccessible("traces");
  });

  test("a trace", async () => {
    const { page } = visit();
    await openDemoTrace(page);
    await page.getByRole("tree", { name: "Steps of the trace" }).getByRole("treeitem").first().waitFor();
    await page.keyboard.press("f");
    await page.getByText("file_not_found").first().waitFor();
    await expectAccessible("trace");
  });
});

// Last: it empties the browser's cache.
describeSpeed(visit);

async function expectAccessible(name: string): Promise<void> {
  expect(await inspectPage(visit().page, name)).toEqual([]);
}

async function registerRepository(shown: Page, consoleUrl: string): Promise<void> {
  await shown.goto(`${consoleUrl}/code/repos`);
  await shown.getByRole("button", { name: "Register a repository" }).first().click();
  const dialog = shown.getByRole("dialog", { name: "Register a repository" });
  await dialog.getByLabel("Name").fill(REPOSITORY);
  await dialog.getByLabel("Clone URL").fill(repository.cloneUrl);
  await dialog.getByRole("button", { name: "Register and preview" }).click();
  const preview = shown.getByRole("dialog", { name: `Index ${REPOSITORY}?` });
  await preview.getByText("By language").waitFor({ timeout: INDEXING_MS });
  await preview.getByRole("button", { name: "Index", exact: true }).click();
  await shown.getByRole("row").filter({ hasText: REPOSITORY }).getByText("Ready").waitFor({ timeout: INDEXING_MS });
}

async function openDemoTraces(shown: Page): Promise<void> {
  await shown.goto(`${visit().consoleUrl}/projects`);
  await shown.getByRole("table").getByRole("link", { name: "Demo", exact: true }).click({ timeout: DEMO_MS });
  await shown.getByRole("table").getByRole("link").first().waitFor({ timeout: DEMO_MS });
}

async function openDemoTrace(shown: Page): Promise<void> {
  await openDemoTraces(shown);
  await shown.getByRole("table").getByRole("link").first().click();
}
