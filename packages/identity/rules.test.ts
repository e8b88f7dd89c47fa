import { errorMessage } from "@sightline/foundation/errors";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeBearer, type Bearer } from "#testing/bearers.ts";
import { COMMANDS, TASKS } from "#testing/commands-and-tasks.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { createSsoAdmin, listDomains, settingsFor } from "#testing/company-tenant.ts";
import { askFor, consent, questionOf, registerApp } from "#testing/connect-app.ts";
import { GUARDED } from "#testing/guarded-routes.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { OPEN } from "#testing/open-routes.ts";
import { addressOf, type Row, type Sent } from "#testing/route-row.ts";

/**
 * Rules that span every door. "What changes a factor takes a factor" is tried by `session/require-factor.test.ts`, over the same rows; the
 * others are tried here: each route, command and task in a world where somebody hostile waits for it to break one. What a row changes
 * is found by running it, so that a new one that changes a domain, signs the audit or leads a browser on fails until it stands here.
 */
const HOLDS = {
  /** No domain counts without its DNS record. */
  domains: ["PUT /admin/sso", "DELETE /admin/sso", "POST /admin/sso/domains/verify", "POST /login/sso", "POST /login/sso/start"],
  /** Nothing that was not there before is signed, however it comes; but for a restore that the operator accepts, by its head. */
  signatures: ["acceptRestore"],
  /** No browser is sent where nobody has let in: to the console, or to a provider whose domain was proven. */
  leads: [
    "GET /oauth/interactions/:uid",
    "GET /oauth/authorize",
    "GET /oauth/authorize/:uid",
    "POST /oauth/interactions/:uid/consent",
    "POST /login/sso/start",
  ],
} as const;

/** Routes that only read; with what stands in their addresses. */
const READS: Readonly<Record<string, string>> = {
  "GET /.well-known/credential-epochs": "",
  "GET /.well-known/jwks.json": "",
  "GET /.well-known/oauth-authorization-server": "",
  "GET /admin/2fa": "",
  "GET /admin/audit": "",
  "GET /admin/audit/export": "",
  "GET /admin/audit/verification": "",
  "GET /admin/policy": "",
  "GET /admin/groups": "",
  "GET /admin/rights/:kind/:id": "00000000-0000-4000-8000-000000000000",
  "GET /admin/scim": "",
  "GET /admin/sso": "",
  "GET /admin/workloads": "",
  "GET /admin/users": "",
  "GET /admin/users/:id": "00000000-0000-4000-8000-000000000000",
  "GET /login/connections": "",
  "GET /login/me": "",
  "GET /login/notices": "",
  "GET /login/options": "",
  "GET /login/passkeys": "",
  "GET /login/sessions": "",
  "GET /login/sso": "",
  "GET /metrics": "",
  "GET /oauth/authorize": "",
  "GET /oauth/authorize/:uid": "made-up",
  "GET /oauth/interactions/:uid": "made-up",
  "GET /oauth/interactions/:uid/consent": "made-up",
  "GET /scim/v2/:page": "Schemas",
  "GET /scim/v2/Groups": "",
  "GET /scim/v2/Groups/:id": "00000000-0000-4000-8000-000000000000",
  "GET /scim/v2/Users": "",
  "GET /scim/v2/Users/:id": "00000000-0000-4000-8000-000000000000",
};

const CONSOLE = "http://localhost:3000";
const EVIL = "https://evil.example/landing";

let subject: IdentityFixture;
let provider: CompanyProvider;
let bearer: Bearer;
let evilApp: Awaited<ReturnType<typeof registerApp>>;

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({
    environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", REGISTRATION: "open", SMTP_URL: "smtp://127.0.0.1:1" },
  });
  evilApp = await registerApp(subject.server, { redirect_uris: [EVIL] });
  // Somebody else's domain, listed and never proven.
  const hostile = await createSsoAdmin(subject, "eve@hostile.example", "hostile");
  await listDomains(subject, hostile, settingsFor(provider, { domains: ["victim.example"], enforced: true, break_glass: [hostile.id] }));
  await subject.identity.signAudit();
  // Whoever has the database has deleted what was signed, and waits for somebody to sign what is there now.
  await subject.database.query.deleteFrom("identity.audit_anchors").execute();
}, 60_000);

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.throttles").execute();
  bearer = await makeBearer(subject, "a passkey and an app", "a stepped-up session");
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

async function stateOf() {
  const { query } = subject.database;
  const domains = await query
    .selectFrom("identity.sso_domains")
    .select(["domain", "provider_id", "verified_at"])
    .orderBy("domain")
    .execute();
  const signatures = await query.selectFrom("identity.audit_anchors").select(["last_id", "hash"]).orderBy("last_id").execute();
  return { domains, signatures };
}

