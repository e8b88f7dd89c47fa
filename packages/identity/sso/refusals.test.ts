import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createLog } from "@sightline/foundation/log";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { ask, type Person } from "#testing/administration.ts";
import { startCompanyProvider, type CompanyProvider, type Orders } from "#testing/company-provider.ts";
import { finishAt, signInAt, startAt, throughProvider, type Browser } from "#testing/company-sign-in.ts";
import { createSsoAdmin, saveSso, settingsFor } from "#testing/company-tenant.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let provider: CompanyProvider;
let admin: Person;
let id: string;

const ANN = { sub: "ann-1", claims: { email: "ann@acme.example", email_verified: true, name: "Ann" } };
const ENVIRONMENT = { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" };

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({ environment: ENVIRONMENT });
  admin = await createSsoAdmin(subject, "root@sightline.example");
});

beforeEach(async () => {
  // A test that waits has let the step-up run out.
  const until = new Date(subject.clock.now().getTime() + 600_000);
  await subject.database.query.updateTable("identity.sessions").set({ step_up_until: until }).where("id", "=", admin.sessionId).execute();
  id = await saveSso(subject, admin, settingsFor(provider));
  await provider.tell({ person: ANN });
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

/** To the provider and back: what the browser holds, and what it was sent back with. */
async function begun(server = subject.server): Promise<{ readonly browser: Browser; readonly query: string }> {
  const browser: Browser = { cookie: "" };
  const started = await startAt(server, browser, id);
  return { browser, query: await throughProvider(started.json<{ continue_to: string }>().continue_to) };
}

async function reasons(): Promise<readonly (string | undefined)[]> {
  const rows = await subject.database.query
    .selectFrom("identity.audit")
    .select(["tenant_id", "details"])
    .where("event", "=", "sso_login_failed")
    .orderBy("id")
    .execute();
  return rows.map(({ details }) => details["reason"]);
}

describe("what was begun", () => {
  test("counts once, in its browser, with its state, for ten minutes", async () => {
    const { browser, query } = await begun();
    const other = await begun();
    expect((await finishAt(subject.server, { cookie: "" }, query)).json()).toMatchObject({ error: "sso_over" });
    expect((await finishAt(subject.server, other.browser, query)).json()).toMatchObject({ error: "sso_over" });
    const made = new URLSearchParams(query);
    made.set("state", "made-up");
    expect((await finishAt(subject.server, browser, made.toString())).json()).toMatchObject({ error: "sso_over" });

    expect((await finishAt(subject.server, browser, query)).statusCode).toBe(200);
    expect((await finishAt(subject.server, browser, query)).json()).toMatchObject({ error: "sso_over" });

    subject.clock.forward(601);
    expect((await finishAt(subject.server, other.browser, other.query)).json()).toMatchObject({ error: "sso_over" });
  });

  test("ends with a change of the settings", async () => {
    const { browser, query } = await begun();
    await saveSso(subject, admin, settingsFor(provider, { name: "Acme" }));

    expect((await finishAt(subject.server, browser, query)).json()).toMatchObject({ error: "sso_over" });
  });

  test("goes on at any replica, and makes one session however often it is sent", needsRealPostgres, async () => {
    const second = await subject.replica();
    const { browser, query } = await begun();
    const answers = await Promise.all(
      [second.server, subject.server, second.server, subject.server].map((server) => finishAt(server, browser, query)),
    );

    expect(answers.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other)).toEqual([200, 400, 400, 400]);
  });

  test("takes a code once: the provider refuses it the second time", async () => {
    const first = await begun();
    const second = await begun();
    const stolen = new URLSearchParams(second.query);
    await finishAt(subject.server, first.browser, first.query);
    stolen.set("code", new URLSearchParams(first.query).get("code") ?? "");

    expect((await finishAt(subject.server, second.browser, stolen.toString())).json()).toMatchObject({ error: "sso_failed" });
    expect((await reasons()).at(-1)).toBe("invalid_grant");
  });
});

describe("an answer of the provider is refused", () => {
  const soon = () => Math.floor(Date.now() / 1000);
  const cases: readonly (readonly [string, Partial<Orders>, string, string])[] = [
    ["with another nonce", { wrong: { nonce: "of-somebody-else" } }, "sso_failed", "jwt_claim_comparison_failed"],
    ["for another audience", { wrong: { aud: "another-client" } }, "sso_failed", "jwt_claim_comparison_failed"],
    ["for several, in another's name", { wrong: { aud: ["sightline-one", "x"], azp: "x" } }, "sso_failed", "jwt_claim_comparison_failed"],
    ["of another issuer", { wrong: { iss: "https://login.example.org" } }, "sso_failed", "jwt_claim_comparison_failed"],
    ["that is over", { wrong: { exp: soon() - 3600 } }, "sso_failed", "jwt_timestamp_check_failed"],
    ["signed by somebody else", { isForged: true }, "sso_failed", "invalid_response"],
    ["that names nobody", { wrong: { ...ANN.claims, sub: "" } }, "sso_failed", "unexpected"],
    ["that names a number", { wrong: { ...ANN.claims, sub: 7 } }, "sso_failed", "invalid_response"],
    ["that names several", { wrong: { ...ANN.claims, sub: ["ann-1"] } }, "sso_failed", "invalid_response"],
    ["that names nobody in so many words", { wrong: { ...ANN.claims, sub: "ann".repeat(5_000) } }, "sso_failed", "unexpected"],
    ["that names what no table keeps", { wrong: { ...ANN.claims, sub: "ann\0" } }, "sso_failed", "unexpected"],
    ["that names half a character", { wrong: { ...ANN.claims, sub: "ann\uD800" } }, "sso_failed", "unexpected"],
    ["that names no address", { person: { sub: "ann-1", claims: { name: "Ann" } } }, "sso_no_address", "sso_no_address"],
    [
      "whose address is not verified",
      { person: { ...ANN, claims: { ...ANN.claims, email_verified: false } } },
      "sso_address_not_verified",
      "sso_address_not_verified",
    ],
    [
      "that says nothing of it",
      { person: { sub: "ann-1", claims: { email: "ann@acme.example" } } },
      "sso_address_not_verified",
      "sso_address_not_verified",
    ],
    [
      "of another domain",
      { person: { ...ANN, claims: { ...ANN.claims, email: "ann@acme.example.evil.example" } } },
      "sso_domain_not_allowed",
      "sso_domain_not_allowed",
    ],
    [
      "with two addresses in one",
      { person: { ...ANN, claims: { ...ANN.claims, email: "ann@evil.example,x@acme.example" } } },
      "sso_address_not_verified",
      "sso_address_not_verified",
    ],
  ];

  test.each(cases)("%s", async (_what, orders, error, reason) => {
    await provider.tell({ person: ANN, ...orders });
    const before = await subject.database.query.selectFrom("identity.sessions").select("id").execute();

    const answer = await signInAt(subject.server, id);

    expect(answer.json()).toMatchObject({ error });
    expect((await reasons()).at(-1)).toBe(reason);
    expect(await subject.database.query.selectFrom("identity.sessions").select("id").execute()).toEqual(before);
    expect(answer.cookies.some(({ name }) => name.endsWith("refresh"))).toBe(false);
  });

  test("when the admin says that its addresses count, only one that is said not to be verified", async () => {
    await saveSso(subject, admin, settingsFor(provider, { vouches_for_addresses: true }));
    await provider.tell({ person: { sub: "ann-1", claims: { email: "ann@acme.example" } } });
    expect((await signInAt(subject.server, id)).statusCode).toBe(200);
    await provider.tell({ person: { ...ANN, claims: { ...ANN.claims, email_verified: false } } });
    expect((await signInAt(subject.server, id)).json()).toMatchObject({ error: "sso_address_not_verified" });
  });

  test("that another provider gave (mix-up), and one that is an error; what it wrote is repeated nowhere", async () => {
    const markup = "<script>alert(1)</script>";
    const mixedUp = await begun();
    const changed = new URLSearchParams(mixedUp.query);
    changed.set("iss", "https://attacker.example");
    expect((await finishAt(subject.server, mixedUp.browser, changed.toString())).json()).toMatchObject({ error: "sso_failed" });

    for (const [told, error] of [
      ["access_denied", "sso_denied"],
      [markup, "sso_failed"],
      ["temporarily_unavailable", "sso_provider_unreachable"],
    ] as const) {
      const { browser, query } = await begun();
      const { state = "", iss = "" } = Object.fromEntries(new URLSearchParams(query));
      const refused = new URLSearchParams({ state, iss, error: told, error_description: markup });
      const answer = await finishAt(subject.server, browser, refused.toString());
      expect(answer.json()).toMatchObject({ error });
      expect(answer.body).not.toContain("script");
    }
    expect((await reasons()).slice(-3)).toEqual(["access_denied", "unknown_error", "temporarily_unavailable"]);
  });
});

const FAILED = { level: "warn", msg: "a company sign-in failed", reason: "unreachable" };

const readLine = (line: string) => z.object({ level: z.string(), msg: z.string(), reason: z.string().optional() }).parse(JSON.parse(line));

describe("where a browser may be sent", () => {
  test("not from another site, nor to a provider that is none", async () => {
    const payload = { provider_id: id };
    const foreign = await subject.server.inject({
      method: "POST",
      url: "/login/sso/start",
      payload,
      headers: { origin: "https://evil.example" },
    });
    expect(foreign.json()).toMatchObject({ error: "cross_origin" });
    const unknown = { provider_id: "018f0000-0000-7000-8000-000000000000" };
    expect((await subject.server.inject({ method: "POST", url: "/login/sso/start", payload: unknown })).json()).toMatchObject({
      error: "sso_unknown_provider",
    });
  });

  const PAGES = ["javascript:alert(1)", "data:text/html,x", "no address", "https://\0", 7, null, undefined];
  const fields = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"] as const;

  test.each(fields)("with %s that is no address: no fault of ours, at the start, the answer and the test", async (field) => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const good = { issuer, authorization_endpoint: `${issuer}/page`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` };
    let description: object = good;
    server.on("request", ({ url }, response) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify(url?.startsWith("/.well-known") === true ? description : {})),
    );
    const lines: string[] = [];
    const log = createLog({ name: "identity", level: "error", destination: { write: (line) => void lines.push(line) } });
    for (const page of PAGES) {
      description = { ...good, [field]: page };
      await saveSso(subject, admin, settingsFor(provider, { issuer }));
      // Another process, which has not read the description yet.
      const { server: replica } = await subject.replica({ log });
      const browser = { cookie: "" };
      const started = await startAt(replica, browser, id);
      const answers = [[started.statusCode, started.json<{ error?: string }>().error]];
      if (started.statusCode === 200) {
        const state = new URL(started.json<{ continue_to: string }>().continue_to).searchParams.get("state") ?? "";
        const answer = await finishAt(replica, browser, new URLSearchParams({ state, code: "made-up", iss: issuer }).toString());
        answers.push([answer.statusCode, answer.json<{ error?: string }>().error]);
      }
      expect(answers.at(-1)?.[1], String(page)).toMatch(/^sso_(?:failed|provider_unreachable)$/);
      expect(started.statusCode === 200, String(page)).toBe(field !== "authorization_endpoint");
      const tested = await ask(replica, admin, "POST", "/admin/sso/test", settingsFor(provider, { issuer }));
      expect(tested.statusCode, String(page)).toBe(200);
      expect(tested.json<{ checks: readonly { ok: boolean }[] }>().checks.every(({ ok }) => ok)).toBe(false);
    }
    server.close();
    expect(lines).toEqual([]);
  });

  test("nothing in a private network is asked unless the operator allows it", async () => {
    const { server } = await subject.replica({ environment: {} });

    expect((await signInAt(server, id)).json()).toMatchObject({ error: "sso_provider_unreachable" });
  });

  test("a provider that is down is said to be so, once in the log and as no fault of ours; who has a password logs in by it", async () => {
    const lines: string[] = [];
    const log = createLog({ name: "identity", level: "info", destination: { write: (line) => void lines.push(line) } });
    const gone = await startCompanyProvider();
    await saveSso(subject, admin, settingsFor(gone));
    const { browser, query } = await begun();
    await gone.stop();
    const { server } = await subject.replica({ log });

    expect((await signInAt(server, id)).json()).toMatchObject({ error: "sso_provider_unreachable" });
    const answer = await finishAt(server, browser, query);
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([502, "sso_provider_unreachable"]);
    expect(lines.map((line) => readLine(line))).toEqual([FAILED, FAILED]);
    expect((await logIn(server, admin.email)).json()).toMatchObject({ two_factor_required: true });
  });
});
