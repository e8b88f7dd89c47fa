import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAccount, createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { codeOf, enableSecondFactor, partialTokenOf, verifyCode, type EnabledSecondFactor } from "#testing/second-factor.ts";

const EMAIL = "ada@example.org";

let subject: IdentityFixture;
let ada: EnabledSecondFactor;

beforeEach(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, EMAIL);
  ada = await enableSecondFactor(subject, EMAIL);
});

afterEach(() => subject.close());

const firstStep = () => partialTokenOf(subject.server, EMAIL);
const user = () => subject.database.query.selectFrom("identity.users").selectAll().where("id", "=", ada.userId).executeTakeFirstOrThrow();
const sessions = () => subject.database.query.selectFrom("identity.sessions").selectAll().execute();

describe("twenty at once, over two replicas", () => {
  async function atOnce(send: (server: IdentityFixture["server"], index: number) => ReturnType<typeof verifyCode>) {
    const { server: other } = await subject.replica();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index % 2 === 0 ? subject.server : other, index)));
    return answers.map(({ statusCode }) => statusCode);
  }

  test("one partial token opens one session", needsRealPostgres, async () => {
    const token = await firstStep();

    const statuses = await atOnce((server, index) => verifyCode(server, token, ada.backupCodes[index % 10] ?? ""));

    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await sessions()).toHaveLength(1);
    expect((await user()).totp_backup_codes).toHaveLength(9);
  });

  test("one code of the app opens one session", needsRealPostgres, async () => {
    const tokens = [await firstStep(), await firstStep(), await firstStep()];
    const typed = codeOf(ada.secret, subject.clock);

    const statuses = await atOnce((server, index) => verifyCode(server, tokens[index % 3] ?? "", typed));

    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await sessions()).toHaveLength(1);
  });

  test("one backup code opens one session", needsRealPostgres, async () => {
    const tokens = [await firstStep(), await firstStep(), await firstStep()];

    const statuses = await atOnce((server, index) => verifyCode(server, tokens[index % 3] ?? "", ada.backupCodes[0] ?? ""));

    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await sessions()).toHaveLength(1);
    expect((await user()).totp_backup_codes).toHaveLength(9);
  });
});
