import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import {
  ask as call,
  auditOfUser,
  createAdmin,
  createMember,
  giveSecondFactor,
  rowOf,
  signIn,
  type Person,
} from "#testing/administration.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";
import { setUpSecondFactor } from "#testing/second-factor-setup.ts";
import { wasMadeWithinADay } from "./policy.store.ts";

let subject: IdentityFixture;
/** Admins with a second factor. */
let ada: Person;
let bea: Person;
/** An admin without one. */
let cay: Person;
let serial = 0;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.users").execute();
  await subject.database.query.deleteFrom("identity.policies").execute();
  await subject.database.query.deleteFrom("identity.throttles").execute();
  ada = await createAdmin(subject, newAddress());
  bea = await createAdmin(subject, newAddress());
  cay = await createAdmin(subject, newAddress());
  await giveSecondFactor(subject, ada.id);
  await giveSecondFactor(subject, bea.id);
});

afterAll(() => subject.close());

function newAddress(): string {
  serial += 1;
  return `admin-${serial}@example.org`;
}

function ask(person: Person, method: "GET" | "POST" | "PATCH" | "DELETE", url: string, payload?: object) {
  return call(subject.server, person, method, url, payload);
}

function setPolicy(person: Person, payload: object, server = subject.server) {
  return server.inject({ method: "PUT", url: "/admin/policy", headers: { authorization: `Bearer ${person.token}` }, payload });
}

function reset(actor: Person, account: Person, reason = "lost phone") {
  return ask(actor, "POST", `/admin/users/${account.id}/2fa/reset`, { reason });
}

const isoIn = (seconds: number) => new Date(subject.clock.now().getTime() + seconds * 1000).toISOString();
const noticesOf = async ({ id }: Person) =>
  (await subject.database.query.selectFrom("identity.notices").select("kind").where("user_id", "=", id).execute()).map(({ kind }) => kind);

describe("who takes another's second factor", () => {
  test("has one: an admin with the password alone takes nobody's", async () => {
    const answer = await reset(cay, ada);

    expect([answer.statusCode, answer.json()]).toMatchObject([403, { error: "second_factor_needed" }]);
    expect(await rowOf(subject, ada.id)).toMatchObject({ totp_enabled: true });
    expect((await reset(bea, ada)).statusCode).toBe(200);
  });

  test("does so by deleting the account as well: an admin with the password alone deletes nobody who has one", async () => {
    const answer = await ask(cay, "DELETE", `/admin/users/${ada.id}`);

    expect([answer.statusCode, answer.json()]).toMatchObject([403, { error: "second_factor_needed" }]);
    expect((await ask(ada, "GET", "/login/me")).statusCode).toBe(200);
    expect((await ask(bea, "DELETE", `/admin/users/${ada.id}`)).statusCode).toBe(204);
  });
});

describe("GET and PUT /admin/policy", () => {
  test("asks for nothing until somebody with a second factor of their own says so", async () => {
    const nothing = {
      admins_need_second_factor_from: null,
      resets_need_two: false,
      resets_need_two_until: null,
      members_may_add_passkeys: false,
    };
    expect((await ask(cay, "GET", "/admin/policy")).json()).toEqual(nothing);
    expect((await setPolicy(cay, { resets_need_two: true })).json()).toMatchObject({ error: "second_factor_needed" });
    expect((await setPolicy(ada, {})).statusCode).toBe(400);
    expect((await setPolicy(ada, { resets_need_two: true })).json()).toEqual({ ...nothing, resets_need_two: true });
    expect((await ask(cay, "GET", "/admin/policy")).json()).toEqual({ ...nothing, resets_need_two: true });
  });

  test("asks again who is there, and tells the audit and every other admin what changed", async () => {
    await subject.database.query.updateTable("identity.sessions").set({ step_up_until: null }).where("id", "=", ada.sessionId).execute();
    expect((await setPolicy(ada, { resets_need_two: true })).json()).toMatchObject({ error: "step_up_required" });

    await setPolicy(bea, { resets_need_two: true });
    await setPolicy(bea, { resets_need_two: true });

    expect((await auditOfUser(subject, bea.id)).filter(({ event }) => event === "policy_changed")).toMatchObject([
      { actor_id: bea.id, details: { changed: "resets_need_two", from: "false", to: "true" } },
    ]);
    expect([await noticesOf(ada), await noticesOf(bea), await noticesOf(cay)]).toEqual([["policy_changed"], [], ["policy_changed"]]);
  });

  test("is each organization's own", async () => {
    await setPolicy(ada, { resets_need_two: true, admins_need_second_factor_from: isoIn(0) });
    await subject.identity.ensureTenant("elsewhere");
    await subject.identity.createAdmin({ email: newAddress(), name: "Eve", password: "seven green lanterns", tenantName: "elsewhere" });
    const answer = await logIn(subject.server, `admin-${serial}@example.org`);

    expect(decodeJwt(answer.json<{ access_token: string }>().access_token).aud).toBe("sightline");
  });
});

