import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createAuthenticator, scanSecret } from "./authenticator.ts";
import { inspectPage, openContext, openPage } from "./browser.ts";
import { makeAdminWithPassword } from "./identity-client.ts";
import { enterCredentials, logIn, logOut } from "./log-in.ts";
import type { Stage } from "./second-factor.ts";

const JOURNEY_MS = 180_000;

/** An admin's passkeys, kept by the browser's own virtual authenticator. */
export function describePasskeys(stage: () => Stage): void {
  describe("passkeys", { timeout: JOURNEY_MS }, () => {
    test("are added, log in by themselves and as the second step, confirm what asks for it, and are removed", async () => {
      const { consoleUrl, browser, first, problems } = stage();
      const admin = await makeAdminWithPassword(consoleUrl, first, "hedy@example.org");
      const context = await openContext(browser);
      try {
        const visitor = await openPage(context, problems);
        const authenticator = await addAuthenticator(visitor);
        await logIn(visitor, consoleUrl, admin);

        await visitor.goto(`${consoleUrl}/admin/security`);
        const passkeys = visitor.getByRole("region", { name: "Passkeys" });
        await passkeys.getByText("You have none yet.").waitFor();
        await passkeys.getByRole("button", { name: "Add a passkey" }).click();
        const naming = visitor.getByRole("dialog", { name: "Add a passkey" });
        await naming.getByLabel("Name").fill("Desk");
        await expectAccessible(visitor, "passkey-add");
        // By keyboard.
        await naming.getByLabel("Name").press("Enter");
        const item = passkeys.getByRole("listitem").filter({ hasText: "Desk" });
        await item.waitFor();
        await expectAccessible(visitor, "security-passkeys");
        await item.getByRole("button", { name: "Rename Desk" }).click();
        const renaming = visitor.getByRole("dialog", { name: "Rename the passkey" });
        await renaming.getByLabel("Name").fill("Office");
        await renaming.getByRole("button", { name: "Rename" }).click();
        await passkeys.getByRole("listitem").filter({ hasText: "Office" }).filter({ hasText: "never" }).waitFor();
        await authenticator.pause();
        await logOut(visitor, admin.email);

        await visitor.getByRole("button", { name: "Use a passkey" }).waitFor();
        await expectAccessible(visitor, "login-passkey");
        await authenticator.goOn();
        await visitor.getByRole("button", { name: "Use a passkey" }).click();
        await visitor.getByRole("button", { name: admin.email }).waitFor();
        await authenticator.pause();
        await logOut(visitor, admin.email);

        await enterCredentials(visitor, admin);
        await visitor.getByRole("heading", { level: 1, name: "Two-factor authentication" }).waitFor();
        await expectAccessible(visitor, "login-second-step-passkey");
        await authenticator.goOn();
        // The one way on has the focus.
        await visitor.locator("button:focus", { hasText: "Use a passkey" }).press("Enter");
        await visitor.getByRole("button", { name: admin.email }).waitFor();

        await visitor.goto(`${consoleUrl}/admin/security`);
        await visitor.getByRole("list", { name: "Your sessions" }).getByText("password and passkey").waitFor();
        await passkeys.getByRole("button", { name: "Remove Office" }).click();
        const removing = visitor.getByRole("dialog", { name: "Remove this passkey?" });
        await removing.getByText("without it your password alone opens this account").waitFor();
        await removing.getByRole("button", { name: "Remove" }).click();
        const stepUp = visitor.getByRole("dialog", { name: "Confirm that it is you" });
        await expectAccessible(visitor, "step-up-passkey");
        await stepUp.getByRole("button", { name: "Use a passkey" }).click();
        await passkeys.getByText("You have none yet.").waitFor();
        await logOut(visitor, admin.email);
        await logIn(visitor, consoleUrl, admin);
      } finally {
        await context.close();
      }
    });

    test("the only second factor is asked for before an app is set up beside it, and once the login is old the password is no way", async () => {
      const { consoleUrl, browser, first, problems } = stage();
      const admin = await makeAdminWithPassword(consoleUrl, first, "radia@example.org");
      const context = await openContext(browser);
      try {
        const visitor = await openPage(context, problems);
        await addAuthenticator(visitor);
        await logIn(visitor, consoleUrl, admin);
        await visitor.goto(`${consoleUrl}/admin/security`);
        const passkeys = visitor.getByRole("region", { name: "Passkeys" });
        await passkeys.getByRole("button", { name: "Add a passkey" }).click();
        await visitor.getByRole("dialog", { name: "Add a passkey" }).getByRole("button", { name: "Continue" }).click();
        await passkeys.getByRole("listitem").waitFor();

        const factor = visitor.getByRole("region", { name: "Two-factor authentication (2FA)" });
        await factor.getByText("your passkeys are your second factor").waitFor();
        // As it is answered ten minutes after the login, once.
        const late = { status: 403, json: { error: "step_up_required", message: "Show once more that it is you." } };
        await visitor.route("**/api/identity/admin/2fa/setup", (route) => route.fulfill(late), { times: 1 });
        await factor.getByRole("button", { name: "Set up 2FA" }).click();
        const stepUp = visitor.getByRole("dialog", { name: "Confirm that it is you" });
        await stepUp.getByRole("button", { name: "Use a passkey" }).waitFor();
        expect(await stepUp.getByLabel("Your password", { exact: true }).count()).toBe(0);
        await expectAccessible(visitor, "second-factor-beside-passkey");
        await stepUp.getByRole("button", { name: "Use a passkey" }).click();

        const secret = await scanSecret(visitor.getByRole("img", { name: "QR code to scan with your authenticator app" }));
        await visitor.getByLabel("Code", { exact: true }).fill(await createAuthenticator(secret).code());
        await visitor.getByText("Step 2 of 2: save your backup codes").waitFor();
      } finally {
        await context.close();
      }
    });

    test("one chosen where the browser fills in the address logs in without a click", async () => {
      const { consoleUrl, browser, first, problems } = stage();
      const member = await makeAdminWithPassword(consoleUrl, first, `lamarr-${randomUUID()}@example.org`);
      const context = await openContext(browser);
      try {
        const visitor = await openPage(context, problems);
        const authenticator = await addAuthenticator(visitor);
        await logIn(visitor, consoleUrl, member);
        await visitor.goto(`${consoleUrl}/admin/security`);
        const passkeys = visitor.getByRole("region", { name: "Passkeys" });
        await passkeys.getByRole("button", { name: "Add a passkey" }).click();
        await visitor.getByRole("dialog", { name: "Add a passkey" }).getByRole("button", { name: "Continue" }).click();
        await passkeys.getByRole("listitem").waitFor();
        await authenticator.pause();
        await logOut(visitor, member.email);
        expect(await visitor.getByLabel("E-mail").getAttribute("autocomplete")).toBe("username webauthn");
        // What chooses for its user is offered to the page at once. It is loaded anew, since what was asked while nobody chose may stay unanswered.
        await authenticator.goOn();
        await visitor.reload();
        await visitor.getByRole("button", { name: member.email }).waitFor();
      } finally {
        await context.close();
      }
    });
  });
}

/** Chromium's own (CDP): it keeps passkeys, and verifies a user who always agrees, unless it is paused. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const simulate = (enabled: boolean) => devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  return { pause: () => simulate(false), goOn: () => simulate(true) };
}

async function expectAccessible(page: Page, name: string): Promise<void> {
  expect(await inspectPage(page, name)).toEqual([]);
}
