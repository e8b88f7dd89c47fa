import { randomUUID } from "node:crypto";
import { systemClock } from "@sightline/foundation/clock";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Delivery } from "#contract.ts";
import type { CodeIndexTables } from "#schema.ts";
import { pruneDeliveries } from "#webhooks/deliveries.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant } from "#store/tenancy/tenant.ts";
import { addRepository, commitOf, createWebhookServer, hmac, type WebhookServer } from "#testing/webhook-server.ts";

let database: TestDatabase<CodeIndexTables>;
let server: WebhookServer;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureTenant(database, { tenantId: "one", name: "one" });
  await ensureTenant(database, { tenantId: "two", name: "two" });
  server = await createWebhookServer(database, { clock: systemClock });
});

beforeEach(async () => {
  await database.query.deleteFrom("codeindex.repositories").execute();
});

afterAll(async () => {
  await server.close();
  await database.drop();
});

async function deliver(ref = "refs/heads/main", fullName = "acme/shop"): Promise<void> {
  const payload = JSON.stringify({ full_name: fullName, ref, after: commitOf("b") });
  const headers = { "content-type": "application/json", "x-delivery-id": randomUUID(), "x-signature-256": `sha256=${hmac(payload)}` };
  const answer = await server.inject({ method: "POST", url: "/api/v1/ingest/webhook", headers, payload });
  expect(answer.statusCode).toBe(202);
}

async function call(path = "", { method = "GET", tenant = "one" }: { readonly method?: "GET" | "POST"; readonly tenant?: string } = {}) {
  const answer = await server.inject({ method, url: `/api/v1/webhooks/deliveries${path}`, headers: { "x-tenant": tenant } });
  return { status: answer.statusCode, body: answer.json<Delivery & { items: Delivery[]; next_cursor: string | null; error: string }>() };
}

const jobs = () => database.query.selectFrom("codeindex.index_jobs").selectAll().orderBy("job_id").execute();

test("a tenant's deliveries are listed newest first, in pages, by repository and by status", async () => {
  const id = await addRepository(database);
  const other = await addRepository(database, { fullName: "acme/other" });
  await deliver();
  await deliver("refs/heads/feature");
  await deliver("refs/heads/main", "acme/other");
  const first = await call("?limit=2");
  expect(first.body.items.map((item) => [item.repo_id, item.status])).toEqual([
    [other, "accepted"],
    [id, "ignored"],
  ]);
  const second = await call(`?limit=2&cursor=${first.body.next_cursor ?? ""}`);
  expect(second.body).toMatchObject({ items: [{ repo_id: id, status: "accepted" }], next_cursor: null });
  expect((await call(`?repo_id=${id}&status=accepted`)).body.items).toHaveLength(1);
  expect((await call(`?status=lost`)).status).toBe(400);
  expect((await call(`?cursor=x`)).body.error).toBe("invalid_cursor");
  expect((await call(`/${second.body.items[0]?.id ?? ""}`)).body).toMatchObject({
    provider: "generic",
    event: "push",
    full_name: "acme/shop",
    changes: [{ branch: "main", before: null, after: commitOf("b"), deleted: false }],
    job_ids: [expect.any(String)],
    replays: 0,
    replayed_at: null,
  });
});

test("nobody sees or replays another tenant's deliveries", async () => {
  await addRepository(database);
  await deliver();
  const [mine] = (await call()).body.items;
  expect((await call("", { tenant: "two" })).body.items).toEqual([]);
  for (const id of [mine?.id ?? "", randomUUID(), "x", "%00"]) {
    expect(await call(`/${id}`, { tenant: "two" })).toMatchObject({ status: 404, body: { error: "delivery_not_found" } });
    expect(await call(`/${id}/replay`, { tenant: "two", method: "POST" })).toMatchObject({ status: 404 });
  }
  expect((await call(`/${mine?.id ?? ""}`)).body).toMatchObject({ replays: 0 });
});

test("a delivery is replayed by the settings of now, and is not counted as another push", async () => {
  const id = await addRepository(database);
  await deliver("refs/heads/feature");
  const [ignored] = (await call()).body.items;
  await database.query
    .updateTable("codeindex.repositories")
    .set({ branches: ["feature"] })
    .where("id", "=", id)
    .execute();
  const replayed = await call(`/${ignored?.id ?? ""}/replay`, { method: "POST" });
  const [job] = await jobs();
  expect(job).toMatchObject({ ref: "feature", trigger: "webhook" });
  expect(replayed).toMatchObject({
    status: 200,
    body: { status: "accepted", reason: "", job_ids: [job?.job_id], replays: 1, replayed_at: expect.any(String) },
  });
  const counted = await database.query.selectFrom("codeindex.refs").select("pushes_received").where("pushes_received", ">", 0).execute();
  expect(counted).toEqual([]);
  expect((await call(`/${ignored?.id ?? ""}/replay`, { method: "POST" })).body.replays).toBe(2);
  expect(await jobs()).toHaveLength(1);
});

test("deliveries of more than 30 days ago are deleted, the others stay", async () => {
  await addRepository(database);
  await deliver();
  await deliver();
  const [old] = (await call()).body.items;
  const now = new Date();
  await database.query
    .updateTable("codeindex.webhook_deliveries")
    .set({ received_at: new Date(now.getTime() - 31 * 24 * 60 * 60_000) })
    .where("id", "=", old?.id ?? "")
    .execute();
  expect(await pruneDeliveries(database, { now })).toBe(false);
  expect((await call()).body.items).toHaveLength(1);
});