describe("a second factor that the organization asks of admins", () => {
  test("leaves one who has none nothing but setting one up, from that moment on", async () => {
    await setPolicy(ada, { admins_need_second_factor_from: isoIn(0) });

    expect((await ask(cay, "GET", "/login/me")).statusCode).toBe(401);
    const login = await logIn(subject.server, cay.email);
    const { access_token: token } = login.json<{ access_token: string }>();
    const limited = { ...cay, token };
    expect(decodeJwt(token).aud).toBe("sightline-second-factor-setup");
    for (const url of ["/admin/users", "/admin/audit", "/admin/policy", "/login/sessions", "/login/notices"]) {
      expect((await ask(limited, "GET", url)).json()).toMatchObject({ error: "second_factor_required" });
    }
    expect((await ask(limited, "GET", "/login/me")).json()).toMatchObject({ second_factor_due: isoIn(0), totp_enabled: false });
    expect((await ask(limited, "GET", "/admin/2fa")).statusCode).toBe(200);

    const { token: full } = await setUpSecondFactor(subject, token);
    expect(decodeJwt(full).aud).toBe("sightline");
    expect((await ask({ ...cay, token: full }, "GET", "/admin/users")).statusCode).toBe(200);
  });

  test("with a date leaves everything as it is until then, tells it, and then ends what older tokens open", async () => {
    await setPolicy(ada, { admins_need_second_factor_from: isoIn(600) });

    expect((await ask(cay, "GET", "/login/me")).json()).toMatchObject({ second_factor_due: isoIn(600) });
    expect((await ask(ada, "GET", "/login/me")).json()).toMatchObject({ second_factor_due: null });
    expect((await ask(cay, "GET", "/admin/users")).statusCode).toBe(200);
    subject.clock.forward(600);
    expect((await ask(cay, "GET", "/admin/users")).json()).toMatchObject({ error: "second_factor_required" });
    await subject.database.query.updateTable("identity.users").set({ role: "member" }).where("id", "=", cay.id).execute();
    expect((await ask(cay, "GET", "/login/me")).json()).toMatchObject({ second_factor_due: null });
  });

  test("is lifted again, and a login opens everything", async () => {
    await setPolicy(ada, { admins_need_second_factor_from: isoIn(0) });
    await setPolicy(ada, { admins_need_second_factor_from: null });

    const login = await logIn(subject.server, cay.email);
    expect(decodeJwt(login.json<{ access_token: string }>().access_token).aud).toBe("sightline");
  });
});

