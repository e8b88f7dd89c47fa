import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createAuthenticator, scanSecret } from "./authenticator.ts";
import { inspectPage, openContext, openPage } from "./browser.ts";
import { makeAdmin, type Admin } from "./identity-client.ts";
import { enterCredentials, logInFirst, logOut, type Credentials } from "./log-in.ts";

/** What the tests take place on. */
export type Stage = {
  readonly consoleUrl: string;
  readonly browser: Browser;
  /** Of someone who is logged in as the first admin. */
  readonly page: Page;
  readonly first: Credentials;
  readonly problems: string[];
};

const PASSWORD = "eleven copper kettles";
const JOURNEY_MS = 180_000;

/** The second factor from its set-up to its lock, as admins meet it in their browsers. */
export function describeSecondFactor(stage: () => Stage): void {
  describe("the second factor", { timeout: JOURNEY_MS }, () => {
    test("from a one-time password to a login with a backup code", async () => {
      const { consoleUrl, page } = stage();
      const email = "grace@example.org";
      const oneTimePassword = await createAdmin(page, stage(), email);
      await withVisitor(stage(), async (visitor) => {
        await logInFirst(visitor, consoleUrl, { email, password: oneTimePassword }, PASSWORD);
        const authenticator = createAuthenticator(await scan(visitor, consoleUrl));
        await visitor.getByLabel("Code", { exact: true }).fill(await authenticator.code());
        const codes = await saveBackupCodes(visitor);
        expect(codes).toHaveLength(10);
        await visitor.getByRole("region", { name: "Two-factor authentication (2FA)" }).getByText("10 left").waitFor();
        await logOut(visitor, email);

        await enterPassword(visitor, consoleUrl, { email, password: PASSWORD });
        await expectAccessible(visitor, "login-code");
        await visitor.getByLabel("Code", { exact: true }).fill(await authenticator.code());
        await visitor.getByRole("button", { name: email }).waitFor();
        await logOut(visitor, email);

        await enterPassword(visitor, consoleUrl, { email, password: PASSWORD });
        await enterBackupCode(visitor, codes[0] ?? "");
        await visitor.getByText("9 backup codes left").waitFor();
        await expectAccessible(visitor, "login-backup-code");
        await visitor.getByRole("button", { name: "Continue" }).click();
        await visitor.getByRole("button", { name: email }).waitFor();
      });
    });

    test("wrong codes lock the app's codes, and a backup code still opens", async () => {
      const admin = await newAdmin(stage(), "alan@example.org");
      const { consoleUrl } = stage();
      await withVisitor(stage(), async (visitor) => {
        await enterPassword(visitor, consoleUrl, admin);
        for (let number = 1; number <= 5; number += 1) {
          const answered = visitor.waitForResponse((response) => response.url().endsWith("/login/verify-2fa"));
          await visitor.getByLabel("Code", { exact: true }).fill(admin.authenticator.wrongCode(number));
          expect((await answered).status()).toBe(401);
        }
        await enterPassword(visitor, consoleUrl, admin);
        await visitor.getByLabel("Code", { exact: true }).fill(await admin.authenticator.code());
        const alert = visitor.getByRole("alert").filter({ hasText: "Codes are locked for now" });
        await alert.getByRole("timer").waitFor();
        await expectAccessible(visitor, "login-locked");
        await alert.getByRole("button", { name: "use one now" }).click();
        await visitor.getByLabel("Backup code").fill("only-half");
        await visitor.getByRole("button", { name: "Log in" }).click();
        await visitor.getByText("A backup code has 16 letters and digits.").waitFor();
        await visitor.getByLabel("Backup code").fill(admin.backupCodes[0] ?? "");
        await visitor.getByRole("button", { name: "Log in" }).click();
        await visitor.getByRole("button", { name: "Go to Security" }).click();
        await visitor.getByRole("region", { name: "Two-factor authentication (2FA)" }).getByText("9 left").waitFor();
      });
    });

    test("a session that is revoked elsewhere ends", async () => {
      const admin = await newAdmin(stage(), "edsger@example.org");
      const { consoleUrl } = stage();
      await withVisitor(stage(), async (here) => {
        await withVisitor(stage(), async (there) => {
          await enterPassword(there, consoleUrl, admin);
          await there.getByLabel("Code", { exact: true }).fill(await admin.authenticator.code());
          await there.getByRole("button", { name: admin.email }).waitFor();
          await enterPassword(here, consoleUrl, admin);
          await enterBackupCode(here, admin.backupCodes[0] ?? "");
          await here.getByRole("button", { name: "Go to Security" }).click();
          const sessions = here.getByRole("region", { name: "Sessions" });
          await sessions.getByRole("button", { name: "Revoke all others" }).click();
          await here.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
          await expect.poll(() => sessions.getByRole("listitem").count()).toBe(1);
          await sessions.locator("ul:focus").waitFor();
          await expectAccessible(here, "security");
          await there.reload();
          await there.waitForURL(/\/login/);
        });
      });
    });

    test("the audit has it all, in a chain that is intact", async () => {
      const { consoleUrl, page } = stage();
      await newAdmin(stage(), "barbara@example.org");
      await page.goto(`${consoleUrl}/admin/audit`);
      const row = page.getByRole("row").filter({ hasText: "barbara@example.org" }).filter({ hasText: "2FA turned on" });
      await row.waitFor();
      await page.getByRole("button", { name: "Verify the chain" }).click();
      await page.getByRole("status").filter({ hasText: "The chain is intact" }).waitFor();
      await expectAccessible(page, "audit");
    });
  });
}

