import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "@sightline/foundation/log";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { DomainProof } from "#contract.ts";
import { createNotices } from "#notices/notices.ts";
import { ask, createAdmin, createMember, rowOf, type Person } from "#testing/administration.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { signInAt } from "#testing/company-sign-in.ts";
import { createSsoAdmin, listDomains, publish, saveSso, settingsFor, verify } from "#testing/company-tenant.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";
import { ringUnderTest } from "#testing/second-factor-setup.ts";
import { createProofLookup, type LookUpProof } from "./look-up-proof.ts";
import { createDomainChecks } from "./recheck-domains.ts";

let subject: IdentityFixture;
let provider: CompanyProvider;
let admin: Person;
let other: Person;

const DOMAIN = "acme.example";
const NAME = `_sightline-challenge.${DOMAIN}`;
const DAY = 24 * 3600;

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({ environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" } });
});

beforeEach(async () => {
  subject.dns.records.clear();
  subject.dns.fails = undefined;
  for (const table of ["identity.sso_providers", "identity.users", "identity.throttles", "identity.notices"] as const) {
    await subject.database.query.deleteFrom(table).execute();
  }
  admin = await createSsoAdmin(subject, "root@sightline.example");
  other = await createSsoAdmin(subject, "root@two.example", "two");
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

const offered = async () => (await subject.server.inject({ url: `/login/sso?domain=${DOMAIN}` })).json<{ providers: object[] }>().providers;

/** The domain as its admin sees it. */
async function proofOf(person: Person, domain = DOMAIN): Promise<DomainProof | undefined> {
  const { sso } = (await ask(subject.server, person, "GET", "/admin/sso")).json<{ sso: { domain_proofs: DomainProof[] } }>();
  return sso.domain_proofs.find((one) => one.domain === domain);
}

async function eventsOf({ id }: Person): Promise<readonly string[]> {
  const { tenant_id: tenantId } = await rowOf(subject, id);
  const rows = await subject.database.query
    .selectFrom("identity.audit")
    .select("event")
    .where("tenant_id", "=", tenantId)
    .where("event", "like", "sso_domain_%")
    .orderBy("id")
    .execute();
  return rows.map(({ event }) => event);
}

async function noticesOf({ id }: Person): Promise<readonly string[]> {
  const rows = await subject.database.query.selectFrom("identity.notices").select("kind").where("user_id", "=", id).orderBy("at").execute();
  return rows.map(({ kind }) => kind).filter((kind) => kind.startsWith("sso_domain"));
}

function checks(lookUpProof: LookUpProof = createProofLookup([subject.dns.address]), log = silentLog) {
  const notices = createNotices({ sealer: ringUnderTest(), mailed: false });
  return createDomainChecks({ queries: subject.database.query, notices, lookUpProof, log, clock: subject.clock });
}

/** Makes everything known of domains so much older: sessions would not outlive the clock's days. */
async function later(seconds: number): Promise<void> {
  const older = (column: string) => sql<Date | null>`${sql.ref(column)} - make_interval(secs => ${seconds})`;
  await subject.database.query
    .updateTable("identity.sso_domains")
    .set({ missing_since: older("missing_since"), check_at: older("check_at") })
    .execute();
}

describe("a listed domain", () => {
  test("waits for a record with a token of its own, and counts once that is found", async () => {
    const { id, domain_proofs: proofs } = await listDomains(subject, admin, settingsFor(provider));
    const [proof] = proofs;
    expect(proof).toMatchObject({
      domain: DOMAIN,
      state: "waiting",
      record: { name: NAME, value: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(await offered()).toEqual([]);
    expect((await signInAt(subject.server, id)).json()).toMatchObject({ error: "sso_unknown_provider" });

    expect((await verify(subject, admin, DOMAIN)).statusCode).toBe(200);
    expect(await proofOf(admin)).toMatchObject({ state: "waiting", problem: expect.stringContaining(`no TXT record at ${NAME}`) });

    publish(subject, { name: NAME, value: "something-else\u0007" });
    await verify(subject, admin, DOMAIN);
    expect((await proofOf(admin))?.problem).toContain("“something-else ”");

    subject.dns.fails = 2;
    await verify(subject, admin, DOMAIN);
    expect((await proofOf(admin))?.problem).toContain("ESERVFAIL");

    subject.dns.fails = undefined;
    publish(subject, { name: NAME, value: proof?.record.value ?? "" });
    await verify(subject, admin, DOMAIN);
    expect(await proofOf(admin)).toMatchObject({ state: "verified", problem: null });
    expect(await offered()).toEqual([{ id, name: "Acme ID", required: false }]);
    expect((await eventsOf(admin)).slice(-2)).toEqual(["sso_domain_added", "sso_domain_verified"]);
  });

  test("keeps token and proof when settings are saved again, and gets another token once it was taken off the list", async () => {
    await saveSso(subject, admin, settingsFor(provider));
    const before = await proofOf(admin);
    await listDomains(subject, admin, settingsFor(provider, { name: "Acme", domains: [DOMAIN, "acme.test"] }));
    expect(await proofOf(admin)).toEqual(before);
    await listDomains(subject, admin, settingsFor(provider, { domains: ["acme.test"] }));
    expect(await offered()).toEqual([]);
    await listDomains(subject, admin, settingsFor(provider));
    expect(await proofOf(admin)).toMatchObject({ state: "waiting" });
    expect((await proofOf(admin))?.record.value).not.toBe(before?.record.value);
    expect((await eventsOf(admin)).slice(-4)).toEqual(["sso_domain_added", "sso_domain_removed", "sso_domain_added", "sso_domain_removed"]);
  });

  test("is verified by an admin of its own tenant who has confirmed it, thirty times in ten minutes at the most", async () => {
    await listDomains(subject, admin, settingsFor(provider));
    expect((await verify(subject, other, DOMAIN)).json()).toMatchObject({ error: "sso_domain_unknown" });
    expect((await verify(subject, await createMember(subject, admin, "mem@x.example"), DOMAIN)).statusCode).toBe(403);
    expect((await verify(subject, await createAdmin(subject, "bea@x.example"), DOMAIN)).json()).toMatchObject({
      error: "second_factor_needed",
    });
    for (let count = 1; count < 30; count += 1) {
      expect((await verify(subject, admin, DOMAIN)).statusCode).toBe(200);
    }
    expect((await verify(subject, admin, DOMAIN)).statusCode).toBe(429);
  });

  test("begins to be demanded with its proof: sessions by password end then, and not before", async () => {
    const mem = await createMember(subject, admin, "mem@acme.example");
    const { domain_proofs: proofs } = await listDomains(subject, admin, settingsFor(provider, { enforced: true, break_glass: [admin.id] }));
    expect((await ask(subject.server, mem, "GET", "/login/me")).statusCode).toBe(200);
    proofs.forEach(({ record }) => publish(subject, record));
    await verify(subject, admin, DOMAIN);
    expect((await ask(subject.server, mem, "GET", "/login/me")).statusCode).toBe(401);
    expect((await logIn(subject.server, mem.email)).json()).toMatchObject({ error: "sso_required" });
  });

  test("is not believed from an answer that is too large", async () => {
    const [proof] = (await listDomains(subject, admin, settingsFor(provider))).domain_proofs;
    subject.dns.records.set(NAME, [proof?.record.value ?? "", ...Array.from({ length: 60 }, (_, index) => `record ${index}`)]);
    await verify(subject, admin, DOMAIN);
    expect(await proofOf(admin)).toMatchObject({ state: "waiting", problem: expect.stringContaining("too much") });
  });
});

describe("of two tenants", () => {
  test("one proves nothing by the record of the other", async () => {
    await saveSso(subject, admin, settingsFor(provider));
    await listDomains(subject, other, settingsFor(provider));
    await verify(subject, other, DOMAIN);
    expect(await proofOf(other)).toMatchObject({ state: "waiting" });
    expect(await proofOf(admin)).toMatchObject({ state: "verified" });
  });

  test("the second to prove a domain gets it once the first takes it off, or a week after the first's record is gone", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    const [second] = (await listDomains(subject, other, settingsFor(provider))).domain_proofs;
    publish(subject, second?.record ?? { name: "", value: "" });
    expect((await verify(subject, other, DOMAIN)).json()).toMatchObject({ error: "sso_domain_taken" });

    subject.dns.records.set(NAME, [second?.record.value ?? ""]);
    expect((await verify(subject, other, DOMAIN)).json()).toMatchObject({ error: "sso_domain_taken" });
    expect(await proofOf(admin)).toMatchObject({ state: "proof_gone" });
    expect(await noticesOf(admin)).toEqual(["sso_domain_proof_gone"]);
    expect(await offered()).toMatchObject([{ id }]);

    await later(7 * DAY);
    expect((await verify(subject, other, DOMAIN)).statusCode).toBe(200);
    expect(await proofOf(admin)).toMatchObject({ state: "waiting" });
    expect(await proofOf(other)).toMatchObject({ state: "verified" });
    expect(await offered()).not.toMatchObject([{ id }]);
    expect((await eventsOf(admin)).slice(-2)).toEqual(["sso_domain_proof_gone", "sso_domain_lost"]);

    expect((await verify(subject, admin, DOMAIN)).statusCode).toBe(200);
    publish(subject, (await proofOf(admin))?.record ?? { name: "", value: "" });
    expect((await verify(subject, admin, DOMAIN)).json()).toMatchObject({ error: "sso_domain_taken" });
    await listDomains(subject, other, settingsFor(provider, { domains: ["two.example"] }));
    expect((await verify(subject, admin, DOMAIN)).statusCode).toBe(200);
    expect(await proofOf(admin)).toMatchObject({ state: "verified" });
  });

  test("who verify at once on two replicas, one has the domain", async () => {
    const second = await subject.replica();
    for (const person of [admin, other]) {
      (await listDomains(subject, person, settingsFor(provider))).domain_proofs.forEach(({ record }) => publish(subject, record));
    }
    const answers = await Promise.all([verify(subject, admin, DOMAIN), verify({ ...subject, ...second }, other, DOMAIN)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((one, another) => one - another)).toEqual([200, 409]);
  });
});

describe("a domain that counts", () => {
  test("is looked up once a day; its admins are told that the record is gone, and it counts for a week", async () => {
    await saveSso(subject, admin, settingsFor(provider));
    const record = subject.dns.records.get(NAME) ?? [];
    subject.dns.records.clear();
    await checks().run();
    expect(await proofOf(admin)).toMatchObject({ state: "verified" });

    await later(DAY);
    await checks().run();
    const ends = new Date(subject.clock.now().getTime() + 7 * DAY * 1000).toISOString();
    expect(await proofOf(admin)).toMatchObject({ state: "proof_gone", ends_at: ends, problem: expect.stringContaining("no TXT record") });
    expect(await offered()).toHaveLength(1);

    await later(3600);
    await checks().run();
    subject.dns.records.set(NAME, record);
    await later(3600);
    await checks().run();
    expect(await proofOf(admin)).toMatchObject({ state: "verified", ends_at: null, problem: null });
    expect(await noticesOf(admin)).toEqual(["sso_domain_proof_gone"]);

    subject.dns.records.clear();
    await later(DAY);
    await checks().run();
    await later(7 * DAY);
    await checks().run();
    expect(await proofOf(admin)).toMatchObject({ state: "waiting" });
    expect(await offered()).toEqual([]);
    expect(await noticesOf(admin)).toEqual(["sso_domain_proof_gone", "sso_domain_proof_gone", "sso_domain_lost"]);
    expect(await noticesOf(other)).toEqual([]);
  });

  test("goes on counting while name servers can't be reached, however long", async () => {
    await saveSso(subject, admin, settingsFor(provider));
    subject.dns.fails = 2;
    for (let day = 0; day < 9; day += 1) {
      await later(DAY);
      await checks().run();
    }
    expect(await proofOf(admin)).toMatchObject({ state: "verified", problem: expect.stringContaining("ESERVFAIL") });
    expect(await offered()).toHaveLength(1);
  });

  test("is checked whatever happens with another, by one replica", async () => {
    const lines: string[] = [];
    const log = createLog({ name: "identity", level: "info", destination: { write: (line) => void lines.push(line) } });
    await saveSso(subject, admin, settingsFor(provider, { domains: [DOMAIN, "broken.example"] }));
    subject.dns.records.clear();
    const asked: string[] = [];
    const lookUp: LookUpProof = async (domain) => {
      asked.push(domain);
      if (domain === "broken.example") {
        throw new Error("a fault of ours");
      }
      return { values: [] };
    };
    await later(DAY);
    await Promise.all([checks(lookUp, log).run(), checks(lookUp, log).run()]);

    expect(asked.toSorted()).toEqual([DOMAIN, "broken.example"]);
    expect(await proofOf(admin)).toMatchObject({ state: "proof_gone" });
    expect(lines.join("")).toContain("broken.example");
  });
});
