import type { Page } from "playwright-core";
import type { ReviewedPage } from "./page.ts";

const REPOSITORY = "acme/webshop";
const FILE = `/code/${REPOSITORY}?path=${encodeURIComponent("src/payment/retry-failed-payment.ts")}`;

/** Login, account, administration and code, with the demo's data and the small repository's (`small-repository.ts`). */
export const codePages: readonly ReviewedPage[] = [
  { name: "login", address: "/login", visitor: true, states: ["data"] },
  { name: "login-wrong", address: "/login", visitor: true, states: ["data"], act: logInWrongly },
  { name: "forgot", address: "/login/forgot", visitor: true, states: ["data", "failing"] },
  { name: "reset", address: "/login/reset#token=nothing", visitor: true, states: ["data"] },
  { name: "verify-over", address: "/login/verify", visitor: true, states: ["data"] },
  { name: "security", address: "/admin/security" },
  { name: "security-scan", address: "/admin/security", states: ["data"], act: press("Set up two-step login") },
  { name: "users", address: "/admin/users" },
  { name: "users-create", address: "/admin/users", states: ["data"], act: press("Create a user") },
  { name: "audit", address: "/admin/audit" },
  { name: "audit-verified", address: "/admin/audit", states: ["data"], act: press("Verify the chain") },
  { name: "password", address: "/account/password", states: ["data"] },
  { name: "code", address: "/code", states: ["data", "empty", "failing"] },
  { name: "code-results", address: `/code?q=how+long+to+wait+before+a+failed+payment&repo=${encodeURIComponent(REPOSITORY)}&explain=true` },
  { name: "code-nothing", address: "/code?q=repo:acme/webshop+lang:rust+zzzzqqq", states: ["data"] },
  { name: "code-grep", address: "/code?mode=grep&q=supervis", states: ["data", "empty", "loading", "failing"] },
  { name: "code-wrong", address: "/code?mode=grep&regex=true&q=(((", states: ["data"] },
  { name: "file", address: `${FILE}#L6-L8`, calls: /\/api\/.*\/(?:tree|file)\b/ },
  { name: "file-outline", address: `${FILE}&panel=outline`, calls: /\/api\/.*\/outline\b/ },
  { name: "file-names", address: `${FILE}&panel=symbol&symbol=pauseBeforeRetry`, calls: /\/api\/.*\/references\b/ },
  { name: "file-history", address: `${FILE}&panel=history`, calls: /\/api\/.*\/commits\b/ },
  { name: "file-runs", address: `${FILE}&panel=runs`, calls: /\/api\/.*\/code-runs\b/ },
  { name: "file-missing", address: `/code/${REPOSITORY}?path=nothing.ts`, states: ["data"] },
  { name: "file-none", address: `/code/${REPOSITORY}`, states: ["data"] },
  { name: "repositories", address: "/code/repos" },
  { name: "repositories-register", address: "/code/repos", states: ["data"], act: press("Register a repository") },
  { name: "repositories-preview", address: "/code/repos", states: ["data"], act: press("Preview") },
  { name: "repository", address: findRepository },
  { name: "jobs", address: "/code/jobs" },
  { name: "webhooks", address: "/code/webhooks" },
  { name: "credentials", address: "/code/credentials" },
  { name: "connect", address: "/code/connect" },
  { name: "palette", address: "/code/repos", states: ["data"], act: openPalette },
  { name: "keyboard", address: "/code/repos", states: ["data"], act: (page) => page.keyboard.press("?") },
  { name: "notices", address: "/code/repos", act: press("Notices") },
  { name: "not-found", address: "/nowhere", states: ["data"] },
];

function press(name: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole("button", { name }).first().click();
}

async function logInWrongly(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("nobody@example.org");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox").last().fill("web");
}

async function findRepository(page: Page, consoleUrl: string): Promise<string> {
  await page.goto(`${consoleUrl}/code/repos`);
  const settings = page.getByRole("link", { name: `Settings of ${REPOSITORY}` });
  return (await settings.getAttribute("href")) ?? "";
}
