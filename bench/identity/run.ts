import { figuresOf, time, type Figures, type Timed } from "#measure.ts";
import { codeNow, eventLoopDelay, makeAccounts, passwordStep, secondStep, type Account, type Accounts } from "./client.ts";
import { runScript } from "#scripts.ts";
import { startServer, type Server } from "./server.ts";

/** `npm run bench:identity`: both steps of a login beside the bare password hash, on PostgreSQL and on the embedded database. */
const RUNS = [
  { atOnce: 1, logins: 20 },
  { atOnce: 8, logins: 64 },
  { atOnce: 32, logins: 128 },
];
/** One after the other, so that what else the machine does meets the peer as well. */
const ROUNDS = 4;
const WRONG_CODES = 50;
const WANTED_DELAY_MS = 200;

type Row = { readonly store: string; readonly what: string; readonly atOnce: number } & Figures & {
    /** Of the rate of the bare hash at the same number at once. */
    readonly ofTheHash: number;
  };

const stores = [
  { name: "PostgreSQL", url: process.env["TEST_DATABASE_URL"] },
  { name: "embedded", url: undefined },
].filter(({ name, url }) => name === "embedded" || url !== undefined);

const rows: Row[] = [];
const delays: { store: string; baselineMs: number; wrongCodesMs: number; refused: number; tookMs: number }[] = [];
for (const { name, url } of stores) {
  const server = await startServer(url);
  try {
    const total = RUNS.reduce((sum, { logins }) => sum + logins * ROUNDS, WRONG_CODES);
    const made = await makeAccounts(server, total);
    await measureLogins(server, name, made);
    delays.push({ store: name, ...(await measureDelay(server, made.accounts.slice(-WRONG_CODES))) });
  } catch (error) {
    console.error(server.output());
    throw error;
  } finally {
    await server.stop();
  }
}
console.table(rows.map(inShort));
console.table(delays.map(({ baselineMs, wrongCodesMs, tookMs, ...row }) => ({ ...row, ...rounded({ baselineMs, wrongCodesMs, tookMs }) })));
console.log(JSON.stringify({ rows, delays, wantedDelayMs: WANTED_DELAY_MS }));

async function measureLogins(server: Server, store: string, made: Accounts): Promise<void> {
  let from = 0;
  for (const { atOnce, logins } of RUNS) {
    const timed: Record<"bare argon2id" | "password" | "verify-2fa", Timed[]> = { "bare argon2id": [], password: [], "verify-2fa": [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const accounts = made.accounts.slice(from, from + logins);
      from += logins;
      timed["bare argon2id"].push(await hashAlone(logins, atOnce));
      const tokens = new Map<Account, string>();
      timed.password.push(
        await time(accounts, atOnce, async (account) => {
          tokens.set(account, await passwordStep(server, account.email));
        }),
      );
      timed["verify-2fa"].push(
        await time(accounts, atOnce, async (account) => {
          expectStatus(200, await secondStep(server, tokens.get(account) ?? "", codeNow(made, account)));
        }),
      );
    }
    const hash = figuresOf(timed["bare argon2id"]);
    for (const [what, rounds] of Object.entries(timed)) {
      const figures = figuresOf(rounds);
      rows.push({ store, what, atOnce, ...figures, ofTheHash: figures.perSecond / hash.perSecond });
    }
  }
}

async function hashAlone(count: number, atOnce: number): Promise<Timed> {
  return JSON.parse(await runScript("packages/identity/testing/hash-passwords.ts", String(count), String(atOnce))) as Timed;
}

/** Wrong backup codes of as many accounts from as many networks, so that each costs its bcrypt. */
async function measureDelay(server: Server, accounts: readonly Account[]) {
  const tokens = [];
  for (const { email } of accounts) {
    tokens.push(await passwordStep(server, email));
  }
  const baselineMs = await eventLoopDelay(server);
  const startedAt = performance.now();
  const statuses = await Promise.all(tokens.map((token) => secondStep(server, token, "0000-0000-0000-0000")));
  const tookMs = performance.now() - startedAt;
  const wrongCodesMs = await eventLoopDelay(server);
  statuses.forEach((status) => expectStatus(401, status));
  return { baselineMs, wrongCodesMs, refused: statuses.length, tookMs };
}

function expectStatus(expected: number, status: number): void {
  if (status !== expected) {
    throw new Error(`the second step answered ${status} instead of ${expected}`);
  }
}

function rounded(figures: Readonly<Record<string, number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value.toFixed(1)]));
}

function inShort({ perSecond, p50Ms, p99Ms, ofTheHash, ...row }: Row) {
  return {
    ...row,
    "per second": perSecond.toFixed(1),
    "p50 ms": p50Ms.toFixed(1),
    "p99 ms": p99Ms.toFixed(1),
    "of the hash": ofTheHash.toFixed(2),
  };
}
