import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase } from "@sightline/foundation/database";
import { createLog } from "@sightline/foundation/log";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { insertAccount } from "#accounts/account.store.ts";
import { ensureTenant } from "#accounts/tenant.store.ts";
import type { MailServer } from "#config.ts";
import { identityMigrations } from "#index.ts";
import { createSealer } from "#keys/sealing.ts";
import type { IdentitySchema, Queries } from "#schema.ts";
import { startMailServer, textOf, type TestMailServer } from "#testing/mail-server.ts";
import { createMailer, type Patience } from "./mailer.ts";
import { createNotices, type NewNotice } from "./notices.ts";
import { createOutbox } from "./outbox.ts";

const PUBLIC_URL = "https://sightline.example.org";
const AT = new Date("2026-03-01T12:00:05Z");
const LINK = `${PUBLIC_URL}/login/reset#token=a-token-that-nobody-else-may-see`;
const PASSWORD = "mail password: ünlike";

let database: TestDatabase<IdentitySchema>;
let userId: string;
let now: Date;
let lines: string[];
let opened: (() => Promise<void>)[];

const clock = { now: () => now };
const sealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]);
const log = createLog({ name: "test", level: "debug", destination: { write: (line) => void lines.push(line) } });

beforeAll(async () => {
  database = await createTestDatabase<IdentitySchema>(identityMigrations);
  userId = await addAccount("ada@example.org");
});

beforeEach(async () => {
  now = AT;
  lines = [];
  opened = [];
  await database.query.deleteFrom("identity.notices").execute();
});

afterEach(() => Promise.all(opened.map((close) => close())));

afterAll(() => database.drop());

async function addAccount(email: string): Promise<string> {
  const tenant = await ensureTenant(database.query, "default", AT);
  const plan = { tenantId: tenant.id, email, name: "Ada", role: "admin", passwordHash: "x", mustChangePassword: false, now: AT } as const;
  const account = await database.query.transaction().execute((transaction) => insertAccount(transaction, plan));
  return account?.id ?? "";
}

async function serve(...behaviour: Parameters<typeof startMailServer>): Promise<TestMailServer> {
  const server = await startMailServer(...behaviour);
  opened.push(server.close);
  return server;
}

async function append(notice: Partial<NewNotice> = {}): Promise<void> {
  const notices = createNotices({ sealer, mailed: true });
  await database.query
    .transaction()
    .execute((transaction) => notices.append(transaction, { userId, kind: "two_factor_disabled", at: now, ...notice }));
}

type Options = { readonly queries?: Queries; readonly server?: Partial<MailServer>; readonly patience?: Patience };

function outboxTo({ port }: { readonly port: number }, { queries = database.query, server, patience }: Options = {}) {
  const mailer = createMailer({
    server: { host: "127.0.0.1", port, tls: "off", user: undefined, password: undefined, ...server },
    from: { name: "Sightline, of Example", address: "sightline@example.org" },
    publicUrl: PUBLIC_URL,
    ...(patience === undefined ? {} : { patience }),
  });
  return createOutbox({ queries, sealer, mailer, publicUrl: PUBLIC_URL, log, clock });
}

function forward(seconds: number): void {
  now = new Date(now.getTime() + seconds * 1000);
}

function stored() {
  return database.query.selectFrom("identity.notices").selectAll().orderBy("id").execute();
}

