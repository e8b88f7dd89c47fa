import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { excuse, inspectPage, openContext, openPage } from "./browser.ts";
import type { DnsServer } from "./dns-server.ts";
import { startCompanyProvider, type CompanyProvider } from "./company-provider.ts";
import { makeAdmin, type Admin } from "./identity-client.ts";
import { enterCredentials, logOut } from "./log-in.ts";
import type { Stage } from "./second-factor.ts";

const ANN = { sub: "ann", claims: { email: "ann@acme.example", email_verified: true, name: "Ann" } };
const JOURNEY_MS = 180_000;

/** A provider in a process of its own, set up by an admin and used by somebody who has no account yet. */
export function describeCompanySignIn(stage: () => Stage, names: () => DnsServer): void {
  describe("company sign-in", { timeout: JOURNEY_MS }, () => {
    test("is set up, tested and proven by an admin, lets a new colleague in, and is removed", async () => {
      const { consoleUrl, browser, first, problems } = stage();
      const provider = await startCompanyProvider(`${consoleUrl}/login/sso`, ANN);
      const admin = await makeAdmin(consoleUrl, first, "kay@example.org");
      const context = await openContext(browser);
      try {
        const visitor = await openPage(context, problems);
        await logInWithCode(visitor, consoleUrl, admin);
        await setUp(visitor, consoleUrl, provider, admin);
        await proveDomain(visitor, names());
        await logOut(visitor, admin.email);

        await visitor.getByLabel("E-mail").fill("ann@acme.example");
        await visitor.getByRole("button", { name: "Continue with Acme ID" }).waitFor();
        await expectAccessible(visitor, "login-company");
        await visitor.getByRole("button", { name: "Continue with Acme ID" }).click();
        await visitor.getByRole("button", { name: "ann@acme.example" }).waitFor();
        expect(new URL(visitor.url()).search).toBe("");
        await visitor.goto(`${consoleUrl}/admin/security`);
        await visitor.getByRole("list", { name: "Your sessions" }).getByText("company sign-in").waitFor();
        await logOut(visitor, "ann@acme.example");

        await visitor.goto(`${consoleUrl}/login/sso?state=made-up&code=made-up`);
        await visitor.getByText("You were not signed in").waitFor();
        excuse(problems, /400 \(Bad Request\) \(.*login\/sso/);
        await expectAccessible(visitor, "login-company-refused");

        await logInWithCode(visitor, consoleUrl, admin);
        await connectDirectory(visitor, consoleUrl, admin);
        await letGroupIn(visitor, consoleUrl);
        await trustJob(visitor, consoleUrl);
        await remove(visitor, consoleUrl);
      } finally {
        await context.close();
        provider.stop();
      }
    });
  });
}

async function logInWithCode(page: Page, consoleUrl: string, admin: Admin): Promise<void> {
  await page.goto(`${consoleUrl}/login`);
  await enterCredentials(page, admin);
  await page.getByLabel("Code", { exact: true }).fill(await admin.authenticator.code());
  await page.getByRole("button", { name: admin.email }).waitFor();
}

async function setUp(page: Page, consoleUrl: string, { issuer, clientId, clientSecret }: CompanyProvider, admin: Admin): Promise<void> {
  await page.goto(`${consoleUrl}/admin/security`);
  const section = page.getByRole("region", { name: "Company sign-in" });
  await section.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog", { name: "Set up company sign-in" });
  await dialog.getByLabel("Name").fill("Acme ID");
  await dialog.getByLabel("Issuer").fill(issuer);
  await dialog.getByLabel("Client ID").fill(clientId);
  await dialog.getByLabel("Client secret").fill(clientSecret);
  await dialog.getByLabel("E-mail domains").fill("acme.example");
  await dialog.getByLabel("E-mail domains").press(",");
  await dialog.getByRole("button", { name: "Test" }).click();
  await confirm(page, admin);
  await dialog.getByText("The provider knows them.").waitFor();
  await expectAccessible(page, "company-sign-in-form");
  await dialog.getByRole("button", { name: "Save" }).click();
  await section.getByText("made at the first sign-in").waitFor();
}

/** The step-up of the set-up still counts. */
async function proveDomain(page: Page, { publish }: DnsServer): Promise<void> {
  const domains = page.getByRole("region", { name: "E-mail domains" });
  const [name, value] = await Promise.all(
    ["name", "value"].map((what) => domains.getByLabel(`the record's ${what} for acme.example`, { exact: true }).innerText()),
  );
  await domains.getByRole("button", { name: "Verify now: acme.example" }).click();
  await domains.getByText(`DNS has no TXT record at ${name}`).waitFor();
  await expectAccessible(page, "security-company-waiting");
  await publish(name ?? "", value ?? "");
  await domains.getByRole("button", { name: "Verify now: acme.example" }).click();
  await domains.getByText("Verified", { exact: true }).waitFor();
  await expectAccessible(page, "security-company");
}

/** Makes the directory's token in the console, and has the directory keep a group with the new colleague in it. */
async function connectDirectory(page: Page, consoleUrl: string, admin: Admin): Promise<void> {
  await page.goto(`${consoleUrl}/admin/security`);
  await page.getByRole("button", { name: "Make a token", exact: true }).click();
  await confirm(page, admin);
  const address = await page.getByLabel("the directory's address", { exact: true }).innerText();
  const token = await page.getByLabel("the directory's token", { exact: true }).innerText();
  await expectAccessible(page, "security-directory");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  const found = await fetch(`${address}/Users?filter=${encodeURIComponent('userName eq "ann@acme.example"')}`, { headers });
  const { Resources: people } = (await found.json()) as { Resources: readonly { id: string }[] };
  const body = JSON.stringify({ displayName: "Support", members: people.map(({ id }) => ({ value: id })) });
  expect((await fetch(`${address}/Groups`, { method: "POST", headers, body })).status).toBe(201);
  await page.reload();
  await page.getByText("Support, 1 person").click();
  await page.getByText("Ann", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Make a new token" }).waitFor();
}

/** The step-up of the token still counts. */
async function letGroupIn(page: Page, consoleUrl: string): Promise<void> {
  await page.goto(`${consoleUrl}/projects`);
  await page.getByRole("button", { name: "Create a project" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Refunds");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Refunds" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByRole("combobox", { name: "Add a group" }).click();
  await page.getByRole("option", { name: "Support" }).click();
  await page.getByRole("combobox", { name: "Role of Support" }).click();
  await page.getByRole("option", { name: "Editor" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: /Ann.*Group Support: editor/ }).waitFor();
  await expectAccessible(page, "project-groups");
}

async function trustJob(page: Page, consoleUrl: string): Promise<void> {
  await page.goto(`${consoleUrl}/admin/security`);
  await page.getByRole("button", { name: "Trust a job" }).click();
  const dialog = page.getByRole("dialog", { name: "Trust a job" });
  await dialog.getByLabel("Subject").fill("repo:*");
  await dialog.getByRole("combobox", { name: "Project" }).click();
  await page.getByRole("option", { name: "Refunds" }).click();
  await dialog.getByRole("button", { name: "Trust it" }).click();
  await dialog.getByText("Name one repository in full").waitFor();
  await expectAccessible(page, "trust-job");
  await dialog.getByLabel("Subject").fill("repo:acme/shop:*");
  await dialog.getByRole("button", { name: "Trust it" }).click();
  await dialog.waitFor({ state: "hidden" });
  const section = page.getByRole("region", { name: "CI without a stored secret" });
  await section.getByText("may evaluate in Refunds, not used yet").waitFor();
  await section.getByRole("button", { name: "Remove repo:acme/shop:*" }).scrollIntoViewIfNeeded();
  await expectAccessible(page, "security-jobs");
  await section.getByRole("button", { name: "Remove repo:acme/shop:*" }).click();
  await page.getByRole("dialog", { name: "Trust this job no more?" }).getByRole("button", { name: "Remove" }).click();
  await section.getByText("No job is trusted yet.").waitFor();
}

async function remove(page: Page, consoleUrl: string): Promise<void> {
  await page.goto(`${consoleUrl}/admin/security`);
  const section = page.getByRole("region", { name: "Company sign-in" });
  await section.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove company sign-in?" }).getByRole("button", { name: "Remove" }).click();
  await section.getByRole("button", { name: "Set up" }).waitFor();
}

/** What asks for it wants password and code again. */
async function confirm(page: Page, admin: Admin): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Your password", { exact: true }).fill(admin.password);
  await dialog.getByLabel("Code", { exact: true }).fill(await admin.authenticator.code());
  // Six digits are sent by themselves.
  await dialog.waitFor({ state: "hidden" });
}

async function expectAccessible(page: Page, name: string): Promise<void> {
  expect(await inspectPage(page, name)).toEqual([]);
}
