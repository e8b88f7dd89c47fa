import { runScript } from "#scripts.ts";
import type { Server } from "./server.ts";

export type Account = { readonly email: string; readonly codes: readonly string[] };

export type Accounts = { readonly firstStep: number; readonly stepSeconds: number; readonly accounts: readonly Account[] };

const PASSWORD = "seven green lanterns";

export async function makeAccounts({ databaseUrl, key }: Server, count: number): Promise<Accounts> {
  return JSON.parse(await runScript("packages/identity/testing/make-accounts.ts", databaseUrl, key, PASSWORD, String(count))) as Accounts;
}

/** The password step; answers the partial token. */
export async function passwordStep(server: Server, email: string): Promise<string> {
  const answer = await post(server, "/login/access-token", { email, password: PASSWORD });
  const { partial_token: token } = (await answer.json()) as { partial_token?: string };
  if (token === undefined) {
    throw new Error(`the password step answered ${answer.status}`);
  }
  return token;
}

/** The second step; answers its status. */
export async function secondStep(server: Server, token: string, code: string): Promise<number> {
  const answer = await post(server, "/login/verify-2fa", { partial_token: token, code });
  await answer.text();
  return answer.status;
}

export function codeNow({ firstStep, stepSeconds }: Accounts, { codes }: Account): string {
  return codes[Math.floor(Date.now() / 1000 / stepSeconds) - firstStep] ?? "";
}

/** The 99th percentile of the event loop's delay since the last call, in milliseconds; its timer's own 10 ms are in it. */
export async function eventLoopDelay({ url }: Server): Promise<number> {
  const answer = await fetch(`${url}/metrics`);
  const [, seconds = "NaN"] = /^nodejs_eventloop_lag_p99_seconds\S* (\S+)/m.exec(await answer.text()) ?? [];
  return Number(seconds) * 1000;
}

let clients = 0;

/** Each request comes from a network of its own, as the proxy in front says: the limits per address are in force. */
function post({ url }: Server, path: string, body: object): Promise<Response> {
  clients += 1;
  const network = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`;
  const headers = { "content-type": "application/json", "x-forwarded-for": network };
  return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}
