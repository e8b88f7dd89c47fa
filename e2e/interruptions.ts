import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inspectPage, openContext, openPage } from "./browser.ts";
import { logIn, type Credentials } from "./log-in.ts";

export type Interrupted = { readonly consoleUrl: string; readonly browser: Browser; readonly first: Credentials };

const LONG_MS = 180_000;
const TYPED = "Support agent, staging";

/** What goes wrong around a page that someone works on, and takes nothing of it away. */
export function describeInterruptions(world: () => Interrupted): void {
  describe("of what was typed nothing is lost", () => {
    test(
      "when the session ends elsewhere: one logs in over the page, and it is sent",
      () =>
        onAPage(world(), async (page) => {
          const { consoleUrl, first } = world();
          await fillNewProject(page, consoleUrl);
          await endSession(page);
          await page.getByRole("button", { name: "Create", exact: true }).click();
          const login = page.getByRole("dialog", { name: "Your session has ended" });
          await login.waitFor();
          expect(await inspectPage(page, "session-ended")).toEqual([]);
          await page.keyboard.press("Escape");
          await login.getByLabel("Password", { exact: true }).fill("not this one");
          await login.getByRole("button", { name: "Log in" }).click();
          await login.getByText("That didn't match").waitFor();
          await login.getByLabel("Password", { exact: true }).fill(first.password);
          await login.getByRole("button", { name: "Log in" }).click();
          await page.getByText(`“${TYPED}” is ready`).waitFor();
          await login.waitFor({ state: "detached" });
          await page.goto(`${consoleUrl}/projects`);
          await page.getByRole("link", { name: TYPED }).first().waitFor();
          expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toMatch(/eyJ/);
        }),
      LONG_MS,
    );

    test(
      "while the browser is offline: it says so, and what failed is sent again afterwards",
      () =>
        onAPage(world(), async (page) => {
          const { consoleUrl } = world();
          await fillNewProject(page, consoleUrl, "Shop assistant, staging");
          await page.context().setOffline(true);
          await page.getByText("You are offline.").waitFor();
          await page.getByRole("button", { name: "Create", exact: true }).click();
          await page.getByText("could not be reached").first().waitFor();
          await page.context().setOffline(false);
          await page.getByText("You are offline.").waitFor({ state: "detached" });
          expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Shop assistant, staging");
          await page.getByRole("button", { name: "Create", exact: true }).click();
          await page.getByText("“Shop assistant, staging” is ready").waitFor();
        }),
      LONG_MS,
    );

    test(
      "when a part can't be reached: it is named, and loads by itself once it is back",
      () =>
        onAPage(world(), async (page) => {
          const { consoleUrl } = world();
          const gone = { status: 502, contentType: "application/json", body: '{"error":"upstream_unreachable","message":"Gone."}' };
          await page.route("**/api/observability/**", (route) => route.fulfill(gone));
          await page.goto(`${consoleUrl}/projects`);
          await page.getByText("Observability can't be reached").waitFor();
          await page.getByRole("alert").getByText("Gone.").waitFor();
          await page.unroute("**/api/observability/**");
          await page.getByText("Observability can't be reached").waitFor({ state: "detached" });
          await page.getByRole("link", { name: "Demo" }).waitFor();
          expect(await page.getByRole("alert").count()).toBe(0);
        }),
      LONG_MS,
    );

    test(
      "when the code index does not say its address: no command names another, and it comes when asked again",
      () =>
        onAPage(world(), async (page) => {
          const asked = "**/.well-known/oauth-protected-resource";
          const broken = { status: 500, contentType: "application/json", body: '{"error":"internal_error","message":"Broken."}' };
          await page.route(asked, (route) => route.fulfill(broken));
          await page.goto(`${world().consoleUrl}/code/connect`);
          const failure = page.getByRole("alert").filter({ hasText: "The address of the code index could not be loaded" });
          await failure.waitFor();
          expect(await page.getByText("claude mcp add").count()).toBe(0);
          await page.unroute(asked);
          await failure.getByRole("button", { name: "Try again" }).click();
          await page.getByText("claude mcp add").waitFor();
        }),
      LONG_MS,
    );

    test(
      "when the repositories can't be loaded: no field says that there are none",
      () =>
        onAPage(world(), async (page) => {
          const broken = { status: 500, contentType: "application/json", body: '{"error":"internal_error","message":"Broken."}' };
          await page.route("**/api/code-index/api/v1/repos?*", (route) => route.fulfill(broken));
          for (const [path, field] of [
            ["/code/connect?new=1", "Repositories"],
            ["/code/webhooks", "Repository"],
            ["/code/jobs", "Repository"],
          ] as const) {
            await page.goto(`${world().consoleUrl}${path}`);
            await page.getByRole("combobox", { name: field }).click();
            await page.getByText("Could not be loaded: Broken.").waitFor();
          }
          expect(await page.getByText(/No (?:such|other) repository/).count()).toBe(0);
        }),
      LONG_MS,
    );

    test(
      "when the answer to a new account gets lost: nobody says that there is none, and its password is a reset away",
      () =>
        onAPage(world(), async (page) => {
          const email = "katherine@example.org";
          await loseAnswer(page);
          await page.goto(`${world().consoleUrl}/admin/users`);
          await page.getByRole("button", { name: "Create a user" }).click();
          const dialog = page.getByRole("dialog", { name: "Create a user" });
          await dialog.getByLabel("Name").fill("Katherine Johnson");
          await dialog.getByLabel("E-mail address").fill(email);
          await dialog.getByRole("button", { name: "Create the user" }).click();
          await page.getByLabel("Your password", { exact: true }).fill(world().first.password);
          await page.getByRole("button", { name: "Confirm" }).click();
          await dialog.getByRole("alert").getByText("No response: it may have been done anyway").waitFor();
          await dialog.getByRole("button", { name: "Create the user" }).click();
          await dialog.getByRole("alert").getByText("There is an account with this e-mail address").waitFor();
          await dialog.getByRole("button", { name: "Cancel" }).click();
          await page.getByRole("row").filter({ hasText: email }).getByRole("button", { name: "Actions for" }).click();
          await page.getByRole("menuitem", { name: "Reset the password…" }).click();
          await page.getByRole("button", { name: "Reset the password" }).click();
          const password = page.getByLabel("the one-time password", { exact: true });
          const shown = await password.innerText();
          const asked = page.waitForEvent("dialog");
          await page.evaluate("setTimeout(() => location.reload())");
          const question = await asked;
          expect(question.type()).toBe("beforeunload");
          await question.dismiss();
          expect(await password.innerText()).toBe(shown);
        }),
      LONG_MS,
    );

    test(
      "when the console was upgraded under an open page: what is missing is named, and a reload offered",
      () =>
        onAPage(world(), async (page) => {
          const { consoleUrl } = world();
          await fillNewProject(page, consoleUrl, "From before the upgrade");
          await page.route("**/assets/palette-*.js", (route) => route.fulfill({ status: 404, body: "" }));
          await page.keyboard.press("Control+k");
          await page.getByText("Sightline was upgraded").waitFor();
          expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("From before the upgrade");
          await page.unroute("**/assets/palette-*.js");
          await page.getByRole("button", { name: "Reload" }).click();
          await page.getByRole("button", { name: "Create a project" }).first().waitFor();
        }),
      LONG_MS,
    );

    test(
      "behind an address of nothing: it is told in a heading, with a way on",
      () =>
        onAPage(world(), async (page) => {
          for (const [path, heading] of ABSENT) {
            await page.goto(`${world().consoleUrl}${path}`);
            await page.getByRole("heading", { level: 1, name: heading }).waitFor();
            expect(await page.getByRole("main").getByRole("link").count()).toBeGreaterThan(0);
          }
        }),
      LONG_MS,
    );
  });
}