describe("a notice", () => {
  test("is mailed as plain text, once, from whom and to whom it should", async () => {
    const server = await serve();
    await append({ details: { ip: "203.0.113.7" } });

    await outboxTo(server).sendDue();
    await outboxTo(server).sendDue();

    expect(server.mails).toHaveLength(1);
    const [mail] = server.mails;
    expect(mail).toMatchObject({ to: ["ada@example.org"], from: "sightline@example.org", user: undefined });
    const [row] = await stored();
    const head = mail?.source.split("\r\n\r\n")[0] ?? "";
    expect(head).toContain('From: "Sightline, of Example" <sightline@example.org>\r\n');
    expect(head).toContain("To: ada@example.org\r\n");
    expect(head).toContain("Subject: Two-factor login was switched off\r\n");
    expect(head).toContain(`Message-ID: <${row?.id}@sightline.example.org>\r\n`);
    expect(head).toContain("Auto-Submitted: auto-generated");
    expect(head).toMatch(/Content-Type: text\/plain; charset=utf-8/i);
    const text = mail === undefined ? "" : textOf(mail);
    expect(text).toContain("Two-factor login was switched off for your account.");
    expect(text).toContain("When: 2026-03-01 12:00:05 UTC");
    expect(text).toContain("From: 203.0.113.7");
    expect(row).toMatchObject({ sent_at: now, send_after: null, tries: 1, last_error: null, shown: true });
  });

  test("holds its link in the mail alone, and the link is wiped once it is sent", async () => {
    const server = await serve();
    await append({ kind: "password_reset", link: LINK });
    const before = JSON.stringify(await stored());

    await outboxTo(server).sendDue();

    const [mail] = server.mails;
    expect(mail === undefined ? "" : textOf(mail)).toContain(`\n${LINK}\n`);
    expect(before).not.toContain("a-token");
    expect(await stored()).toMatchObject([{ sealed_link: null, shown: false }]);
    expect(lines.join("")).not.toContain("a-token");
  });

  test("fifty, with three replicas at once, are sent once each", needsRealPostgres, async () => {
    const server = await serve();
    for (let index = 0; index < 50; index++) {
      await append();
    }
    const other = createDatabase<IdentitySchema>({ url: database.url, poolSize: 5, applicationName: "other", log: silentLog });

    await Promise.all([outboxTo(server), outboxTo(server, { queries: other.query }), outboxTo(server)].map((outbox) => outbox.sendDue()));
    await other.close();

    expect(server.mails).toHaveLength(50);
    expect(new Set(server.mails.map(({ source }) => /Message-ID: (\S+)/.exec(source)?.[1])).size).toBe(50);
  });

  test("of someone whose address would be two, or a header, goes nowhere", async () => {
    const server = await serve();
    for (const [index, email] of [
      "eve@example.org, all@example.org",
      "eve@example.org\r\nBcc: all@example.org",
      '"eve@example.org all"@example.org',
      "eve",
    ].entries()) {
      const evil = await addAccount(`evil-${index}@example.org`);
      await database.query.updateTable("identity.users").set({ email }).where("id", "=", evil).execute();
      await append({ userId: evil });
    }

    await outboxTo(server).sendDue();

    expect(server.mails).toEqual([]);
    expect(new Set((await stored()).map(({ last_error: error, send_after: due }) => `${error} ${due}`))).toEqual(
      new Set(["no address that mail can be sent to null"]),
    );
  });

  test("holds what people wrote in its text, never in its header or in lines of their own", async () => {
    const server = await serve();
    const reason = "lost\r\nBcc: all@example.org\r\n\r\n.\r\nMAIL FROM:<eve@example.org>\u2028x";
    await append({ kind: "two_factor_reset", details: { reason, ip: "1.2.3.4\r\nX: y" } });

    await outboxTo(server).sendDue();

    expect(server.mails).toHaveLength(1);
    const [mail] = server.mails;
    expect(mail?.to).toEqual(["ada@example.org"]);
    expect(mail?.source.split("\r\n\r\n")[0]).not.toMatch(/Bcc|X:/);
    expect(mail === undefined ? "" : textOf(mail)).toContain('("lost Bcc: all@example.org . MAIL FROM:<eve@example.org> x")');
  });
});

