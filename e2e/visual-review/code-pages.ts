import type { Page } from "playwright-core";
import { REVIEWED_REPOSITORY as REPOSITORY, type ReviewedPage } from "./page.ts";

const BROKEN_REPOSITORY = "acme/legacy-billing";
const FILE = `/code/${REPOSITORY}?path=${encodeURIComponent("src/payment/retry-failed-payment.ts")}`;

const COMMITS = `/code/${REPOSITORY}/commits`;

/** Account, administration and code, with the demo's data and the small repository's (`small-repository.ts`). */
export const codePages: readonly ReviewedPage[] = [
  { name: "security", address: "/admin/security" },
  { name: "security-scan", address: "/admin/security", states: ["data"], act: press("Set up 2FA") },
  { name: "users", address: "/admin/users" },
  { name: "users-create", address: "/admin/users", states: ["data"], act: press("Create a user") },
  { name: "audit", address: "/admin/audit" },
  { name: "audit-verified", address: "/admin/audit", states: ["data"], act: press("Verify the chain") },
  { name: "password", address: "/account/password", states: ["data"] },
  { name: "code", address: "/code", states: ["data", "empty", "failing"] },
  { name: "code-results", address: `/code?q=how+long+to+wait+before+a+failed+payment&repo=${encodeURIComponent(REPOSITORY)}&explain=true` },
  { name: "code-nothing", address: "/code?q=repo:acme/webshop+lang:rust+zzzzqqq", states: ["data"] },
  { name: "code-partial", address: "/code?q=retry", states: ["data"], before: answerInPart },
  { name: "code-regex", address: "/code?mode=grep&regex=true&q=pause%5Cw%2BRetry", states: ["data"] },
  { name: "code-help", address: "/code?q=retry", states: ["data"], act: press("Query syntax") },
  { name: "code-grep", address: "/code?mode=grep&q=supervis", states: ["data", "empty", "loading", "failing"] },
  { name: "code-wrong", address: "/code?mode=grep&regex=true&q=(((", states: ["data"], provokes: /status of 400/ },
  { name: "file", address: `${FILE}#L6-L8`, calls: /\/api\/.*\/(?:tree|file)\b/ },
  { name: "file-outline", address: `${FILE}&panel=outline`, calls: /\/api\/.*\/outline\b/ },
  { name: "file-names", address: `${FILE}&panel=symbol&symbol=pauseBeforeRetry`, calls: /\/api\/.*\/references\b/ },
  { name: "file-history", address: `${FILE}&panel=history`, calls: /\/api\/.*\/commits\b/ },
  { name: "file-blame", address: `${FILE}&blame=1`, calls: /\/api\/.*\/blame\b/, states: ["data", "failing"] },
  { name: "file-runs", address: `${FILE}&panel=runs`, calls: /\/api\/.*\/code-runs\b/ },
  { name: "file-missing", address: `/code/${REPOSITORY}?path=nothing.ts`, states: ["data"], provokes: /status of 404/ },
  { name: "file-none", address: `/code/${REPOSITORY}`, states: ["data"] },
  { name: "commits", address: COMMITS, calls: /\/api\/.*\/commits\b/ },
  { name: "commit", address: firstLinkOf(COMMITS, "commit/"), calls: /\/api\/.*\/commits\/\w+/ },
  { name: "commit-missing", address: `/code/${REPOSITORY}/commit/deadbeef`, states: ["data"], provokes: /status of 404/ },
  { name: "compare-choose", address: `/code/${REPOSITORY}/compare`, states: ["data"] },
  { name: "compare", address: firstLinkOf(COMMITS, "compare?base="), calls: /\/api\/.*\/compare\b/ },
  { name: "repositories", address: "/code/repos" },
  { name: "repositories-register", address: "/code/repos", states: ["data"], act: press("Register a repository") },
  { name: "repositories-preview", address: "/code/repos", states: ["data"], act: press("Preview") },
  { name: "repositories-failure", address: "/code/repos", states: ["data"], act: unfoldFailures },
  { name: "repository", address: settingsOf(REPOSITORY) },
  { name: "repository-failure", address: settingsOf(BROKEN_REPOSITORY), states: ["data"], act: unfoldFailures },
  { name: "repository-end", address: settingsOf(REPOSITORY), states: ["data"], act: toTheEnd, actAgain: true },
  { name: "repository-delete", address: settingsOf(REPOSITORY), states: ["data"], act: press("Delete this repository") },
  { name: "jobs", address: "/code/jobs" },
  { name: "jobs-failure", address: "/code/jobs?status=failed", states: ["data"], act: unfoldFailures },
  { name: "webhooks", address: "/code/webhooks" },
  { name: "credentials", address: "/code/credentials" },
  { name: "credentials-add", address: "/code/credentials", states: ["data"], act: press("Add a credential") },
  { name: "connect", address: "/code/connect" },
  { name: "connect-end", address: "/code/connect", states: ["data"], act: toTheEnd, actAgain: true },
  { name: "connect-created", address: "/code/connect", states: ["data"], act: createToken },
  { name: "connect-tried", address: "/code/connect", states: ["data"], act: tryToken },
];

function press(name: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole("button", { name }).first().click();
}

/** A leg that failed, a search that had to stop, and what whoever asked should know. */
async function answerInPart(page: Page): Promise<void> {
  await page.route(/\/api\/code-index\/api\/v1\/search\?/, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { readonly legs: object; readonly index: readonly object[] };
    const legs = { ...answer.legs, semantic: { state: "timeout", reason: "the embedder did not answer within 2 s", ms: 2_004, hits: 0 } };
    const index = answer.index.map((each) => ({ ...each, behind: 2 }));
    const notes = ["Results by meaning are missing: the embedder did not answer in time."];
    await route.fulfill({ response, json: { ...answer, legs, index, notes, partial: true } });
  });
}

/** Made for the picture: shown once, and revoked when the review is over by whoever looks at the list. */
async function createToken(page: Page): Promise<void> {
  await page.getByLabel("Label").fill("Ada's laptop, Claude Code");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel("the token", { exact: true }).waitFor();
}

async function tryToken(page: Page): Promise<void> {
  await createToken(page);
  await page.getByRole("button", { name: "Connect as an assistant" }).click();
  await page.getByLabel("query").first().fill("pauseBeforeRetry");
  await page.getByRole("button", { name: "Call" }).first().click();
  await page.getByRole("region", { name: "Answer of the tool" }).scrollIntoViewIfNeeded();
}

export function settingsOf(repository: string): (page: Page, consoleUrl: string) => Promise<string> {
  return async (page, consoleUrl) => {
    await page.goto(`${consoleUrl}/code/repos`);
    return (await page.getByRole("link", { name: ` of ${repository}` }).getAttribute("href")) ?? "";
  };
}

/** Where the first link leads to that goes to a part of the repository: the hash of a commit is known to it alone. */
function firstLinkOf(address: string, part: string): (page: Page, consoleUrl: string) => Promise<string> {
  return async (page, consoleUrl) => {
    await page.goto(`${consoleUrl}${address}`);
    return (await page.locator(`a[href^="/code/${REPOSITORY}/${part}"]`).first().getAttribute("href")) ?? "";
  };
}

/** What git said itself. */
async function unfoldFailures(page: Page): Promise<void> {
  const folded = page.locator("summary");
  await folded.first().waitFor();
  for (const each of await folded.all()) {
    await each.click();
  }
}

async function toTheEnd(page: Page): Promise<void> {
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
}
