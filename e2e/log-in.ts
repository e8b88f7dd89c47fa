import type { Page } from "playwright-core";

export type Credentials = { readonly email: string; readonly password: string };

/** Logs in and waits until the console shows whose session it is. */
export async function logIn(page: Page, consoleUrl: string, { email, password }: Credentials): Promise<void> {
  await page.goto(`${consoleUrl}/login`);
  await enterCredentials(page, { email, password });
  await page.getByRole("button", { name: email }).waitFor();
}

/** The first login: with the one-time password, which the console makes its owner change before anything else. */
export async function logInFirst(page: Page, consoleUrl: string, { email, password }: Credentials, chosen: string): Promise<void> {
  await page.goto(consoleUrl);
  await page.waitForURL(/\/login/);
  await enterCredentials(page, { email, password });
  await page.getByRole("heading", { level: 1, name: "Choose your password" }).waitFor();
  await page.getByLabel("New password", { exact: true }).fill(chosen);
  await page.getByLabel("Confirm new password", { exact: true }).fill(chosen);
  await page.getByRole("button", { name: "Set the new password" }).click();
  await page.waitForURL(`${consoleUrl}/`);
}

export async function logOut(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: email }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.waitForURL(/\/login/);
}

export async function enterCredentials(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}