describe("a mail server", () => {
  test("that refuses for now is tried again later, longer each time", async () => {
    let refusals = 2;
    const server = await serve({ answer: () => (refusals-- > 0 ? { code: 451, text: "4.3.0 try again later" } : undefined) });
    await append();
    const outbox = outboxTo(server);

    await outbox.sendDue();
    expect(await stored()).toMatchObject([{ sent_at: null, tries: 1, last_error: "EMESSAGE DATA 451 4.3.0" }]);
    forward(29);
    await outbox.sendDue();
    expect(await stored()).toMatchObject([{ tries: 1 }]);
    forward(1);
    await outbox.sendDue();
    expect(await stored()).toMatchObject([{ tries: 2, sent_at: null }]);
    forward(59);
    await outbox.sendDue();
    expect(await stored()).toMatchObject([{ tries: 2 }]);
    forward(1);
    await outbox.sendDue();

    expect(server.mails).toHaveLength(1);
    expect(await stored()).toMatchObject([{ tries: 3, sent_at: now, last_error: null }]);
  });

  test("that refuses one recipient for good has the others' mail", async () => {
    const server = await serve({
      refuseRecipient: (address) => (address === "gone@example.org" ? { code: 550, text: `5.1.1 no ${address}, ${LINK}` } : undefined),
    });
    const gone = await addAccount("gone@example.org");
    await append({ userId: gone, kind: "invitation", link: LINK });
    await append();

    await outboxTo(server).sendDue();

    expect(server.mails.map(({ to }) => to)).toEqual([["ada@example.org"]]);
    expect((await stored())[0]).toMatchObject({
      send_after: null,
      sealed_link: null,
      sent_at: null,
      last_error: "EENVELOPE RCPT TO 550 5.1.1",
    });
  });

  test("that repeats what it was sent has nothing of it in our log or table", async () => {
    const server = await serve({ answer: ({ source }) => ({ code: 554, text: `5.7.1 spam: ${source.replaceAll(/\s/g, " ")}` }) });
    await append({ kind: "password_reset", link: LINK });

    await outboxTo(server).sendDue();

    const written = lines.join("") + JSON.stringify(await stored());
    expect(written).toContain("EMESSAGE DATA 554 5.7.1");
    expect(written).not.toMatch(/a-token|spam|ada@/);
  });

  test("that is not there is asked once a round, not once a mail", async () => {
    const closed = await startMailServer();
    await closed.close();
    await append();
    await append();

    await outboxTo(closed).sendDue();

    expect((await stored()).map(({ tries, last_error: error }) => [tries, error])).toEqual([
      [1, "ECONNREFUSED CONN"],
      [0, null],
    ]);
  });

  test.each([
    { silent: "after the connection", greeting: "" },
    { silent: "after its greeting", greeting: "220 mail.example.org ESMTP\r\n" },
  ])("that is silent $silent is given up, and the mail is due again", async ({ greeting }) => {
    const hanging = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(greeting);
      opened.push(async () => void socket.destroy());
    });
    hanging.listen(0, "127.0.0.1");
    await once(hanging, "listening");
    opened.push(async () => void hanging.close());
    const { port } = hanging.address() as AddressInfo;
    await append();

    await outboxTo({ port }, { patience: { connect: 150, silence: 300, send: 5_000 } }).sendDue();

    expect(await stored()).toMatchObject([{ tries: 1, sent_at: null, last_error: expect.stringMatching(/^ETIMEDOUT CONN/) }]);
  });

  test("that takes the mail and never says so is given up over all", async () => {
    const server = await serve({ answer: () => "nothing", options: { closeTimeout: 100 } });
    await append();

    await outboxTo(server, { patience: { connect: 1_000, silence: 10_000, send: 400 } }).sendDue();

    expect(await stored()).toMatchObject([{ tries: 1, sent_at: null, last_error: "EABORT" }]);
  });

  test("that never comes back is given up after half a day, and the link is wiped", async () => {
    const closed = await startMailServer();
    await closed.close();
    const outbox = outboxTo(closed);
    await append({ kind: "invitation", link: LINK });

    let rounds = 0;
    while ((await stored())[0]?.send_after !== null) {
      await outbox.sendDue();
      forward(600);
      rounds += 1;
    }

    expect(rounds * 600).toBeGreaterThan(12 * 3600 - 7200);
    expect(rounds * 600).toBeLessThan(24 * 3600);
    expect(await stored()).toMatchObject([{ tries: 12, sealed_link: null, last_error: "ECONNREFUSED CONN" }]);
    expect(lines.at(-1)).toContain("giving up");
  });

  test("that comes back too late for a link does not get it", async () => {
    const server = await serve();
    await append({ kind: "password_reset", link: LINK });
    forward(30 * 60);

    await outboxTo(server).sendDue();

    expect(server.mails).toEqual([]);
    expect(await stored()).toMatchObject([{ send_after: null, sealed_link: null }]);
  });

  test("without TLS gets neither password nor mail where TLS is asked for", async () => {
    const server = await serve();
    await append();

    await outboxTo(server, { server: { tls: "required", user: "ada", password: PASSWORD } }).sendDue();

    expect(server.mails).toEqual([]);
    expect(await stored()).toMatchObject([{ sent_at: null, last_error: expect.stringContaining("STARTTLS") }]);
  });

  test("with a certificate that nobody vouches for gets nothing", async () => {
    const server = await serve({ options: { disabledCommands: [] } });
    await append();

    await outboxTo(server, { server: { tls: "required", host: "localhost" } }).sendDue();

    expect(server.mails).toEqual([]);
    expect(await stored()).toMatchObject([{ sent_at: null, tries: 1, last_error: expect.stringMatching(/CERT|ETLS|SELF_SIGNED|ERR_TLS/) }]);
  });

  test("is told user and password where there are any, and a wrong one is in no log", async () => {
    const server = await serve();
    await append();
    await outboxTo(server, { server: { user: "ada", password: PASSWORD } }).sendDue();
    expect(server.mails[0]?.user).toBe(`ada:${PASSWORD}`);

    const strict = await serve({
      options: { onAuth: ({ password }, _session, done) => done(new Error(`no such password: ${password}`)) },
    });
    await append();
    await outboxTo(strict, { server: { user: "ada", password: PASSWORD } }).sendDue();

    const written = lines.join("") + JSON.stringify(await stored());
    expect(written).toMatch(/EAUTH AUTH PLAIN 535/);
    expect(written).not.toContain("ünlike");
    expect(written).not.toContain(Buffer.from(PASSWORD).toString("base64").slice(2, -4));
  });
});

