import type { Routes } from "@sightline/foundation/http/http-server";
import { readConfig } from "@sightline/foundation/config";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { identityVariables } from "#config.ts";
import { createSealer } from "#keys/sealed-values.ts";
import {
  accessTokenOf,
  cookieOf,
  createAccount,
  createIdentityFixture,
  logIn,
  PASSWORD,
  SECRETS,
  type IdentityFixture,
} from "./identity-fixture.ts";
import { assertNothingLeaked } from "./leak-scan.ts";
import { createRecording } from "./recording.ts";

const EMAIL = "ada@example.org";
const TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

/** Routes that do what no route may do: repeat what they are told, in the answer and in the log. */
const leaking: Routes = (server) => {
  const any = z.record(z.string(), z.string());
  server.post("/planted/echo", { config: { auth: "public" }, schema: { body: any, response: { 200: any } } }, (request) =>
    Object.fromEntries(Object.entries(request.body).map(([name, value]) => [`your_${name}`, value])),
  );
  server.post("/planted/log", { config: { auth: "public" }, schema: { body: any } }, async (request) => {
    request.log.info({ heard: Object.values(request.body) }, "planted");
    return {};
  });
};

const planted: readonly (readonly [string, string, (subject: IdentityFixture) => Promise<unknown>])[] = [
  [
    "a password in a log line",
    'password in the log line "planted"',
    ({ server }) => tell(server, "log", { password: "nine violet umbrellas" }),
  ],
  ["a password in an answer", "password in the answer of POST /planted/echo", ({ server }) => tell(server, "echo", { password: PASSWORD })],
  [
    "an access token in an answer",
    "access_token in the answer of POST /planted/echo",
    async ({ server }) => tell(server, "echo", { note: await accessTokenOf(server, EMAIL) }),
  ],
  [
    "the signature of an access token in a log line",
    'access_token in the log line "planted"',
    async ({ server }) => tell(server, "log", { note: (await accessTokenOf(server, EMAIL)).split(".")[2] ?? "" }),
  ],
  [
    "a refresh token in a log line",
    'cookie in the log line "planted"',
    async ({ server }) => tell(server, "log", { note: cookieOf(await logIn(server, EMAIL)).split("=")[1] ?? "" }),
  ],
  [
    "a code in the audit",
    "sent code in identity.audit.details",
    async ({ server, database }) => {
      await tell(server, "log", { code: "493021" });
      await writeToAudit(database, { tried: "code 493021" });
    },
  ],
  [
    "a stored hash in the audit",
    "password_hash in identity.audit.details",
    async ({ database }) => {
      const user = await database.query.selectFrom("identity.users").select("password_hash").executeTakeFirstOrThrow();
      await writeToAudit(database, { hash: user.password_hash });
    },
  ],
  [
    "a sealed secret, opened, in a counter's key",
    "opened totp_secret in identity.throttles.key",
    async ({ database }) => {
      await storeSecret(database);
      await writeToThrottles(database, `2fa ${TOTP_SECRET}`);
    },
  ],
  [
    "a backup code's hash without its selector in a counter's key",
    "totp_backup_codes in identity.throttles.key",
    async ({ database }) => {
      const hash = `$2b$10$${"a".repeat(53)}`;
      await database.query
        .updateTable("identity.users")
        .set({ totp_backup_codes: [`K7:${hash}`] })
        .execute();
      await writeToThrottles(database, hash);
    },
  ],
  [
    "a plain token in the column for its hash",
    "sent partial_token in identity.mail_tickets.token_hash",
    async ({ server, database }) => {
      const token = Buffer.from("a partial token of thirty-two by");
      await tell(server, "log", {});
      await server.inject({ method: "POST", url: "/planted/log", payload: { partial_token: token.toString("base64url") } });
      const user = await database.query.selectFrom("identity.users").select("id").executeTakeFirstOrThrow();
      const now = new Date();
      const ticket = { token_hash: token, user_id: user.id, purpose: "invitation" as const, epoch: 0, created_at: now, expires_at: now };
      await database.query.insertInto("identity.mail_tickets").values(ticket).execute();
    },
  ],
  [
    "the key that seals, in a log line",
    'key of the ring in the log line "planted"',
    ({ server }) => tell(server, "log", { note: SECRETS.ENCRYPTION_KEYS }),
  ],
];

describe("the scan of what a test produced", () => {
  test.each(planted)("finds %s", async (_what, found, plant) => {
    const subject = await createIdentityFixture({ routes: [leaking] });
    await createAccount(subject.identity, EMAIL);
    await plant(subject);
    await expect(subject.close()).rejects.toThrow(found);
  });

  test("finds what is shown a second time, even where it may be shown", async () => {
    const subject = await createIdentityFixture();
    const body = JSON.stringify({ secret: TOTP_SECRET });
    const exchange = { route: "POST /admin/2fa/setup", sent: { body: null, authorization: "", cookie: "" }, body, headers: {} };
    const recording = { ...createRecording(), exchanges: [exchange, exchange] };
    const scan = assertNothingLeaked({ recording, pool: subject.database.pool, configs: [], passwords: [] });
    await expect(scan).rejects.toThrow("secret a second time in the answer of POST /admin/2fa/setup");
    await subject.close();
  });

  test("never shows what it found", async () => {
    const subject = await createIdentityFixture({ routes: [leaking] });
    await tell(subject.server, "echo", { password: PASSWORD });
    await expect(subject.close()).rejects.not.toThrow(PASSWORD);
  });

  test("finds nothing where each secret stands in its place only", async () => {
    const subject = await createIdentityFixture({ routes: [leaking] });
    await createAccount(subject.identity, EMAIL);
    await logIn(subject.server, EMAIL);
    await logIn(subject.server, EMAIL, "not the right password");
    await storeSecret(subject.database);
    await expect(subject.close()).resolves.toBeUndefined();
  });
});

type Database = IdentityFixture["database"];

function tell(server: IdentityFixture["server"], how: "echo" | "log", payload: Readonly<Record<string, string>>) {
  return server.inject({ method: "POST", url: `/planted/${how}`, payload });
}

async function writeToAudit({ query }: Database, details: Readonly<Record<string, string>>): Promise<void> {
  await query
    .insertInto("identity.audit")
    .values({ id: 1_000, at: new Date(), event: "login_ok", details, hash: Buffer.alloc(32) })
    .execute();
}

async function writeToThrottles({ query }: Database, key: string): Promise<void> {
  await query.insertInto("identity.throttles").values({ key, tries: 1, blocked_until: null, expires_at: new Date() }).execute();
}

async function storeSecret({ query }: Database): Promise<void> {
  const config = readConfig(identityVariables, { DATABASE_URL: "postgres://nowhere/none", ...SECRETS });
  const { id } = await query.selectFrom("identity.users").select("id").executeTakeFirstOrThrow();
  const sealed = createSealer(config.ENCRYPTION_KEYS).seal(Buffer.from(TOTP_SECRET), { purpose: "users.totp_secret", subject: id });
  await query.updateTable("identity.users").set({ totp_secret: sealed }).where("id", "=", id).execute();
}