/** By the users page, which asks for the password once more; answers the one-time password. */
async function createAdmin(page: Page, { consoleUrl, first }: Stage, email: string): Promise<string> {
  await page.goto(`${consoleUrl}/admin/users`);
  await page.getByRole("button", { name: "Create a user" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a user" });
  await dialog.getByLabel("Name").fill("Grace Hopper");
  await dialog.getByLabel("E-mail address").fill(email);
  await dialog.getByText("Admin", { exact: true }).click();
  await expectAccessible(page, "users-create");
  await dialog.getByRole("button", { name: "Create the user" }).click();
  const stepUp = page.getByRole("dialog", { name: "Confirm that it is you" });
  await stepUp.getByLabel("Your password", { exact: true }).fill(first.password);
  await stepUp.getByRole("button", { name: "Confirm" }).click();
  const password = await page.getByLabel("the one-time password", { exact: true }).innerText();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("row").filter({ hasText: email }).waitFor();
  await expectAccessible(page, "users");
  return password.trim();
}

/** Begins the set-up and answers the secret that a phone would get. */
async function scan(visitor: Page, consoleUrl: string): Promise<string> {
  await visitor.goto(`${consoleUrl}/admin/security`);
  await visitor.getByRole("button", { name: "Set up 2FA" }).waitFor();
  await expectAccessible(visitor, "security-off");
  await visitor.getByRole("button", { name: "Set up 2FA" }).click();
  const secret = await scanSecret(visitor.getByRole("img", { name: "QR code to scan with your authenticator app" }));
  expect(secret).toBe((await visitor.getByLabel("the key", { exact: true }).innerText()).replaceAll(/\s/g, ""));
  await expectAccessible(visitor, "security-scan");
  return secret;
}

async function saveBackupCodes(visitor: Page): Promise<readonly string[]> {
  const codes = visitor.getByRole("list", { name: "Backup codes" }).getByRole("listitem");
  await codes.first().waitFor();
  const shown = await codes.allInnerTexts();
  await expectAccessible(visitor, "security-backup-codes");
  await visitor.getByLabel("I have saved these codes").check();
  await visitor.getByRole("button", { name: "Done" }).click();
  // Whoever works by keyboard is not sent back to the top.
  await visitor.locator("h2:focus", { hasText: "Two-factor authentication (2FA)" }).waitFor();
  return shown;
}

async function enterPassword(visitor: Page, consoleUrl: string, credentials: Credentials): Promise<void> {
  await visitor.goto(`${consoleUrl}/login`);
  await enterCredentials(visitor, credentials);
  await visitor.getByRole("heading", { level: 1, name: "Two-factor authentication" }).waitFor();
}

async function enterBackupCode(visitor: Page, code: string): Promise<void> {
  await visitor.getByRole("button", { name: "Use a backup code instead" }).click();
  await visitor.getByLabel("Backup code").fill(code);
  await visitor.getByRole("button", { name: "Log in" }).click();
  await visitor.getByRole("heading", { level: 1, name: "You are logged in" }).waitFor();
}

function newAdmin({ consoleUrl, first }: Stage, email: string): Promise<Admin> {
  return makeAdmin(consoleUrl, first, email);
}

async function withVisitor({ browser, problems }: Stage, work: (visitor: Page) => Promise<void>): Promise<void> {
  const context = await openContext(browser);
  try {
    await work(await openPage(context, problems));
  } finally {
    await context.close();
  }
}

async function expectAccessible(page: Page, name: string): Promise<void> {
  expect(await inspectPage(page, name)).toEqual([]);
}
