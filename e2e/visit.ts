import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { failOn, launchBrowser, openContext, openPage } from "./browser.ts";
import { logInFirst } from "./log-in.ts";
import type { Product, Stage } from "./product.ts";

const PASSWORD = "correct horse battery staple";

/** A browser at a product's console, where its first admin has logged in. */
export type Visit = {
  readonly product: Product;
  readonly consoleUrl: string;
  readonly browser: Browser;
  /** A new one for each test. */
  readonly page: Page;
  /** What the browser complains of during the test, which fails it. */
  readonly problems: string[];
  readonly first: { readonly email: string; readonly password: string };
};

/** Starts a product and a browser for the tests of a file, and ends both; `prepare` runs once, before them. */
export function visitProduct(start: () => Promise<Stage>, prepare: (visit: Visit) => Promise<void> = async () => {}): () => Visit {
  let stage: Stage;
  let browser: Browser;
  let visit: Visit;
  let open: () => Promise<Visit>;

  beforeAll(async () => {
    stage = await start();
    const { product } = stage;
    browser = await launchBrowser();
    const context = await openContext(browser);
    const first = { email: product.admin.email, password: PASSWORD };
    open = async () => {
      const problems: string[] = [];
      return { product, consoleUrl: product.consoleUrl, browser, page: await openPage(context, problems), problems, first };
    };
    const visited = await open();
    await logInFirst(visited.page, product.consoleUrl, product.admin, PASSWORD);
    await prepare(visited).catch((error: unknown) => {
      throw new Error(product.output(), { cause: error });
    });
    failOn(visited.problems);
  });

  afterAll(async () => {
    await browser?.close();
    await stage?.end();
  });

  beforeEach(async () => {
    visit = await open();
  });

  afterEach(async () => {
    await visit.page.close();
    failOn(visit.problems);
  });

  return () => visit;
}
