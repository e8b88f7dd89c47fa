import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { Kysely, PostgresDialect, sql } from "kysely";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createHttpServer } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { runChecks } from "@sightline/foundation/health";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { AuditPage } from "#contract.ts";
import type { IdentitySchema } from "#schema.ts";
import { accessTokenOf, createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { createSealer } from "#keys/sealed-values.ts";
import { auditRoutes } from "./audit.routes.ts";
import { appendAudit, type AuditEvent } from "./audit.store.ts";
import { createOutsideAnchor } from "./outside-anchor.ts";

let subject: IdentityFixture;
let admin: string;
let foreignAdmin: string;

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, "ada@example.org");
  await subject.identity.ensureTenant("acme");
  await subject.identity.createAdmin({ email: "bob@acme.test", name: "Bob", password: PASSWORD, tenantName: "acme" });
  admin = await accessTokenOf(subject.server, "ada@example.org");
  foreignAdmin = await accessTokenOf(subject.server, "bob@acme.test");
  await logIn(subject.server, "nobody@example.org", "not a password of ours", "198.51.100.9");
});

afterAll(() => subject.close());

function ask(url: string, token = admin) {
  return subject.server.inject({ url, headers: { authorization: `Bearer ${token}` } });
}

async function entriesOf(query: string, token = admin): Promise<AuditPage["entries"]> {
  return (await ask(`/admin/audit?${query}`, token)).json<AuditPage>().entries;
}

async function append(events: readonly Omit<AuditEvent, "at">[], at = subject.clock.now()): Promise<void> {
  await subject.database.query
    .transaction()
    .execute((transaction) => appendAudit(transaction, ...events.map((event): AuditEvent => ({ at, ...event }))));
}

describe("GET /admin/audit", () => {
  test("tells what happened, newest first, with the addresses of who it was", async () => {
    const [latest, login] = await entriesOf("limit=2");

    expect(latest).toMatchObject({ event: "login_failed", user: null, ip: "198.51.100.9", details: { reason: "unknown_email" } });
    expect(login).toEqual({
      id: 3,
      at: subject.clock.now().toISOString(),
      event: "login_ok",
      user: { id: decodeJwt(admin).sub, email: "ada@example.org" },
      actor: { id: decodeJwt(admin).sub, email: "ada@example.org" },
      session_id: decodeJwt(admin)["sid"],
      ip: "203.0.113.7",
      user_agent: "lightMyRequest",
      details: {},
    });
  });

  test("shows the rows of the own tenant, and those of unknown addresses to the tenant default alone", async () => {
    const own = await entriesOf("");
    const foreign = await entriesOf("", foreignAdmin);

    expect(own.some(({ user }) => user === null)).toBe(true);
    expect(own.some(({ user }) => user?.email === "bob@acme.test")).toBe(false);
    expect(foreign.map(({ event, user }) => [event, user?.email])).toEqual([
      ["login_ok", "bob@acme.test"],
      ["user_created", "bob@acme.test"],
    ]);
    expect(await entriesOf(`user_id=${decodeJwt(admin).sub}`, foreignAdmin)).toEqual([]);
  });

  test("is narrowed down by event, person, address and time", async () => {
    const helper = "018f3d5e-0000-7000-8000-0000000000aa";
    const tenantId = String(decodeJwt(admin)["tid"]);
    const at = new Date(subject.clock.now().getTime() - 60_000);
    const second = (seconds: number) => new Date(at.getTime() + seconds * 1000).toISOString();
    await append(
      [
        { event: "2fa_enabled", tenantId, userId: helper, client: { ip: "192.0.2.1", userAgent: undefined } },
        { event: "2fa_disabled", tenantId, actorId: helper },
        { event: "keys_rotated", tenantId },
      ],
      at,
    );

    expect((await entriesOf("event=2fa_enabled,%20keys_rotated")).map(({ event }) => event)).toEqual(["keys_rotated", "2fa_enabled"]);
    expect((await entriesOf(`user_id=${helper}`)).map(({ event }) => event)).toEqual(["2fa_disabled", "2fa_enabled"]);
    expect((await entriesOf(`user_id=${helper}`))[0]?.actor).toEqual({ id: helper, email: null });
    expect((await entriesOf("ip=192.0.2.1")).map(({ event }) => event)).toEqual(["2fa_enabled"]);
    expect(await entriesOf(`from=${second(0)}&to=${second(1)}`)).toHaveLength(3);
    expect(await entriesOf(`to=${second(0)}`)).toEqual([]);
    expect(await entriesOf("event=no_such_event")).toEqual([]);
    expect(await entriesOf("ip=%27%20or%201=1%20--")).toEqual([]);
  });

  test("goes on where a page ended, whatever was written meanwhile", async () => {
    const tenantId = String(decodeJwt(admin)["tid"]);
    await append(Array.from({ length: 7 }, (_, index) => ({ event: "token_issued", tenantId, details: { number: String(index) } })));
    const seen: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const page: AuditPage = (
        await ask(`/admin/audit?event=token_issued&limit=3${next === "" ? "" : `&cursor=${encodeURIComponent(next)}`}`)
      ).json<AuditPage>();
      seen.push(...page.entries.map(({ details }) => details["number"] ?? ""));
      next = page.next_cursor;
      await append([{ event: "token_issued", tenantId, details: { number: "late" } }]);
    }

    expect(seen).toEqual(["6", "5", "4", "3", "2", "1", "0"]);
  });

  test.each(["cursor=x", "cursor=YmVmb3JlOi0x", "limit=0", "limit=201", "user_id=1", "from=yesterday", "ip=1%00", "event=a%00b"])(
    "refuses %s",
    async (query) => {
      expect((await ask(`/admin/audit?${query}`)).statusCode).toBe(400);
    },
  );

  test("is for admins", async () => {
    await subject.database.query.updateTable("identity.users").set({ role: "member" }).where("email", "=", "bob@acme.test").execute();
    for (const url of ["/admin/audit", "/admin/audit/export", "/admin/audit/verification"]) {
      expect((await ask(url, foreignAdmin)).statusCode).toBe(403);
      expect((await subject.server.inject({ url })).statusCode).toBe(401);
    }
    await subject.database.query.updateTable("identity.users").set({ role: "admin" }).where("email", "=", "bob@acme.test").execute();
  });
});

