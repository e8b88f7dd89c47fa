import { fork } from "node:child_process";
import { once } from "node:events";

/** An OpenID Connect provider of a company, in a process of its own. */
export type CompanyProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly stop: () => void;
};

const CLIENT = { id: "sightline", secret: "secret-of-the-client-of-sightline-0123456789" };
const PROGRAM = new URL("../packages/identity/testing/company-provider-process.ts", import.meta.url);

/** It logs `person` in, without asking, and sends browsers back to one address alone. */
export async function startCompanyProvider(
  redirectUri: string,
  person: { readonly sub: string; readonly claims: Readonly<Record<string, unknown>> },
): Promise<CompanyProvider> {
  const options = JSON.stringify({ redirectUri, clients: [CLIENT], person });
  const child = fork(PROGRAM, [options], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const [{ issuer }] = (await once(child, "message")) as [{ readonly issuer: string }];
  return { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, stop: () => void child.kill() };
}
