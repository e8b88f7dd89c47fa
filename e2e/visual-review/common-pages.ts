import type { Page, Route } from "playwright-core";
import type { ReviewedPage } from "./page.ts";

const VERIFY = /\/api\/identity\/login\/verify-2fa$/;
const REFUSED = { status: 401, json: { error: "invalid_code", message: "This code is wrong. Enter the one that your app shows now." } };
const LOCKED = { status: 429, headers: { "retry-after": "287" }, json: { error: "rate_limited", message: "Too many wrong codes." } };
const BACKUP_CODE_TAKEN = {
  json: { token_type: "bearer", access_token: "none", expires_in: 60, method: "backup_code", backup_codes_remaining: 2 },
};
const ENDED = { status: 401, json: { error: "auth_failed", message: "This session has ended." } };
const AWAY = { status: 502, json: { error: "upstream_unreachable", message: "The code index can't be reached." } };

/** The login and what surrounds every page. */
export const commonPages: readonly ReviewedPage[] = [
  { name: "login", address: "/login", as: "visitor", states: ["data"] },
  { name: "login-mail", address: "/login", as: "visitor", states: ["data"], before: offerMail },
  { name: "login-wrong", address: "/login", as: "visitor", states: ["data"], act: logInWrongly },
  { name: "login-code", address: "/login", as: "visitor", states: ["data"], before: askForCode, act: enterPassword },
  { name: "login-code-wrong", address: "/login", as: "visitor", states: ["data"], before: verified(REFUSED), act: enterCode },
  { name: "login-locked", address: "/login", as: "visitor", states: ["data"], before: verified(LOCKED), act: enterCode, provokes: /429/ },
  { name: "login-backup", address: "/login", as: "visitor", states: ["data"], before: askForCode, act: offerBackupCode },
  { name: "login-backup-used", address: "/login", as: "visitor", states: ["data"], before: verified(BACKUP_CODE_TAKEN), act: enterCode },
  { name: "forgot", address: "/login/forgot", as: "visitor", states: ["data", "failing"] },
  { name: "forgot-sent", address: "/login/forgot", as: "visitor", states: ["data"], before: takeMail, act: askForMail },
  { name: "reset", address: "/login/reset#token=nothing", as: "visitor", states: ["data"] },
  { name: "reset-incomplete", address: "/login/reset", as: "visitor", states: ["data"] },
  { name: "invitation", address: "/login/invitation#token=nothing", as: "visitor", states: ["data"] },
  { name: "verify-over", address: "/login/verify", as: "visitor", states: ["data"] },
  { name: "overview", address: "/" },
  { name: "palette", address: "/code/repos", states: ["data"], act: openPalette },
  { name: "palette-nothing", address: "/code/repos", states: ["data"], act: openPaletteInVain },
  { name: "keyboard", address: "/code/repos", states: ["data"], act: (page) => page.keyboard.press("?") },
  { name: "notices", address: "/code/repos", act: openNotices, actAgain: true },
  { name: "notices-alarm", address: "/code/repos", states: ["data"], before: warn, act: openNotices, actAgain: true },
  { name: "account", address: "/code/repos", states: ["data"], act: openAccount, actAgain: true },
  { name: "not-found", address: "/nowhere", states: ["data"] },
  { name: "admins-only", address: "/admin/users", states: ["data"], before: beMember },
  { name: "session-ended", address: "/code/repos", states: ["data"], act: endSession },
  { name: "part-away", address: "/code/repos", states: ["data"], before: answer(/\/api\/code-index\//, AWAY), provokes: /502/ },
  { name: "offline", address: "/code/repos", states: ["data"], act: (page) => page.evaluate('dispatchEvent(new Event("offline"))') },
  { name: "upgraded", address: "/code/repos", states: ["data"], before: loseFile, provokes: /404|MIME|dynamically/ },
  { name: "notification", address: "/code/jobs", states: ["data"], before: refuseJob, act: runAgain, provokes: /409/ },
];

type Answer = Parameters<Route["fulfill"]>[0];

function answer(calls: RegExp, given: Answer): (page: Page) => Promise<void> {
  return async (page) => {
    await page.route(calls, (route) => route.fulfill(given));
  };
}

function offerMail(page: Page): Promise<void> {
  return answer(/\/login\/options$/, { json: { password_reset: true, registration: false } })(page);
}

function takeMail(page: Page): Promise<void> {
  return answer(/\/login\/password-reset$/, { status: 202 })(page);
}

async function askForMail(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByRole("status", { name: "Check your e-mail" }).waitFor();
}

async function logInWrongly(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("nobody@example.org");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").waitFor();
}

function askForCode(page: Page): Promise<void> {
  return answer(/\/login\/access-token$/, { json: { two_factor_required: true, partial_token: "none", expires_in: 300 } })(page);
}

async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByLabel("Password", { exact: true }).fill("any will do");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByLabel("Code", { exact: true }).waitFor();
}

function verified(given: Answer): (page: Page) => Promise<void> {
  return async (page) => {
    await askForCode(page);
    await answer(VERIFY, given)(page);
  };
}

async function enterCode(page: Page): Promise<void> {
  await enterPassword(page);
  const answered = page.waitForResponse(VERIFY);
  await page.getByLabel("Code", { exact: true }).fill("123456");
  await answered;
}

async function offerBackupCode(page: Page): Promise<void> {
  await enterPassword(page);
  await page.getByRole("button", { name: /backup code/i }).click();
  await page.getByLabel("Backup code").waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search everything" }).fill("web");
  await page.getByText("Search code for “web”").waitFor();
}

async function openPaletteInVain(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search everything" }).fill("q");
}

async function openNotices(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Notices/ }).click();
}

function warn(page: Page): Promise<void> {
  const at = new Date(Date.now() - 600_000).toISOString();
  const notice = (id: number, kind: string, text: string) => ({
    id: `00000000-0000-7000-8000-00000000000${id}`,
    kind,
    at,
    text,
    details: {},
  });
  const notices = [
    notice(
      1,
      "two_factor_locked",
      "Five wrong codes followed your right password, from 203.0.113.7. If that was not you, change the password.",
    ),
    notice(2, "backup_codes_low", "Only two backup codes are left. Make new ones while you can log in."),
    notice(3, "two_factor_enabled", "Two-factor authentication was turned on."),
  ];
  return answer(/\/login\/notices$/, { json: { notices } })(page);
}

/** At the lower width it is in the drawer. */
async function openAccount(page: Page): Promise<void> {
  const menu = page.getByRole("button", { name: "Navigation" });
  if (await menu.isVisible()) {
    await menu.click();
  }
  await page.getByRole("button", { name: /@/ }).last().click();
  await page.getByRole("menuitem", { name: "Log out" }).waitFor();
}

async function beMember(page: Page): Promise<void> {
  await page.route(/\/login\/me$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), role: "member" } });
  });
}

async function endSession(page: Page): Promise<void> {
  await answer(/\/api\/code-index\//, ENDED)(page);
  await answer(/\/login\/refresh$/, ENDED)(page);
  await page.keyboard.press("g");
  await page.keyboard.press("w");
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
}

async function loseFile(page: Page): Promise<void> {
  await page.route(/\/assets\/repositories-page-.*\.js$/, (route) => route.fulfill({ status: 404, body: "" }));
}

function refuseJob(page: Page): Promise<void> {
  return answer(/\/jobs\/[^/]+\/retry$/, {
    status: 409,
    json: { error: "conflict", message: "A job of this repository is under way already." },
  })(page);
}

async function runAgain(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /^Run again|^Run .* again/ })
    .first()
    .click();
  await page.getByRole("alert").last().waitFor();
}
