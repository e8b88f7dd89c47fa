import type { Page } from "playwright-core";
import type { ReviewedPage } from "./page.ts";

/** The project that is looked at; the demo's unless another is named, such as one that `seed-week.ts` filled. */
const { REVIEW_PROJECT: PROJECT = "Demo", REVIEW_GRAPH_PROJECT: WITH_GRAPH = "Demo" } = process.env;

const STEPS = /\/traces\/[^/]+\/steps/;
const VALUES = /\/(?:observations|payloads)\//;
const SCORES = /\/scores/;
const NOT_FOUND = /status of 40[04]/;

/** A project's traces and what is set up for it. */
export const projectPages: readonly ReviewedPage[] = [
  { name: "projects", address: "/projects" },
  { name: "projects-create", address: "/projects?new=1", states: ["data"] },
  { name: "project-missing", address: "/projects/00000000-0000-7000-8000-000000000000/traces", states: ["data"], provokes: NOT_FOUND },
  { name: "traces", address: inProject("traces") },
  { name: "traces-completed", address: inProject("traces"), states: ["data"], act: completeQuery },
  { name: "traces-columns", address: inProject("traces"), states: ["data"], act: press("Columns") },
  { name: "traces-views", address: inProject("traces"), states: ["data"], act: press("Views") },
  { name: "traces-chosen", address: inProject("traces"), states: ["data"], act: chooseTwo },
  { name: "traces-exporting", address: inProject("traces"), states: ["data"], before: holdExport, act: startExport, actAgain: true },
  { name: "traces-unreadable", address: inProject("traces?q=duration%3A%3E5"), states: ["data"] },
  { name: "traces-nothing", address: inProject("traces?q=user%3Anobody"), states: ["data"] },
  { name: "dashboard", address: inProject("dashboards?span=7d") },
  { name: "dashboard-by-tool", address: inProject("dashboards?span=7d&by=tool"), states: ["data"], act: toTheEnd, actAgain: true },
  { name: "sessions", address: inProject("sessions") },
  { name: "sessions-nothing", address: inProject("sessions?q=nothing"), states: ["data"] },
  { name: "session", address: inFirstOf("sessions"), calls: /\/sessions\/[^/]+\/turns/ },
  { name: "session-missing", address: inProject("sessions/nowhere"), states: ["data"], provokes: NOT_FOUND },
  { name: "project-users", address: inProject("users") },
  { name: "project-user", address: inFirstOf("users"), calls: /\/users\/[^/?]+$/ },
  { name: "dead-letters", address: inProject("settings?section=dead-letters") },
  { name: "dead-letters-open", address: inProject("settings?section=dead-letters"), states: ["data"], act: openLetter },
  { name: "lost-events", address: inProject("settings?section=gaps") },
  { name: "alerts", address: inProject("alerts") },
  { name: "alerts-parts", address: inProject("alerts"), states: ["loading", "failing"], calls: /alert-(?:rules|events)/ },
  { name: "alerts-new", address: inProject("alerts"), states: ["data"], act: press("New alert") },
  { name: "project-settings", address: inProject("settings") },
  { name: "project-members", address: inProject("settings?section=members"), calls: /\/members/ },
  { name: "project-keys", address: inProject("settings?section=keys"), calls: /\/keys/ },
  { name: "project-masking", address: inProject("settings?section=masking"), calls: /\/masking/ },
  { name: "project-deletions", address: inProject("settings?section=deletions"), calls: /\/deletions/ },
  { name: "project-prices", address: inProject("settings?section=prices"), calls: /\/prices/ },
  { name: "trace", address: inNewestTrace("status:success") },
  { name: "trace-steps", address: inNewestTrace("status:success"), states: ["loading", "failing"], calls: STEPS },
  { name: "trace-scores", address: inNewestTrace("status:success"), calls: SCORES },
  { name: "trace-failed", address: inNewestTrace("status:failure"), states: ["data"], act: toFailure },
  { name: "trace-running", address: inNewestTrace("status:running"), states: ["data"] },
  { name: "trace-interrupted", address: inNewestTrace("status:interrupted"), states: ["data"] },
  { name: "trace-missing", address: inProject("traces/00000000-0000-7000-8000-000000000000"), states: ["data"], provokes: NOT_FOUND },
  { name: "trace-found", address: inNewestTrace("status:success", "?find=a"), states: ["data"] },
  { name: "trace-step", address: inNewestTrace("status:success"), act: toFirstStep, calls: /\/observations\// },
  { name: "trace-graph", address: inGraphTrace("?view=graph"), states: ["data"] },
  { name: "trace-transcript", address: inGraphTrace("?view=transcript"), calls: /\/transcript/ },
  { name: "trace-state", address: inGraphTrace("?view=state"), states: ["data"] },
  {
    name: "trace-state-step",
    address: inGraphTrace("?view=state"),
    act: toFirstStep,
    calls: VALUES,
    states: ["data", "loading", "failing"],
  },
  { name: "trace-json", address: inGraphTrace("?view=json"), states: ["data"] },
  { name: "trace-json-step", address: inGraphTrace("?view=json"), act: toFirstStep, calls: VALUES, states: ["data", "loading", "failing"] },
  { name: "trace-keys", address: inNewestTrace("status:success"), states: ["data"], act: (page) => page.keyboard.press("?") },
  { name: "compare", address: findTwo, calls: /\/api\/.*\/compare\?/ },
  { name: "compare-one", address: inProject("compare"), states: ["data"] },
  { name: "compare-sets", address: inProject("compare/sets?a=status%3Asuccess&b=status%3Afailure"), calls: /\/compare\/sets/ },
  { name: "compare-sets-none", address: inProject("compare/sets"), states: ["data"] },
];

type Find = (page: Page, consoleUrl: string) => Promise<string>;

export function inProject(rest: string, name = PROJECT): Find {
  return async (page, consoleUrl) => {
    await page.goto(`${consoleUrl}/projects`);
    const link = page.getByRole("table").getByRole("link", { name, exact: true });
    const project = ((await link.getAttribute("href")) ?? "").replace(/\/traces$/, "");
    return `${project}/${rest}`;
  };
}

/** The page of the first session or user that is listed. */
function inFirstOf(list: "sessions" | "users"): Find {
  return async (page, consoleUrl) => {
    await page.goto(`${consoleUrl}${await inProject(list)(page, consoleUrl)}`);
    return (await page.getByRole("table").getByRole("link").first().getAttribute("href")) ?? "";
  };
}

export function inNewestTrace(query: string, rest = ""): Find {
  return async (page, consoleUrl) => `${(await newestTraces(page, consoleUrl, PROJECT, query))[0] ?? ""}${rest}`;
}

function inGraphTrace(rest: string): Find {
  return async (page, consoleUrl) => `${(await newestTraces(page, consoleUrl, WITH_GRAPH, "status:failure"))[0] ?? ""}${rest}`;
}

async function findTwo(page: Page, consoleUrl: string): Promise<string> {
  const [first = "", second = ""] = await newestTraces(page, consoleUrl, WITH_GRAPH, "");
  const [project = ""] = first.split("/traces/");
  return `${project}/compare?a=${first.slice(first.lastIndexOf("/") + 1)}&b=${second.slice(second.lastIndexOf("/") + 1)}`;
}

/** Their places, the newest first. */
async function newestTraces(page: Page, consoleUrl: string, project: string, query: string): Promise<readonly string[]> {
  await page.goto(`${consoleUrl}${await inProject(`traces?q=${encodeURIComponent(query)}`, project)(page, consoleUrl)}`);
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

async function holdExport(page: Page): Promise<void> {
  await page.route(/\/export(?:\?|$)/, () => undefined);
}

async function startExport(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("button", { name: /^Stop/ }).waitFor();
}

async function chooseTwo(page: Page): Promise<void> {
  const choices = page.getByRole("table").getByRole("checkbox");
  await choices.nth(0).click();
  await choices.nth(1).click();
}

async function openLetter(page: Page): Promise<void> {
  await page.getByRole("table").getByRole("button").first().click();
  await page.getByRole("dialog").waitFor();
}

async function toFailure(page: Page): Promise<void> {
  await page.getByRole("treeitem").first().waitFor();
  await page.keyboard.press("f");
}

async function toFirstStep(page: Page): Promise<void> {
  await page.getByRole("treeitem").nth(1).click();
}

async function toTheEnd(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Breakdown" }).getByRole("row").last().scrollIntoViewIfNeeded();
}