/** Runs it, and tries the rules. @returns which of them had something to hold. */
async function effectsOf(run: () => Promise<{ readonly location: string; readonly body: string }>): Promise<readonly string[]> {
  const before = await stateOf();
  const { location, body } = await run();
  const after = await stateOf();
  for (const { domain, verified_at: verifiedAt } of after.domains) {
    expect(verifiedAt === null || [...subject.dns.records.keys()].some((name) => name.endsWith(domain)), domain).toBe(true);
  }
  const leadsTo = /"continue_to":"([^"]+)"/.exec(body)?.[1] ?? location;
  const places = [CONSOLE, provider.issuer];
  expect(leadsTo === "" || places.includes(new URL(leadsTo, CONSOLE).origin), leadsTo).toBe(true);
  expect(body).not.toMatch(/evil\.example/);
  const isOther = (name: "domains" | "signatures") => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return [...(["domains", "signatures"] as const).filter(isOther), ...(leadsTo === "" ? [] : ["leads"])];
}

/** An address that no browser may be led to, given in every place that takes one. */
const TEMPTING = new URLSearchParams({
  client_id: "",
  redirect_uri: EVIL,
  response_type: "code",
  response_mode: "form_post",
  prompt: "none",
  ...Object.fromEntries(["next", "return_to", "continue_to", "url", "post_logout_redirect_uri"].map((name) => [name, EVIL])),
});

async function send(route: string, sent: Sent, headers: Readonly<Record<string, string>>) {
  const [method = "", path = ""] = route.split(" ");
  TEMPTING.set("client_id", evilApp.clientId);
  const query = method === "GET" ? `?${TEMPTING.toString()}` : "";
  const {
    statusCode,
    headers: answered,
    body,
  } = await subject.server.inject({
    method: method as "GET",
    url: `${addressOf(path, sent)}${query}`,
    headers: { ...headers, "x-forwarded-host": "evil.example", ...(sent.cookie === undefined ? {} : { cookie: sent.cookie }) },
    ...(sent.payload === undefined ? {} : { payload: sent.payload }),
  });
  return { statusCode, location: answered.location ?? "", body };
}

/** A refusal is as good as anything that changes nothing. */
const outcomeOf = (run: () => Promise<unknown>) => run().then(String, errorMessage);

const heldBy = (row: string) => Object.entries(HOLDS).flatMap(([rule, rows]) => ((rows as readonly string[]).includes(row) ? [rule] : []));

test("every route stands in a table, and every row of a rule is one", () => {
  const routes = [...subject.routes].filter((route) => !/^(?:HEAD|OPTIONS) /.test(route) && !route.includes(" /docs"));
  const rows = new Set([...Object.keys(GUARDED), ...Object.keys(OPEN), ...Object.keys(READS)]);
  expect(
    routes.filter((route) => !rows.has(route)),
    "routes without a row",
  ).toEqual([]);
  expect(
    [...rows].filter((row) => !subject.routes.has(row)),
    "rows without a route",
  ).toEqual([]);
  const all = new Set([...rows, ...Object.keys(COMMANDS), ...Object.keys(TASKS)]);
  expect(Object.values(HOLDS).flatMap((held) => held.filter((row) => !all.has(row)))).toEqual([]);
});

describe("in a world that waits for a rule to break, each does what the rules let it, and no more", () => {
  test.each(Object.entries(READS))("%s", async (route, id) => {
    const headers = { authorization: `Bearer ${bearer.token}`, accept: "text/html" };
    expect((await effectsOf(() => send(route, { id }, headers))).filter((effect) => !heldBy(route).includes(effect))).toEqual([]);
  });

  test.each(Object.entries<Row>({ ...GUARDED, ...OPEN }))("%s", async (route, { sends }) => {
    const owner = await makeBearer(subject, "an app");
    const sent: Sent = (await sends?.(bearer, { subject, provider, owner })) ?? {};
    const effects = await effectsOf(() => send(route, sent, { authorization: `Bearer ${bearer.token}` }));
    expect(effects.filter((effect) => !heldBy(route).includes(effect))).toEqual([]);
  });

  test.each(Object.entries(TASKS))("the task %s", async (name, run) => {
    const effects = await effectsOf(async () => ({ location: "", body: await outcomeOf(() => run(subject)) }));
    expect(effects.filter((effect) => !heldBy(name).includes(effect))).toEqual([]);
  });

  // The one that an operator accepts comes last: what it signs is whole from then on.
  const commands = Object.entries(COMMANDS).toSorted(
    ([one], [other]) => Number(one === "acceptRestore") - Number(other === "acceptRestore"),
  );
  test.each(commands)("the command %s", async (name, { run }) => {
    const effects = await effectsOf(async () => ({ location: "", body: await outcomeOf(async () => run(bearer, subject)) }));
    expect(effects).toEqual(heldBy(name));
  });
});

test("a person's yes leads to the app that they let in, and nobody else's", async () => {
  const question = questionOf(await askFor(subject.server, evilApp, { redirect_uri: EVIL }));
  const fresh = await makeBearer(subject, "no second factor", "a fresh session");
  const consented = await consent(subject.server, question, fresh.token);
  const { continue_to: next } = consented.json<{ continue_to: string }>();
  const answer = await subject.server.inject({
    url: new URL(next).pathname.replace("/api/identity", ""),
    headers: { cookie: question.cookie },
  });
  expect(String(answer.headers.location)).toMatch(/^https:\/\/evil\.example\/landing\?code=/);
});
