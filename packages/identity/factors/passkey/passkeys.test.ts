import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, createAdmin, createMember, giveSecondFactor } from "#testing/administration.ts";
import { auditOf, cookieOf, createIdentityFixture, logIn, PASSWORD, refresh, type IdentityFixture } from "#testing/identity-fixture.ts";
import { addPasskey, logInByPasskey, post, secondStepRequest, stepUpByPasskey } from "#testing/passkeys.ts";
import { signedIn } from "#testing/second-factor-setup.ts";
import { codeOf, enableSecondFactor, partialTokenOf, verifyCode } from "#testing/second-factor.ts";
import { answerOf, makePasskey, type SoftwarePasskey } from "#testing/software-authenticator.ts";

const EMAIL = "ada@example.org";
const FULL_SESSION = { token_type: "bearer", access_token: expect.any(String), expires_in: 3600 };
const PARTIAL_SESSION = { two_factor_required: true, partial_token: expect.any(String), expires_in: 300 };

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture();
});

afterEach(() => subject.close());

/** The second step with a passkey. */
async function verifyPasskey(passkey: SoftwarePasskey, partialToken: string) {
  const response = answerOf(passkey, await secondStepRequest(subject.server, partialToken));
  return post(subject.server, "/login/verify-2fa/passkey", { partial_token: partialToken, response });
}

describe("a passkey logs in by itself", () => {
  test("with a full session, two factors in its token, and a known device", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, EMAIL));

    const answer = await logInByPasskey(subject.server, passkey);

    expect([answer.statusCode, answer.json()]).toEqual([200, { ...FULL_SESSION, method: "passkey" }]);
    expect(decodeJwt(answer.json<{ access_token: string }>().access_token)).toMatchObject({ amr: ["hwk", "user", "mfa"], role: "admin" });
    expect((await refresh(subject.server, cookieOf(answer))).statusCode).toBe(200);
    expect(answer.cookies.map(({ name }) => name)).toContainEqual(expect.stringContaining("device"));
    expect((await auditOf(subject)).at(-1)).toBe("login_ok");
  });

  test("one that is on several devices is a key in software, and need not count", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, EMAIL), { synced: true, counts: false });
    for (const _ of [1, 2]) {
      const answer = await logInByPasskey(subject.server, passkey);
      expect(decodeJwt(answer.json<{ access_token: string }>().access_token)).toMatchObject({ amr: ["swk", "user", "mfa"] });
    }
  });

  test("a member's where the policy lets members add some, which is off by default; those that are there stay, and their owners are told", async () => {
    const admin = await createAdmin(subject, EMAIL);
    await giveSecondFactor(subject, admin.id);
    const member = await createMember(subject, admin, "mem@example.org");
    const me = async () => (await ask(subject.server, member, "GET", "/login/me")).json();
    const setPolicy = (allowed: boolean) =>
      subject.server.inject({
        method: "PUT",
        url: "/admin/policy",
        headers: { authorization: `Bearer ${admin.token}` },
        payload: { members_may_add_passkeys: allowed },
      });
    const optionsOf = async () => (await post(subject.server, "/login/passkeys/options", undefined, member.token)).json();
    expect(await me()).toMatchObject({ may_add_passkeys: false });
    expect(await optionsOf()).toMatchObject({ error: "passkeys_not_allowed" });

    expect((await setPolicy(true)).json()).toMatchObject({ members_may_add_passkeys: true });
    const creation = await optionsOf();
    await setPolicy(false);
    const { response } = makePasskey(creation);
    const late = await post(subject.server, "/login/passkeys", { name: "Late", response }, member.token);
    expect([late.statusCode, late.json()]).toMatchObject([403, { error: "passkeys_not_allowed" }]);

    await setPolicy(true);
    const { passkey, id, token } = await addPasskey(subject.server, member.token);
    await setPolicy(false);
    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(200);
    expect((await logIn(subject.server, member.email)).json()).toEqual({ ...PARTIAL_SESSION, methods: ["passkey"] });
    const told = await subject.database.query.selectFrom("identity.notices").select("kind").where("user_id", "=", member.id).execute();
    expect(told.map(({ kind }) => kind)).toContain("member_passkeys_off");
    const headers = { authorization: `Bearer ${token}` };
    const renamed = await subject.server.inject({ method: "PATCH", url: `/login/passkeys/${id}`, headers, payload: { name: "Kept" } });
    expect(renamed.statusCode).toBe(204);
    expect((await auditOf(subject)).filter((event) => event === "policy_changed")).toHaveLength(4);
  });

  test("and is asked for without telling of any account", async () => {
    await addPasskey(subject.server, await signedIn(subject, EMAIL));
    const asked = await post(subject.server, "/login/passkey/options");
    expect(asked.json()).toEqual({ challenge: expect.any(String), rpId: "localhost", timeout: 300_000, userVerification: "required" });
  });

  test("after a change of the password too", async () => {
    const { passkey, token } = await addPasskey(subject.server, await signedIn(subject, EMAIL));
    const payload = { current_password: PASSWORD, new_password: "eight yellow lanterns" };
    expect((await post(subject.server, "/login/password", payload, token)).statusCode).toBe(200);
    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(200);
  });
});

