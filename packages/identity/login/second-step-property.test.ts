import { hash as hashCode } from "@node-rs/bcrypt";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
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

let subject: IdentityFixture;
let ada: EnabledSecondFactor;
let bea: EnabledSecondFactor;
let backupHashes: readonly string[];

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, EMAIL);
  await createAccount(subject.identity, "bea@example.org");
  ada = await enableSecondFactor(subject, EMAIL);
  bea = await enableSecondFactor(subject, "bea@example.org");
  // Hashes cost as little as they can, or the sequences would take hours.
  await weakenPasswords(subject);
  backupHashes = await Promise.all(
    ada.backupCodes.map(async (code) => `${code.slice(0, 2)}:${await hashCode(code.replaceAll("-", ""), { cost: 4 })}`),
  );
});

afterAll(() => subject.close());

/** Resets everything, a day later, so that no code of the sequence before is good. */
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

/** A model of the rules, kept from the server's answers alone. */
type Model = {
  readonly tokens: { readonly token: string; readonly until: number; used: boolean }[];
  readonly typed: string[];
  lastStep: number;
  readonly usedBackupCodes: Set<string>;
  sessions: number;
  /** The answers that the rules forbid. */
  readonly violations: string[];
};

const seconds = () => subject.clock.now().getTime() / 1000;

function typedOf(kind: CodeKind, { typed }: Model): string {
  if (kind.of === "step") {
    return codeOf(ada.secret, subject.clock, kind.distance * 30);
  }
  if (kind.of === "backup") {
    return ada.backupCodes[kind.index] ?? "";
  }
  if (kind.of === "repeat") {
    return typed[kind.index % Math.max(typed.length, 1)] ?? "000000";
  }
  const codes = {
    "other-user": codeOf(bea.secret, subject.clock),
    wrong: wrongCodeOf(ada.secret, subject.clock),
    noise: "ZZZZ-ZZZZ-ZZZZ-ZZZZ",
  };
  return codes[kind.of];
}

/** Which of the steps that are good now the code belongs to. */
function stepOf(code: string): number | undefined {
  const now = Math.floor(seconds() / 30);
  return [-1, 0, 1].map((distance) => now + distance).find((step) => codeOf(ada.secret, subject.clock, (step - now) * 30) === code);
}

async function showPassword(isRight: boolean, { tokens, violations }: Model): Promise<void> {
  const answer = await logIn(subject.server, EMAIL, isRight ? PASSWORD : "not the password");
  const { partial_token: token, access_token: access } = answer.json<{ partial_token?: string; access_token?: string }>();
  if (access !== undefined || answer.cookies.length > 0) {
    violations.push("a session for a password alone");
  }
  if (token !== undefined) {
    tokens.push({ token, until: seconds() + 300, used: false });
    violations.push(...(isRight ? [] : ["a partial token for a wrong password"]));
  }
}

async function showCode(back: number, kind: CodeKind, model: Model): Promise<void> {
  const { tokens, typed, usedBackupCodes, violations } = model;
  const token = tokens.at(-1 - back);
  const code = typedOf(kind, model);
  typed.push(code);
  const answer = await verifyCode(subject.server, token?.token ?? "made up", code);
  if (answer.statusCode !== 200) {
    violations.push(...([401, 429].includes(answer.statusCode) && answer.cookies.length === 0 ? [] : [`refused with ${answer.body}`]));
    return;
  }
  model.sessions++;
  if (token === undefined || token.used || seconds() >= token.until) {
    violations.push("a session without a live partial token");
    return;
  }
  token.used = true;
  const step = stepOf(code);
  if (step !== undefined && step > model.lastStep) {
    model.lastStep = step;
  } else if (ada.backupCodes.includes(code) && !usedBackupCodes.has(code)) {
    usedBackupCodes.add(code);
  } else {
    violations.push("a session without a fresh step or an unused code");
  }
}

test(
  "no sequence of calls gives a full session without the password and a fresh step or an unused code",
  { timeout: 120_000 },
  async () => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 30 }), async (calls) => {
        await startOver();
        const model: Model = { tokens: [], typed: [], lastStep: 0, usedBackupCodes: new Set(), sessions: 0, violations: [] };
        for (const step of calls) {
          if (step.do === "wait") {
            subject.clock.forward(step.seconds);
          } else if (step.do === "password") {
            await showPassword(step.right, model);
          } else {
            await showCode(step.token, step.kind, model);
          }
        }
        expect(model.violations).toEqual([]);
        const rows = await subject.database.query.selectFrom("identity.sessions").select("id").execute();
        expect(rows).toHaveLength(model.sessions);
        opened += model.sessions;
      }),
      { numRuns: 25 },
    );
    // Else the sequences would have shown nothing.
    expect(opened).toBeGreaterThan(5);
  },
);
