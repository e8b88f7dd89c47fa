import type { Page } from "playwright-core";
import type { ReviewedPage } from "./page.ts";

/** The project that is looked at; the demo's unless another is named, such as one that `seed-hostile.ts` filled. */
const { REVIEW_PROJECT: PROJECT = "Demo" } = process.env;

/** A project's traces and what is set up for it. */
export const projectPages: readonly ReviewedPage[] = [
  { name: "projects", address: "/projects" },
  { name: "traces", address: inProject("traces") },
  { name: "traces-completed", address: inProject("traces"), states: ["data"], act: completeQuery },
  { name: "traces-columns", address: inProject("traces"), states: ["data"], act: press("Columns") },
  { name: "traces-views", address: inProject("traces"), states: ["data"], act: press("Views") },
  { name: "traces-unreadable", address: inProject("traces?q=duration%3A%3E5"), states: ["data"] },
  { name: "dashboard", address: inProject("dashboards?span=7d") },
  { name: "sessions", address: inProject("sessions") },
  { name: "project-users", address: inProject("users") },
  { name: "dead-letters", address: inProject("dead-letters") },
  { name: "lost-events", address: inProject("dead-letters?show=gaps") },
  { name: "alerts", address: inProject("alerts") },
  { name: "alerts-new", address: inProject("alerts"), states: ["data"], act: press("New alert") },
  { name: "project-settings", address: inProject("settings") },
  { name: "project-members", address: inProject("settings?section=members") },
  { name: "project-keys", address: inProject("settings?section=keys") },
  { name: "project-masking", address: inProject("settings?section=masking") },
  { name: "project-prices", address: inProject("settings?section=prices") },
  { name: "trace", address: inNewestTrace("") },
  { name: "trace-graph", address: inNewestTrace("?view=graph") },
  { name: "trace-transcript", address: inNewestTrace("?view=transcript") },
  { name: "trace-state", address: inNewestTrace("?view=state") },
  { name: "trace-json", address: inNewestTrace("?view=json") },
  { name: "trace-keys", address: inNewestTrace(""), states: ["data"], act: (page) => page.keyboard.press("?") },
  { name: "compare", address: findTwo },
  { name: "compare-one", address: inProject("compare"), states: ["data"] },
];

type Find = (page: Page, consoleUrl: string) => Promise<string>;

function inProject(rest: string): Find {
  return async (page, consoleUrl) => {
    await page.goto(`${consoleUrl}/projects`);
    const link = page.getByRole("table").getByRole("link", { name: PROJECT, exact: true });
    const project = ((await link.getAttribute("href")) ?? "").replace(/\/traces$/, "");
    return `${project}/${rest}`;
  };
}

function inNewestTrace(rest: string): Find {
  return async (page, consoleUrl) => `${(await newestTraces(page, consoleUrl))[0] ?? ""}${rest}`;
}

async function findTwo(page: Page, consoleUrl: string): Promise<string> {
  const [first = "", second = ""] = await newestTraces(page, consoleUrl);
  const [project = ""] = first.split("/traces/");
  return `${project}/compare?a=${first.slice(first.lastIndexOf("/") + 1)}&b=${second.slice(second.lastIndexOf("/") + 1)}`;
}

/** Their places, the newest first. */
async function newestTraces(page: Page, consoleUrl: string): Promise<readonly string[]> {
  await page.goto(`${consoleUrl}${await inProject("traces")(page, consoleUrl)}`);
  const traces = page.locator("a[data-trace]");
  await traces.first().waitFor();
  const places = await traces.evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  return places.filter((place) => place !== null);
}

function press(name: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole("button", { name }).first().click();
}

async function completeQuery(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Query of the traces" }).pressSequentially("status:");
  await page.getByRole("option").first().waitFor();
}