describe("a passkey as the second step", () => {
  test("without a second factor of codes the password gives no session either", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, EMAIL));

    const first = await logIn(subject.server, EMAIL);
    const { partial_token: partialToken } = first.json<{ partial_token: string }>();
    expect(first.json()).toEqual({ ...PARTIAL_SESSION, methods: ["passkey"] });
    expect(first.cookies).toEqual([]);
    expect((await verifyCode(subject.server, partialToken, "123456")).json()).toMatchObject({ error: "invalid_partial_token" });

    const answer = await verifyPasskey(passkey, partialToken);
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...FULL_SESSION, method: "passkey" }]);
    const claims = decodeJwt(answer.json<{ access_token: string }>().access_token);
    expect(claims).toMatchObject({ amr: ["pwd", "hwk", "user", "mfa"] });
  });

  test("stands beside codes: either of them opens", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, EMAIL));
    const { secret, backupCodes } = await enableSecondFactor(subject, EMAIL);

    const first = await logIn(subject.server, EMAIL);
    expect(first.json()).toEqual({ ...PARTIAL_SESSION, methods: ["totp", "passkey"] });
    const tokens = [first.json<{ partial_token: string }>().partial_token];
    tokens.push(await partialTokenOf(subject.server, EMAIL), await partialTokenOf(subject.server, EMAIL));
    const [one = "", two = "", three = ""] = tokens;
    const byCode = await verifyCode(subject.server, two, codeOf(secret, subject.clock));
    const byBackupCode = await verifyCode(subject.server, three, backupCodes[0] ?? "");
    expect([byCode.json(), byBackupCode.json()]).toMatchObject([{ method: "totp" }, { method: "backup_code" }]);
    expect((await verifyPasskey(passkey, one)).json()).toMatchObject({ method: "passkey" });
  });

  test("uses the partial token up, and five wrong answers do too", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, EMAIL));
    const used = await partialTokenOf(subject.server, EMAIL);
    const second = await secondStepRequest(subject.server, used);
    expect((await verifyPasskey(passkey, used)).statusCode).toBe(200);
    const again = await post(subject.server, "/login/verify-2fa/passkey", { partial_token: used, response: answerOf(passkey, second) });
    expect(again.json()).toMatchObject({ error: "invalid_partial_token" });

    const worn = await partialTokenOf(subject.server, EMAIL);
    for (const _ of [1, 2, 3, 4, 5]) {
      const response = answerOf(passkey, await secondStepRequest(subject.server, worn), { origin: "https://evil.example" });
      const answer = await post(subject.server, "/login/verify-2fa/passkey", { partial_token: worn, response });
      expect(answer.json()).toMatchObject({ error: "invalid_passkey" });
    }
    const options = await post(subject.server, "/login/verify-2fa/passkey/options", { partial_token: worn });
    expect([options.statusCode, options.json()]).toMatchObject([401, { error: "invalid_partial_token" }]);
  });

  test("is not asked for of a stranger, and only the account's own is named", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, EMAIL));
    await addPasskey(subject.server, await signedIn(subject, "grace@example.org"));
    expect((await post(subject.server, "/login/verify-2fa/passkey/options", { partial_token: "x" })).statusCode).toBe(401);
    const { allowCredentials } = await secondStepRequest(subject.server, await partialTokenOf(subject.server, EMAIL));
    expect(allowCredentials).toEqual([{ id: passkey.id, type: "public-key", transports: ["internal"] }]);
  });
});

