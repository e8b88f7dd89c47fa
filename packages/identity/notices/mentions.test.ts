import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { textOf } from "#testing/mail-server.ts";
import { createOutboxFixture, PUBLIC_URL, type OutboxFixture } from "#testing/outbox-fixture.ts";
import { createTelling } from "#telling.ts";

let subject: OutboxFixture;

beforeAll(async () => {
  subject = await createOutboxFixture();
});
afterEach(() => subject.reset());
afterAll(() => subject.close());

test("a mention is one notice and one mail, however often it is told, with the way to the comment and none of its words", async () => {
  const [userId, by] = [await subject.addAccount("bea@example.org"), await subject.addAccount("carl@example.org")];
  const mention = { id: uuidv7(), userId, by, at: subject.clock.now(), project: "support\nteam", path: "/projects/p/traces/t" };
  const { tellMention } = createTelling({ queries: subject.database.query, mailed: true });
  const server = await subject.serve();
  await Promise.all([tellMention(mention), tellMention(mention)]);
  await subject.outboxTo(server).sendDue();
  await tellMention(mention);
  await subject.outboxTo(server).sendDue();
  await tellMention({ ...mention, id: uuidv7(), userId: uuidv7() });
  expect(await subject.stored()).toMatchObject([{ id: mention.id, user_id: userId, kind: "comment_mention", shown: true }]);
  expect(server.mails).toMatchObject([{ to: ["bea@example.org"] }]);
  const text = server.mails.map(textOf).join("");
  expect(text).toMatch(/ mentioned you in a comment in the project support team\.\n/);
  expect(text).toContain(`\n${PUBLIC_URL}/projects/p/traces/t\n`);
  expect(text).not.toContain("change your password");
});

test("without a mail server it waits in the console alone", async () => {
  const userId = await subject.addAccount("dora@example.org");
  const mention = { id: uuidv7(), userId, by: uuidv7(), at: subject.clock.now(), project: "support", path: "/projects/p/traces/t" };
  await createTelling({ queries: subject.database.query, mailed: false }).tellMention(mention);
  expect(await subject.stored()).toMatchObject([{ send_after: null, details: { by: "Somebody", path: "/projects/p/traces/t" } }]);
});