/** Ids that belong to nothing. */
const NOBODY = "00000000-0000-7000-8000-000000000000";

const ABSENT = [
  ["/nowhere", "Page not found"],
  [`/projects/${NOBODY}/dashboards`, "This project is not here"],
  ["/projects/not-an-id/settings", "This project is not here"],
  [`/projects/${NOBODY}/traces/${NOBODY}`, "This trace is not here"],
  ["/code/nobody/nothing", "nobody/nothing is not here"],
] as const;

/** A visitor of their own: the browser complains of what is broken here, and another's session is not to be ended. */
async function onAPage({ browser, consoleUrl, first }: Interrupted, act: (page: Page) => Promise<void>): Promise<void> {
  const context = await openContext(browser);
  try {
    const page = await openPage(context, []);
    await logIn(page, consoleUrl, first);
    await act(page);
  } finally {
    await context.close();
  }
}

async function fillNewProject(page: Page, consoleUrl: string, name = TYPED): Promise<void> {
  await page.goto(`${consoleUrl}/projects`);
  await page.getByRole("button", { name: "Create a project" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
}

/** The account is made, and the console does not hear of it. */
async function loseAnswer(page: Page): Promise<void> {
  await page.route("**/api/identity/admin/users", async (route) => {
    const response = await route.fetch();
    return response.status() === 201 ? route.abort() : route.fulfill({ response });
  });
}

/** As “log out” on another device does; done once every part knows it. */
async function endSession(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const refreshed = await fetch("/api/identity/login/refresh", { method: "POST" });
    const { access_token: token } = (await refreshed.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    await fetch("/api/identity/logout", { method: "POST", headers });
    for (let answer = new Response(); answer.status !== 401;) {
      answer = await fetch("/api/observability/api/v1/projects", { headers });
    }
  });
}