describe("an admin's reset of the second factor", () => {
  test("deletes passkeys, of an account that has nothing else too", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, "grace@example.org"));
    const admin = await createAdmin(subject, EMAIL);
    await enableSecondFactor(subject, EMAIL);
    const users = (await ask(subject.server, admin, "GET", "/admin/users?search=grace")).json<{
      users: { id: string; passkeys: number }[];
    }>();
    const [grace] = users.users;
    expect(grace?.passkeys).toBe(1);

    const reset = await ask(subject.server, admin, "POST", `/admin/users/${grace?.id}/2fa/reset`, { reason: "lost the key" });

    expect([reset.statusCode, reset.json()]).toMatchObject([200, { passkeys: 0 }]);
    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(401);
    expect((await logIn(subject.server, "grace@example.org")).json()).toEqual(FULL_SESSION);
    const again = await ask(subject.server, admin, "POST", `/admin/users/${grace?.id}/2fa/reset`, { reason: "once more" });
    expect(again.json()).toMatchObject({ error: "not_enabled" });
  });

  test("a deleted account takes its passkeys along, and one that became a member's keeps them", async () => {
    const admin = await createAdmin(subject, EMAIL);
    await enableSecondFactor(subject, EMAIL);
    const grace = await createAdmin(subject, "grace@example.org");
    const { passkey } = await addPasskey(subject.server, grace.token);
    await ask(subject.server, admin, "PATCH", `/admin/users/${grace.id}`, { role: "member" });
    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(200);
    expect((await ask(subject.server, admin, "DELETE", `/admin/users/${grace.id}`)).statusCode).toBe(204);
    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(401);
    expect(await subject.database.query.selectFrom("identity.passkeys").select("id").execute()).toEqual([]);
  });
});

describe("a passkey counts as a second factor", () => {
  test("where the policy asks an admin for one: what is not open before is open with it", async () => {
    const token = await signedIn(subject, EMAIL);
    const { id } = await subject.database.query.selectFrom("identity.tenants").select("id").executeTakeFirstOrThrow();
    await subject.database.query
      .insertInto("identity.policies")
      .values({ tenant_id: id, admins_need_second_factor_from: subject.clock.now(), resets_need_two: false, resets_need_two_until: null })
      .execute();
    expect((await ask(subject.server, { token }, "GET", "/admin/users")).json()).toMatchObject({ error: "second_factor_required" });
    expect((await ask(subject.server, { token }, "GET", "/login/passkeys")).json()).toEqual({ passkeys: [] });

    const added = await addPasskey(subject.server, token);

    expect((await ask(subject.server, added, "GET", "/admin/users")).statusCode).toBe(200);
    expect((await ask(subject.server, added, "GET", "/login/me")).json()).toMatchObject({ second_factor_due: null, passkeys: 1 });
    expect(decodeJwt(added.token)).toMatchObject({ aud: "sightline", amr: ["pwd", "hwk", "user", "mfa"] });
  });

  test("for a new password, when it was shown more than ten minutes ago", async () => {
    const { passkey, token } = await addPasskey(subject.server, await signedIn(subject, EMAIL));
    subject.clock.forward(601);
    const payload = { current_password: PASSWORD, new_password: "eight yellow lanterns" };
    expect((await post(subject.server, "/login/password", payload, token)).json()).toMatchObject({ error: "step_up_required" });
    expect((await stepUpByPasskey(subject.server, token, passkey)).statusCode).toBe(200);
    expect((await post(subject.server, "/login/password", payload, token)).statusCode).toBe(200);
  });

  test("where a reset waits for a second admin: until then it logs in", async () => {
    const { passkey } = await addPasskey(subject.server, await signedIn(subject, "grace@example.org"));
    const admin = await createAdmin(subject, EMAIL);
    await enableSecondFactor(subject, EMAIL);
    await createAdmin(subject, "third@example.org");
    expect((await ask(subject.server, admin, "PUT", "/admin/policy", { resets_need_two: true })).statusCode).toBe(200);
    const { users } = (await ask(subject.server, admin, "GET", "/admin/users?search=grace")).json<{ users: { id: string }[] }>();
    const asked = await ask(subject.server, admin, "POST", `/admin/users/${users[0]?.id}/2fa/reset`, { reason: "lost the key" });
    expect([asked.statusCode, asked.json()]).toMatchObject([202, { passkeys: 1 }]);
    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(200);
  });
});