describe("a reset that needs two", () => {
  beforeEach(async () => {
    await setPolicy(ada, { resets_need_two: true });
    await giveSecondFactor(subject, cay.id);
  });

  test("waits for another admin, whoever else is told; asking twice confirms nothing", async () => {
    const asked = await reset(ada, cay, "phone in the lake");
    const again = await reset(ada, cay, "phone in the lake");

    expect([asked.statusCode, again.statusCode]).toEqual([202, 202]);
    expect(again.json()).toMatchObject({
      totp_enabled: true,
      waiting: { action: "reset", asked_by: { id: ada.id, email: ada.email }, reason: "phone in the lake", expires_at: isoIn(86_400) },
    });
    expect(await noticesOf(bea)).toContain("second_admin_asked");
    expect(await noticesOf(cay)).toContain("second_admin_asked");

    const confirmed = await reset(bea, cay, "called back");
    expect(confirmed.json()).toMatchObject({ totp_enabled: false, waiting: null });
    const events = (await auditOfUser(subject, cay.id)).map(({ event, actor_id: actor }) => [event, actor]);
    expect(events).toEqual(
      expect.arrayContaining([
        ["second_admin_asked", ada.id],
        ["2fa_admin_reset", bea.id],
      ]),
    );
  });

  test("comes before a member's deletion: no single admin makes an account anew that has none", async () => {
    const member = await createMember(subject, ada, newAddress());
    await giveSecondFactor(subject, member.id);

    const refused = await ask(ada, "DELETE", `/admin/users/${member.id}`);
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { error: "reset_needed_first" }]);

    await reset(ada, member);
    await reset(bea, member);
    expect((await ask(ada, "DELETE", `/admin/users/${member.id}`)).statusCode).toBe(204);
  });

  test("is not confirmed by its own account, nor after a day, and can be taken back", async () => {
    await reset(ada, cay);
    expect((await reset(cay, cay)).json()).toMatchObject({ error: "own_second_factor" });
    expect((await ask(bea, "DELETE", `/admin/users/${cay.id}/waiting`)).json()).toMatchObject({ waiting: null });
    expect((await ask(bea, "DELETE", `/admin/users/${cay.id}/waiting`)).json()).toMatchObject({ error: "nothing_waiting" });
    expect((await reset(bea, cay)).statusCode).toBe(202);
    await subject.database.query.updateTable("identity.waiting_actions").set({ expires_at: subject.clock.now() }).execute();
    expect((await reset(ada, cay)).statusCode).toBe(202);
    expect(await rowOf(subject, cay.id)).toMatchObject({ totp_enabled: true });
  });

  test("is neither asked for nor confirmed by an admin whom another one made, or gave a new password, within a day", async () => {
    const member = await createMember(subject, ada, newAddress());
    await ask(ada, "PATCH", `/admin/users/${member.id}`, { role: "admin" });
    const puppet = await signIn(subject, member.email);
    await giveSecondFactor(subject, puppet.id);

    expect((await reset(puppet, cay)).json()).toMatchObject({ error: "admin_too_new" });
    expect((await reset(ada, cay)).statusCode).toBe(202);
    expect((await reset(puppet, cay)).json()).toMatchObject({ error: "admin_too_new" });
    await ask(ada, "POST", `/admin/users/${bea.id}/password-reset`, { mail: false });
    expect(await wasMadeWithinADay(subject.database.query, bea.id, subject.clock.now())).toBe(true);
    expect(await rowOf(subject, cay.id)).toMatchObject({ totp_enabled: true });

    await subject.database.query
      .updateTable("identity.audit")
      .set({ at: new Date(subject.clock.now().getTime() - 86_400_000) })
      .where("user_id", "=", puppet.id)
      .execute();
    expect((await reset(puppet, cay)).json()).toMatchObject({ totp_enabled: false });
  });

  test("goes on for a day after it was switched off, so that no single admin gets around it", async () => {
    const off = await setPolicy(ada, { resets_need_two: false });
    expect(off.json()).toMatchObject({ resets_need_two: true, resets_need_two_until: isoIn(86_400) });
    expect((await setPolicy(ada, { resets_need_two: false })).json()).toMatchObject({ resets_need_two_until: isoIn(86_400) });
    expect((await reset(ada, cay)).statusCode).toBe(202);

    await subject.database.query.updateTable("identity.policies").set({ resets_need_two_until: subject.clock.now() }).execute();
    expect((await ask(ada, "GET", "/admin/policy")).json()).toMatchObject({ resets_need_two: false, resets_need_two_until: null });
    expect((await reset(ada, cay)).statusCode).toBe(200);
  });

  test("by the host waits for nobody", async () => {
    await subject.identity.host.resetSecondFactor({ email: cay.email, reason: "both others are away" });
    expect(await rowOf(subject, cay.id)).toMatchObject({ totp_enabled: false });
  });

  test("is one reset when two confirm at once over two replicas", needsRealPostgres, async () => {
    const { server } = await subject.replica();
    await reset(ada, cay);
    const confirm = (index: number) =>
      call(index % 2 === 0 ? subject.server : server, bea, "POST", `/admin/users/${cay.id}/2fa/reset`, { reason: "called back" });

    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => confirm(index)));

    expect(answers.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 409),
    ]);
  });
});

test("two admins alone cannot have resets wait: nobody could confirm", async () => {
  await subject.database.query.deleteFrom("identity.users").where("id", "=", cay.id).execute();

  expect((await setPolicy(ada, { resets_need_two: true })).json()).toMatchObject({ error: "too_few_admins" });
});
