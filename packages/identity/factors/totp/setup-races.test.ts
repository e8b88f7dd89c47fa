import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeAt } from "#testing/authenticator.ts";
import { accessTokenOf, createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { post } from "#testing/passkeys.ts";
import { beginSetup, call, openSecret, signedIn, userOf } from "#testing/second-factor-setup.ts";
import { wrongCodeOf } from "#testing/second-factor.ts";
import { makePasskey } from "#testing/software-authenticator.ts";

const AT_ONCE = 20;
/** Each costs the hashes of ten backup codes. */
const TICKETS = 4;

let subject: IdentityFixture;
let replicas: readonly HttpServer[];

beforeAll(async () => {
  subject = await createIdentityFixture();
  replicas = [subject.server, (await subject.replica()).server];
});

afterAll(() => subject.close());

/** So many calls let go at the same moment, over both replicas in turn. */
async function atOnce<Result>(count: number, work: (server: HttpServer, index: number) => Promise<Result>): Promise<readonly Result[]> {
  const { promise: barrier, resolve: letGo } = Promise.withResolvers<undefined>();
  const running = Array.from({ length: count }, async (_, index) => {
    await barrier;
    return work(replicas[index % replicas.length] ?? subject.server, index);
  });
  letGo(undefined);
  return Promise.all(running);
}

function outcome(answer: Awaited<ReturnType<typeof call>>): string {
  return answer.statusCode === 200 ? "ok" : answer.json<{ error: string }>().error;
}

async function auditCount(event: string, token: string): Promise<number> {
  const { id } = await userOf(subject, token);
  return (
    await subject.database.query
      .selectFrom("identity.audit")
      .select("id")
      .where("event", "=", event as never)
      .where("user_id", "=", id)
      .execute()
  ).length;
}

describe("at the same moment over two replicas", () => {
  test("one ticket with the right code twenty times enables once", needsRealPostgres, async () => {
    const token = await signedIn(subject, "one-ticket@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const code = codeAt(secret, subject.clock.now());

    const answers = await atOnce(AT_ONCE, (server) => call(server, token, "/admin/2fa/verify-setup", { code, setup_token }));

    const outcomes = answers.map(outcome);
    expect(outcomes.filter((each) => each === "ok")).toHaveLength(1);
    expect(outcomes.filter((each) => each === "setup_expired")).toHaveLength(AT_ONCE - 1);
    expect(await auditCount("2fa_enabled", token)).toBe(1);
    expect(openSecret(await userOf(subject, token))).toBe(secret);
  });

  test("several tickets with their right codes enable one, whose codes are those that were shown", needsRealPostgres, async () => {
    const token = await signedIn(subject, "many-tickets@example.org");
    const shown = await Promise.all(Array.from({ length: TICKETS }, () => beginSetup(subject.server, token)));

    const answers = await atOnce(TICKETS, (server, index) => {
      const { secret = "", setup_token = "" } = shown[index] ?? {};
      return call(server, token, "/admin/2fa/verify-setup", { code: codeAt(secret, subject.clock.now()), setup_token });
    });

    const outcomes = answers.map(outcome);
    const winner = outcomes.indexOf("ok");
    // By then the first one had ended the session that they all belong to.
    expect(outcomes.filter((each) => ["already_enabled", "setup_invalid", "auth_failed"].includes(each))).toHaveLength(TICKETS - 1);
    const user = await userOf(subject, token);
    expect(openSecret(user)).toBe(shown[winner]?.secret);
    const selectors = answers[winner]?.json<{ backup_codes: string[] }>().backup_codes.map((code) => code.slice(0, 2));
    expect(user.totp_backup_codes.map((hash) => hash.slice(0, 2))).toEqual(selectors);
    expect(await auditCount("2fa_enabled", token)).toBe(1);
  });

  test("of twenty wrong codes ten are looked at, and the right one then comes too late", needsRealPostgres, async () => {
    const token = await signedIn(subject, "guesses@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const code = wrongCodeOf(secret, subject.clock);

    const answers = await atOnce(AT_ONCE, (server) => call(server, token, "/admin/2fa/verify-setup", { code, setup_token }));

    const outcomes = answers.map(outcome);
    expect(outcomes.filter((each) => each === "invalid_code")).toHaveLength(10);
    expect(outcomes.filter((each) => each === "setup_expired")).toHaveLength(10);
    expect(await auditCount("2fa_setup_failed", token)).toBe(10);
    const right = codeAt(secret, subject.clock.now());
    expect(outcome(await call(subject.server, token, "/admin/2fa/verify-setup", { code: right, setup_token }))).toBe("setup_expired");
  });

  test("an owner's first passkey and a set-up that was begun without one: never both", needsRealPostgres, async () => {
    for (let round = 0; round < 5; round++) {
      const email = `passkey-${round}@example.org`;
      const owner = await signedIn(subject, email);
      const thief = await accessTokenOf(subject.server, email);
      const { secret, setup_token } = await beginSetup(subject.server, thief);
      const { response } = makePasskey((await post(subject.server, "/login/passkeys/options", undefined, owner)).json());

      const answers = await atOnce(2, (server, index) =>
        index === 0
          ? call(server, thief, "/admin/2fa/verify-setup", { code: codeAt(secret, subject.clock.now()), setup_token })
          : call(server, owner, "/login/passkeys", { name: "Laptop", response }),
      );

      const [setup, passkey] = answers.map(({ statusCode }) => statusCode);
      expect([
        [200, 401],
        [400, 201],
        [401, 201],
      ]).toContainEqual([setup, passkey]);
      expect((await userOf(subject, owner)).totp_enabled).toBe(setup === 200);
    }
  });

  test("two sessions that enable end each other or lose: one second factor, one session", needsRealPostgres, async () => {
    const email = "two-sessions@example.org";
    const first = await signedIn(subject, email);
    const second = (
      await subject.server.inject({ method: "POST", url: "/login/access-token", payload: { email, password: "seven green lanterns" } })
    ).json<{ access_token: string }>().access_token;
    const tokens = [first, second];
    const shown = await Promise.all(tokens.map((token) => beginSetup(subject.server, token)));

    const answers = await atOnce(2, (server, index) => {
      const { secret = "", setup_token = "" } = shown[index] ?? {};
      return call(server, tokens[index] ?? "", "/admin/2fa/verify-setup", { code: codeAt(secret, subject.clock.now()), setup_token });
    });

    const winner = answers.map(outcome).indexOf("ok");
    expect(["auth_failed", "setup_invalid"]).toContain(answers.map(outcome)[1 - winner]);
    const { id } = await userOf(subject, first);
    const live = await subject.database.query
      .selectFrom("identity.sessions")
      .select("id")
      .where("user_id", "=", id)
      .where("revoked_at", "is", null)
      .execute();
    expect(live).toHaveLength(1);
    expect(openSecret(await userOf(subject, first))).toBe(shown[winner]?.secret);
  });
});