describe("GET /admin/audit/export", () => {
  test("gives the same entries as lines of JSON, oldest first, as a file", async () => {
    const answer = await ask("/admin/audit/export?event=login_ok,login_failed");

    expect(answer.headers["content-type"]).toBe("application/jsonl; charset=utf-8");
    expect(answer.headers["content-disposition"]).toMatch(/^attachment; filename="sightline-audit-\d{4}-\d\d-\d\d\.jsonl"$/);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const lines = answer.body.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual((await entriesOf("event=login_ok,login_failed")).toReversed());
    expect(answer.body).not.toMatch(/acme|hash/);
  });

  test("reads no further ahead than its reader takes, and stops when the reader goes", async () => {
    const tenantId = String(decodeJwt(admin)["tid"]);
    await sql`
      insert into identity.audit (id, at, event, tenant_id, details, hash)
      select -number, now(), 'keys_rotated', ${tenantId}::uuid, jsonb_build_object('filler', repeat('x', 4000)), ''
      from generate_series(1, 5000) number`.execute(subject.database.query);
    let queries = 0;
    const counted = new Kysely<IdentitySchema>({
      dialect: new PostgresDialect({ pool: subject.database.pool }),
      log: () => void (queries += 1),
    });
    const server = await createHttpServer({
      name: "export",
      title: "Export",
      version: "0.0.0",
      log: silentLog,
      metrics: createMetrics("export"),
      authenticators: subject.identity.authenticators,
      routes: [
        auditRoutes({
          queries: counted,
          sealer: createSealer([{ id: "k1", secret: "x".repeat(32) }]),
          clock: subject.clock,
          outside: createOutsideAnchor({ home: undefined, log: silentLog }),
        }),
      ],
    });
    const address = await server.listen({ host: "127.0.0.1", port: 0 });

    const request = httpRequest(`${address}/admin/audit/export?event=keys_rotated`, { headers: { authorization: `Bearer ${admin}` } });
    request.end();
    const answers: IncomingMessage[] = await once(request, "response");
    // 20 MB wait, of which the sockets' buffers take a few: the reading comes to rest.
    await vi.waitUntil(async () => {
      const before = queries;
      await subject.database.pool.query("select pg_sleep(0.2)");
      return queries === before;
    });
    const read = queries;
    answers[0]?.on("error", () => undefined).destroy();
    await server.close();

    expect(read).toBeLessThan(4);
    expect(queries).toBe(read);
    await sql`delete from identity.audit where id < 0`.execute(subject.database.query);
  });
});

describe("GET /admin/audit/verification", () => {
  test("tells the chain's end, and after tampering the first row that is wrong", async () => {
    const whole = (await ask("/admin/audit/verification")).json();
    const { rows } = await subject.database.query.selectFrom("identity.audit_head").select("rows").executeTakeFirstOrThrow();
    expect(whole).toEqual({
      intact: true,
      rows,
      head: expect.stringMatching(/^[0-9a-f]{64}$/),
      first_broken_id: null,
      problem: null,
      signed_at: expect.stringMatching(/Z$/),
    });

    await sql`update identity.audit set ip = '192.0.2.99' where id = 3`.execute(subject.database.query);

    const both = await Promise.all([ask("/admin/audit/verification"), ask("/admin/audit/verification")]);
    for (const answer of both) {
      expect(answer.json()).toMatchObject({ intact: false, first_broken_id: 3, problem: expect.stringContaining("Row 3") });
    }
    await sql`update identity.audit set ip = '203.0.113.7' where id = 3`.execute(subject.database.query);
  });

  test("says that its signatures were deleted, as /health does, while people log in as before", async () => {
    const checkAudit = () => runChecks(subject.identity.checks.filter(({ name }) => name === "audit"));
    expect(await checkAudit()).toEqual({ audit: { status: "up" } });
    await subject.database.query.deleteFrom("identity.audit_anchors").execute();
    await subject.identity.signAudit();

    expect(await checkAudit()).toEqual({ audit: { status: "down", error: expect.stringContaining("is not in this database") } });
    expect((await ask("/admin/audit/verification")).json()).toMatchObject({ intact: false, first_broken_id: null, signed_at: null });
    expect((await logIn(subject.server, "ada@example.org")).statusCode).toBe(200);
  });
});
