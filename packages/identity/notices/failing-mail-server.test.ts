import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startMailServer } from "#testing/mail-server.ts";
import { createOutboxFixture, PUBLIC_URL, type OutboxFixture } from "#testing/outbox-fixture.ts";

let subject: OutboxFixture;

const LINK = `${PUBLIC_URL}/login/reset#token=a-token-that-nobody-else-may-see`;
const PASSWORD = "mail password: ünlike";

beforeAll(async () => {
  subject = await createOutboxFixture();
});

afterEach(() => subject.reset());

afterAll(() => subject.close());

describe("a mail server", () => {
  test("that refuses for now is tried again later, longer each time", async () => {
    let refusals = 2;
    const server = await subject.serve({ answer: () => (refusals-- > 0 ? { code: 451, text: "4.3.0 try again later" } : undefined) });
    await subject.append();
    const outbox = subject.outboxTo(server);

    await outbox.sendDue();
    expect(await subject.stored()).toMatchObject([{ sent_at: null, tries: 1, last_error: "EMESSAGE DATA 451 4.3.0" }]);
    subject.forward(29);
    await outbox.sendDue();
    expect(await subject.stored()).toMatchObject([{ tries: 1 }]);
    subject.forward(1);
    await outbox.sendDue();
    expect(await subject.stored()).toMatchObject([{ tries: 2, sent_at: null }]);
    subject.forward(59);
    await outbox.sendDue();
    expect(await subject.stored()).toMatchObject([{ tries: 2 }]);
    subject.forward(1);
    await outbox.sendDue();

    expect(server.mails).toHaveLength(1);
    expect(await subject.stored()).toMatchObject([{ tries: 3, sent_at: subject.clock.now(), last_error: null }]);
  });

  test("that refuses one recipient for good has the others' mail", async () => {
    const server = await subject.serve({
      refuseRecipient: (address) => (address === "gone@example.org" ? { code: 550, text: `5.1.1 no ${address}, ${LINK}` } : undefined),
    });
    const gone = await subject.addAccount("gone@example.org");
    await subject.append({ userId: gone, kind: "invitation", link: LINK });
    await subject.append();

    await subject.outboxTo(server).sendDue();

    expect(server.mails.map(({ to }) => to)).toEqual([["ada@example.org"]]);
    expect((await subject.stored())[0]).toMatchObject({
      send_after: null,
      sealed_link: null,
      sent_at: null,
      last_error: "EENVELOPE RCPT TO 550 5.1.1",
    });
  });

  test("that repeats what it was sent has nothing of it in our log or table", async () => {
    const server = await subject.serve({ answer: ({ source }) => ({ code: 554, text: `5.7.1 spam: ${source.replaceAll(/\s/g, " ")}` }) });
    await subject.append({ kind: "password_reset", link: LINK });

    await subject.outboxTo(server).sendDue();

    const written = subject.lines.join("") + JSON.stringify(await subject.stored());
    expect(written).toContain("EMESSAGE DATA 554 5.7.1");
    expect(written).not.toMatch(/a-token|spam|ada@/);
  });

  test("that is not there is asked once a round, not once a mail", async () => {
    const closed = await startMailServer();
    await closed.close();
    await subject.append();
    await subject.append();

    await subject.outboxTo(closed).sendDue();

    expect((await subject.stored()).map(({ tries, last_error: error }) => [tries, error])).toEqual([
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
      subject.closeLater(async () => void socket.destroy());
    });
    hanging.listen(0, "127.0.0.1");
    await once(hanging, "listening");
    subject.closeLater(async () => void hanging.close());
    const { port } = hanging.address() as AddressInfo;
    await subject.append();

    await subject.outboxTo({ port }, { patience: { connect: 150, silence: 300, send: 5_000 } }).sendDue();

    expect(await subject.stored()).toMatchObject([{ tries: 1, sent_at: null, last_error: expect.stringMatching(/^ETIMEDOUT CONN/) }]);
  });

  test("that takes the mail and never says so is given up over all", async () => {
    const server = await subject.serve({ answer: () => "nothing", options: { closeTimeout: 100 } });
    await subject.append();

    await subject.outboxTo(server, { patience: { connect: 1_000, silence: 10_000, send: 400 } }).sendDue();

    expect(await subject.stored()).toMatchObject([{ tries: 1, sent_at: null, last_error: "EABORT" }]);
  });

  test("that never comes back is given up after half a day, and the link is wiped", async () => {
    const closed = await startMailServer();
    await closed.close();
    const outbox = subject.outboxTo(closed);
    await subject.append({ kind: "invitation", link: LINK });

    let rounds = 0;
    while ((await subject.stored())[0]?.send_after !== null) {
      await outbox.sendDue();
      subject.forward(600);
      rounds += 1;
    }

    expect(rounds * 600).toBeGreaterThan(12 * 3600 - 7200);
    expect(rounds * 600).toBeLessThan(24 * 3600);
    expect(await subject.stored()).toMatchObject([{ tries: 12, sealed_link: null, last_error: "ECONNREFUSED CONN" }]);
    expect(subject.lines.at(-1)).toContain("giving up");
  });

  test("that comes back too late for a link does not get it", async () => {
    const server = await subject.serve();
    await subject.append({ kind: "password_reset", link: LINK });
    subject.forward(30 * 60);

    await subject.outboxTo(server).sendDue();

    expect(server.mails).toEqual([]);
    expect(await subject.stored()).toMatchObject([{ send_after: null, sealed_link: null }]);
  });

  test("without TLS gets neither password nor mail where TLS is asked for", async () => {
    const server = await subject.serve();
    await subject.append();

    await subject.outboxTo(server, { server: { tls: "required", user: "ada", password: PASSWORD } }).sendDue();

    expect(server.mails).toEqual([]);
    expect(await subject.stored()).toMatchObject([{ sent_at: null, last_error: expect.stringContaining("STARTTLS") }]);
  });

  test("with a certificate that nobody vouches for gets nothing", async () => {
    const server = await subject.serve({ options: { disabledCommands: [] } });
    await subject.append();

    await subject.outboxTo(server, { server: { tls: "required", host: "localhost" } }).sendDue();

    expect(server.mails).toEqual([]);
    expect(await subject.stored()).toMatchObject([
      { sent_at: null, tries: 1, last_error: expect.stringMatching(/CERT|ETLS|SELF_SIGNED|ERR_TLS/) },
    ]);
  });

  test("is told user and password where there are any, and a wrong one is in no log", async () => {
    const server = await subject.serve();
    await subject.append();
    await subject.outboxTo(server, { server: { user: "ada", password: PASSWORD } }).sendDue();
    expect(server.mails[0]?.user).toBe(`ada:${PASSWORD}`);

    const strict = await subject.serve({
      options: { onAuth: ({ password }, _session, done) => done(new Error(`no such password: ${password}`)) },
    });
    await subject.append();
    await subject.outboxTo(strict, { server: { user: "ada", password: PASSWORD } }).sendDue();

    const written = subject.lines.join("") + JSON.stringify(await subject.stored());
    expect(written).toMatch(/EAUTH AUTH PLAIN 535/);
    expect(written).not.toContain("ünlike");
    expect(written).not.toContain(Buffer.from(PASSWORD).toString("base64").slice(2, -4));
  });
});
