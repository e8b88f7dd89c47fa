import { hash as hashCode } from "@node-rs/bcrypt";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, createIdentityUnderTest, logIn, PASSWORD, type IdentityUnderTest } from "#testing/identity-under-test.ts";
import { codeOf, enableSecondFactor, verifyCode, weakenPasswords, wrongCodeOf, type EnabledSecondFactor } from "#testing/second-factor.ts";

const EMAIL = "ada@example.org";

type Call =
  | { readonly do: "password"; readonly right: boolean }
  | { readonly do: "code"; readonly token: number; readonly kind: CodeKind }
  | { readonly do: "wait"; readonly seconds: number };

type CodeKind =
  | { readonly of: "step"; readonly distance: number }
  | { readonly of: "backup"; readonly index: number }
  | { readonly of: "repeat"; readonly index: number }
  | { readonly of: "other-user" | "wrong" | "noise" };

const codeKind: fc.Arbitrary<CodeKind> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ of: fc.constant("step" as const), distance: fc.constantFrom(-2, -1, 0, 0, 0, 1, 2) }) },
  { weight: 2, arbitrary: fc.record({ of: fc.constant("backup" as const), index: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ of: fc.constant("repeat" as const), index: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ of: fc.constantFrom("other-user" as const, "wrong" as const, "noise" as const) }) },
);

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("password" as const), right: fc.constantFrom(true, true, true, false) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("code" as const), token: fc.constantFrom(0, 0, 0, 1, 2, 3), kind: codeKind }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 15, 30, 60, 299, 300, 900) }) },
);

let subject: IdentityUnderTest;
let ada: EnabledSecondFactor;
let bea: EnabledSecondFactor;
let backupHashes: readonly string[];

beforeAll(async () => {
  subject = await createIdentityUnderTest();
  await createAccount(subject.identity, EMAIL);
  await createAccount(subject.identity, "bea@example.org");
  ada = await enableSecondFactor(subject, EMAIL);
  bea = await enableSecondFactor(subject, "bea@example.org");
  // The same rules at the least cost, or the sequences would take hours.
  await weakenPasswords(subject);
  backupHashes = await Promise.all(
    ada.backupCodes.map(async (code) => `${code.slice(0, 2)}:${await hashCode(code.replaceAll("-", ""), { cost: 4 })}`),
  );
});

afterAll(() => subject.close());

/** As on the first day, and a day later, so that no code of the sequence before is good. */
async function startOver(): Promise<void> {
  subject.clock.forward(86_400);
  const { query } = subject.database;
  for (const table of [
    "identity.sessions",
    "identity.partial_tokens",
    "identity.throttles",
    "identity.second_factor_counters",
    "identity.second_factor_tries",
  ] as const) {
    await query.deleteFrom(table).execute();
  }
  await query
    .updateTable("identity.users")
    .set({ totp_last_step: null, totp_backup_codes: [...backupHashes], must_change_password: false })
    .where("id", "=", ada.userId)
    .execute();
}

/** What the rules allow: kept beside the real thing, from its answers alone. */
type Model = {
  readonly tokens: { readonly token: string; readonly until: number; used: boolean }[];
  readonly typed: string[];
  lastStep: number;
  readonly usedBackupCodes: Set<string>;
  sessions: number;
};

const seconds = () => subject.clock.now().getTime() / 1000;

function typedOf(kind: CodeKind, { typed }: Model): string {
  switch (kind.of) {
    case "step":
      return codeOf(ada.secret, subject.clock, kind.distance * 30);
    case "backup":
      return ada.backupCodes[kind.index] ?? "";
    case "repeat":
      return typed[kind.index % Math.max(typed.length, 1)] ?? "000000";
    case "other-user":
      return codeOf(bea.secret, subject.clock);
    case "wrong":
      return wrongCodeOf(ada.secret, subject.clock);
    case "noise":
      return "ZZZZ-ZZZZ-ZZZZ-ZZZZ";
  }
}

/** Which of the steps that are good now the code belongs to. */
function stepOf(code: string): number | undefined {
  const now = Math.floor(seconds() / 30);
  return [-1, 0, 1].map((distance) => now + distance).find((step) => codeOf(ada.secret, subject.clock, (step - now) * 30) === code);
}

async function perform(step: Call, model: Model): Promise<void> {
  if (step.do === "wait") {
    subject.clock.forward(step.seconds);
    return;
  }
  if (step.do === "password") {
    const answer = await logIn(subject.server, EMAIL, step.right ? PASSWORD : "not the password");
    const body = answer.json<{ partial_token?: string; access_token?: string }>();
    expect(body.access_token).toBeUndefined();
    expect(answer.cookies).toEqual([]);
    expect(body.partial_token === undefined || step.right).toBe(true);
    if (body.partial_token !== undefined) {
      model.tokens.push({ token: body.partial_token, until: seconds() + 300, used: false });
    }
    return;
  }
  const token = model.tokens.at(-1 - step.token);
  const typed = typedOf(step.kind, model);
  model.typed.push(typed);
  const answer = await verifyCode(subject.server, token?.token ?? "made up", typed);
  if (answer.statusCode !== 200) {
    expect([401, 429]).toContain(answer.statusCode);
    expect(answer.cookies).toEqual([]);
    return;
  }
  expect(token).toMatchObject({ used: false });
  expect(seconds()).toBeLessThan(token?.until ?? 0);
  if (answer.json<{ method: string }>().method === "totp") {
    const accepted = stepOf(typed) ?? 0;
    expect(accepted).toBeGreaterThan(model.lastStep);
    model.lastStep = accepted;
  } else {
    expect(ada.backupCodes).toContain(typed);
    expect(model.usedBackupCodes.has(typed)).toBe(false);
    model.usedBackupCodes.add(typed);
  }
  if (token !== undefined) {
    token.used = true;
  }
  model.sessions++;
}

test(
  "no sequence of calls gives a full session without the password and a fresh step or an unused code",
  { timeout: 120_000 },
  async () => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 30 }), async (calls) => {
        await startOver();
        const model: Model = { tokens: [], typed: [], lastStep: 0, usedBackupCodes: new Set(), sessions: 0 };
        for (const step of calls) {
          await perform(step, model);
        }
        const rows = await subject.database.query.selectFrom("identity.sessions").select("id").execute();
        expect(rows).toHaveLength(model.sessions);
        opened += model.sessions;
      }),
      { numRuns: 50 },
    );
    // Else the sequences would have shown nothing.
    expect(opened).toBeGreaterThan(20);
  },
);
