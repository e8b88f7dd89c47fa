import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import type { IdentitySchema } from "#schema.ts";
import { textOf } from "#testing/mail-server.ts";
import { createOutboxFixture, PUBLIC_URL, type OutboxFixture } from "#testing/outbox-fixture.ts";

let subject: OutboxFixture;

const LINK = `${PUBLIC_URL}/login/reset#token=a-token-that-nobody-else-may-see`;

beforeAll(async () => {
  subject = await createOutboxFixture();
});

afterEach(() => subject.reset());

afterAll(() => subject.close());

describe("a notice", () => {
  test("is mailed as plain text, once, from whom and to whom it should", async () => {
    const server = await subject.serve();
    await subject.append({ details: { ip: "203.0.113.7" } });

    await subject.outboxTo(server).sendDue();
    await subject.outboxTo(server).sendDue();

    expect(server.mails).toHaveLength(1);
    const [mail] = server.mails;
    expect(mail).toMatchObject({ to: ["ada@example.org"], from: "sightline@example.org", user: undefined });
    const [row] = await subject.stored();
    const head = mail?.source.split("\r\n\r\n")[0] ?? "";
    expect(head).toContain('From: "Sightline, of Example" <sightline@example.org>\r\n');
    expect(head).toContain("To: ada@example.org\r\n");
    expect(head).toContain("Subject: Two-factor authentication (2FA) was turned off\r\n");
    expect(head).toContain(`Message-ID: <${row?.id}@sightline.example.org>\r\n`);
    expect(head).toContain("Auto-Submitted: auto-generated");
    expect(head).toMatch(/Content-Type: text\/plain; charset=utf-8/i);
    const text = mail === undefined ? "" : textOf(mail);
    expect(text).toContain("Two-factor authentication (2FA) was turned off for your account.");
    expect(text).toContain("When: 2026-03-01 12:00:05 UTC");
    expect(text).toContain("From: 203.0.113.7");
    expect(row).toMatchObject({ sent_at: subject.clock.now(), send_after: null, tries: 1, last_error: null, shown: true });
  });

  test("holds its link in the mail alone, and the link is wiped once it is sent", async () => {
    const server = await subject.serve();
    await subject.append({ kind: "password_reset", link: LINK });
    const before = JSON.stringify(await subject.stored());

    await subject.outboxTo(server).sendDue();

    const [mail] = server.mails;
    expect(mail === undefined ? "" : textOf(mail)).toContain(`\n${LINK}\n`);
    expect(before).not.toContain("a-token");
    expect(await subject.stored()).toMatchObject([{ sealed_link: null, shown: false }]);
    expect(subject.lines.join("")).not.toContain("a-token");
  });

  test("fifty, with three replicas at once, are sent once each", needsRealPostgres, async () => {
    const server = await subject.serve();
    for (let index = 0; index < 50; index++) {
      await subject.append();
    }
    const other = createDatabase<IdentitySchema>({ url: subject.database.url, poolSize: 5, applicationName: "other", log: silentLog });

    await Promise.all(
      [subject.outboxTo(server), subject.outboxTo(server, { queries: other.query }), subject.outboxTo(server)].map((outbox) =>
        outbox.sendDue(),
      ),
    );
    await other.close();

    expect(server.mails).toHaveLength(50);
    expect(new Set(server.mails.map(({ source }) => /Message-ID: (\S+)/.exec(source)?.[1])).size).toBe(50);
  });

  test("of someone whose address would be two, or a header, goes nowhere", async () => {
    const server = await subject.serve();
    for (const [index, email] of [
      "eve@example.org, all@example.org",
      "eve@example.org\r\nBcc: all@example.org",
      '"eve@example.org all"@example.org',
      "eve",
    ].entries()) {
      const evil = await subject.addAccount(`evil-${index}@example.org`);
      await subject.database.query.updateTable("identity.users").set({ email }).where("id", "=", evil).execute();
      await subject.append({ userId: evil });
    }

    await subject.outboxTo(server).sendDue();

    expect(server.mails).toEqual([]);
    for (const row of await subject.stored()) {
      expect(row).toMatchObject({ last_error: "no address that mail can be sent to", send_after: null });
    }
  });

  test("holds what people wrote in its text, never in its header or in lines of their own", async () => {
    const server = await subject.serve();
    const reason = "lost\r\nBcc: all@example.org\r\n\r\n.\r\nMAIL FROM:<eve@example.org>\u2028x";
    await subject.append({ kind: "two_factor_reset", details: { reason, ip: "1.2.3.4\r\nX: y" } });

    await subject.outboxTo(server).sendDue();

    expect(server.mails).toHaveLength(1);
    const [mail] = server.mails;
    expect(mail?.to).toEqual(["ada@example.org"]);
    expect(mail?.source.split("\r\n\r\n")[0]).not.toMatch(/Bcc|X:/);
    expect(mail === undefined ? "" : textOf(mail)).toContain('("lost Bcc: all@example.org . MAIL FROM:<eve@example.org> x")');
  });
});

test(
  "a process killed after the server has the mail, and before it noted so, has it sent again under the same id",
  needsRealPostgres,
  async () => {
    subject.setTime(new Date());
    const killed: { source: string }[] = [];
    const server = await subject.serve({
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
    await subject.append({ kind: "password_reset", link: LINK });
    const script = fileURLToPath(new URL("../testing/send-due-notices.ts", import.meta.url));
    const child = spawn(process.execPath, [script, subject.database.url, String(server.port)], { stdio: "inherit" });
    await once(child, "exit");

    subject.forward(60);
    await subject.outboxTo(server).sendDue();
    expect(server.mails).toEqual([]);
    subject.forward(5 * 60);
    await subject.outboxTo(server).sendDue();

    const idOf = (mail: { source: string } | undefined) => /Message-ID: (\S+)/.exec(mail?.source ?? "")?.[1];
    expect(server.mails).toHaveLength(1);
    expect(idOf(server.mails[0])).toBe(idOf(killed[0]));
    expect(await subject.stored()).toMatchObject([{ tries: 2, sealed_link: null }]);
  },
);

test("a stop lets the mail at hand go out and begins no other", async () => {
  const server = await subject.serve({
    answer: () => {
      stopped ??= outbox.stop();
      return undefined;
    },
  });
  let stopped: Promise<void> | undefined;
  const outbox = subject.outboxTo(server);
  await subject.append();
  await subject.append();

  await outbox.sendDue();
  await stopped;

  expect(server.mails).toHaveLength(1);
  expect((await subject.stored()).map(({ tries }) => tries)).toEqual([1, 0]);
});
