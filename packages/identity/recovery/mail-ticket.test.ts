import { afterAll, beforeAll, expect, test } from "vitest";
import { raiseEpoch } from "#accounts/account.store.ts";
import { addAccount, createIdentityDatabase, type IdentityDatabase } from "#testing/identity-database.ts";
import { createMailTicket, hashTicketToken } from "./mail-ticket.ts";
import { findMailTicket } from "./mail-ticket.store.ts";

let database: IdentityDatabase;
let userId: string;

const NOW = new Date("2026-03-01T12:00:00Z");
const PUBLIC_URL = "https://sightline.example.org";

beforeAll(async () => {
  database = await createIdentityDatabase();
  userId = await addAccount(database, "ada@example.org", NOW);
});

afterAll(() => database.drop());

async function makeToken(purpose: "invitation" | "password_reset"): Promise<string> {
  const link = await database.query
    .transaction()
    .execute((transaction) => createMailTicket(transaction, { userId, purpose, now: NOW, publicUrl: PUBLIC_URL }));
  return new URL(link).hash.slice("#token=".length);
}

function find(token: string, seconds: number) {
  return findMailTicket(database.query, hashTicketToken(token), new Date(NOW.getTime() + seconds * 1000));
}

test.each([
  { purpose: "password_reset", path: "/login/reset", seconds: 30 * 60 },
  { purpose: "invitation", path: "/login/invitation", seconds: 7 * 24 * 3600 },
] as const)("a link of $purpose holds its token in the fragment and counts for $seconds seconds", async ({ purpose, path, seconds }) => {
  const link = await database.query
    .transaction()
    .execute((transaction) => createMailTicket(transaction, { userId, purpose, now: NOW, publicUrl: PUBLIC_URL }));
  const url = new URL(link);

  expect(url.origin + url.pathname + url.search).toBe(`${PUBLIC_URL}${path}`);
  expect(url.hash).toMatch(/^#token=[A-Za-z0-9_-]{43}$/);
  const token = url.hash.slice("#token=".length);
  expect(await find(token, seconds - 1)).toMatchObject({ userId, purpose, email: "ada@example.org" });
  expect(await find(token, seconds)).toBeUndefined();
});

test("only the hash of a token is stored", async () => {
  const token = await makeToken("password_reset");

  const rows = await database.query.selectFrom("identity.mail_tickets").selectAll().execute();

  expect(rows.some(({ token_hash: hash }) => hash.equals(hashTicketToken(token)))).toBe(true);
  expect(JSON.stringify(rows) + rows.map(({ token_hash: hash }) => hash.toString("latin1")).join()).not.toContain(token);
});

test("a link counts no more once the epoch of its account has risen", async () => {
  const token = await makeToken("invitation");

  await database.query.transaction().execute((transaction) => raiseEpoch(transaction, { id: userId, now: NOW }));

  expect(await find(token, 1)).toBeUndefined();
  expect(await find(await makeToken("invitation"), 1)).toBeDefined();
});