test(
  "a process killed after the server has the mail, and before it noted so, has it sent again under the same id",
  needsRealPostgres,
  async () => {
    now = new Date();
    const killed: { source: string }[] = [];
    const server = await serve({
      answer: (mail) => {
        if (killed.length > 0) {
          return undefined;
        }
        killed.push(mail);
        child.kill("SIGKILL");
        return "nothing";
      },
      options: { closeTimeout: 100 },
    });
    await append({ kind: "password_reset", link: LINK });
    const script = fileURLToPath(new URL("../testing/send-due-notices.ts", import.meta.url));
    const child = spawn(process.execPath, [script, database.url, String(server.port)], { stdio: "inherit" });
    await once(child, "exit");

    forward(60);
    await outboxTo(server).sendDue();
    expect(server.mails).toEqual([]);
    forward(5 * 60);
    await outboxTo(server).sendDue();

    const idOf = (mail: { source: string } | undefined) => /Message-ID: (\S+)/.exec(mail?.source ?? "")?.[1];
    expect(server.mails).toHaveLength(1);
    expect(idOf(server.mails[0])).toBe(idOf(killed[0]));
    expect(await stored()).toMatchObject([{ tries: 2, sealed_link: null }]);
  },
);

test("a stop lets the mail at hand go out and begins no other", async () => {
  const server = await serve({
    answer: () => {
      stopped ??= outbox.stop();
      return undefined;
    },
  });
  let stopped: Promise<void> | undefined;
  const outbox = outboxTo(server);
  await append();
  await append();

  await outbox.sendDue();
  await stopped;

  expect(server.mails).toHaveLength(1);
  expect((await stored()).map(({ tries }) => tries)).toEqual([1, 0]);
});
