import type { Page } from "playwright-core";
import { complaintsOf } from "./served.ts";

/** How a page came up, as a browser without anything in its cache sees it. */
export type Vitals = {
  readonly largestPaintMs: number;
  /** When what the page is about was there. */
  readonly shownMs: number;
  readonly layoutShift: number;
  /** What a load had asked the APIs for until then, `POST /api/identity/login/refresh`. */
  readonly calls: readonly string[];
  readonly complaints: readonly string[];
};

/** A busy machine makes some loads slow; the product is as fast as its fastest. */
const LOADS = 3;

const OBSERVE = `
  globalThis.vitals = { largestPaintMs: 0, layoutShift: 0 };
  const observe = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe("largest-contentful-paint", ({ startTime }) => (vitals.largestPaintMs = startTime));
  observe("layout-shift", ({ hadRecentInput, value }) => (vitals.layoutShift += hadRecentInput ? 0 : value));
`;
/** What is painted last is reported with the frame after it. */
const PAINTED =
  "document.fonts.ready.then(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(painted)))))";

/** Loads an address until it shows what it is about. */
export async function measureVitals(page: Page, address: string, isShown: () => Promise<void>): Promise<Vitals> {
  await page.addInitScript({ content: OBSERVE });
  const developer = await page.context().newCDPSession(page);
  const complaints = new Set<string>();
  const answers: Promise<readonly string[]>[] = [];
  page.on("response", (answer) => void answers.push(complaintsOf(answer, new URL(address).origin)));
  const loads: Omit<Vitals, "complaints">[] = [];
  let calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) {
      calls.push(`${request.method()} ${pathname}`);
    }
  });
  for (let load = 0; load < LOADS; load += 1) {
    await page.goto("about:blank");
    await developer.send("Network.clearBrowserCache");
    calls = [];
    await page.goto(address);
    await isShown();
    const shown = { shownMs: await page.evaluate<number>("performance.now()"), calls: [...calls] };
    await page.evaluate(PAINTED);
    loads.push({ ...(await page.evaluate<Pick<Vitals, "largestPaintMs" | "layoutShift">>("vitals")), ...shown });
  }
  (await Promise.all(answers)).flat().forEach((complaint) => complaints.add(complaint));
  return {
    largestPaintMs: Math.round(Math.min(...loads.map(({ largestPaintMs }) => largestPaintMs))),
    shownMs: Math.round(Math.min(...loads.map(({ shownMs }) => shownMs))),
    calls: loads.at(-1)?.calls ?? [],
    layoutShift: Math.min(...loads.map(({ layoutShift }) => layoutShift)),
    complaints: [...complaints],
  };
}
