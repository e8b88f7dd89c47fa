import { addressOf, onServer } from "@sightline/foundation/testing/on-server";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { placedTenants } from "#store/tenancy/cluster.store.ts";
import { placeTenant } from "#store/tenancy/place-tenant.ts";
import { ensureTenant, findTenant, withinTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { markTenant } from "#store/records/deletions.store.ts";
import { callMcpTool } from "#testing/call-mcp-tool.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { describeCluster } from "./describe-cluster.ts";

let running: RunningCodeIndex;
let indexed: Indexed;
let token: string;

/** Some files, so that there is something to copy. */
const FILES = Object.fromEntries(
  Array.from({ length: 100 }, (_, n) => [
    `src/f${n}.ts`,
    `export function adder${n}(left: number) {\n  return left + ${n}; // addition\n}\n`.repeat(20),
  ]),
);

beforeAll(async () => {
  running = await startCodeIndex();
  indexed = await running.index("acme/adders", FILES);
  token = await running.createToken();
}, 240_000);

afterAll(() => running.stop());

async function nodeOf(name: string): Promise<string | null | undefined> {
  return (await placedTenants(running.database.query)).find((tenant) => tenant.name === name)?.node;
}

async function tenantOf(tenantId: string): Promise<Tenant> {
  const tenant = await findTenant(running.database, tenantId);
  if (tenant === undefined) {
    throw new Error(`${tenantId} is gone`);
  }
  return tenant;
}

async function reindex(repoId: string, tenantId?: string): Promise<void> {
  const headers = running.asAdmin(tenantId);
  const payload = { mode: "incremental" };
  expect(await running.server.inject({ method: "POST", url: `/api/v1/repos/${repoId}/index`, headers, payload })).toMatchObject({
    statusCode: 202,
  });
}

/** What the routes and the tools answer, without what differs from call to call. */
async function answers(): Promise<unknown> {
  const search = await running.server.inject({
    method: "GET",
    url: "/api/v1/search?query=adder7%20addition&limit=20",
    headers: running.asAdmin(),
  });
  expect(search.statusCode).toBe(200);
  const { results } = search.json<{ results: readonly { readonly path: string; readonly start_line: number }[] }>();
  expect(results.length).toBeGreaterThan(0);
  const symbols = await running.server.inject({ method: "GET", url: "/api/v1/symbols?name=adder42", headers: running.asAdmin() });
  expect(symbols.statusCode).toBe(200);
  const reply = await callMcpTool(running, { token, name: "grep", given: { pattern: "adder7(" } });
  const text = reply.content.map((part) => part.text).join("\n");
  expect(text).toContain("acme/adders");
  return {
    found: results.map((result) => [result.path, result.start_line]),
    symbols: symbols.json<{ symbols: unknown[] }>().symbols,
    text: text.replaceAll(/\d+ ms/g, ""),
  };
}

test("new tenants are on nodes of their own, with all of their tables, and nothing is in the way of moving them", async () => {
  const cluster = await describeCluster(running.database);
  expect(cluster?.nodes.map((node) => node.takesTenants)).toEqual([false, true, true]);
  expect(cluster?.problems).toEqual([]);
  expect(await nodeOf("one")).not.toBe(await nodeOf("two"));
  const { rows } = await sql<{ left: number }>`
    select count(*) as left from pg_class join pg_namespace as schema on schema.oid = relnamespace
    where nspname = 'tenant_one' and relkind = 'r' and pg_relation_size(pg_class.oid) > 0
  `.execute(running.database.query);
  expect(rows).toEqual([{ left: 0 }]);
});

const MOVES = 4;

test("a tenant is moved while it is searched and indexed: no search fails, and each finds the same", { timeout: 300_000 }, async () => {
  const before = await answers();
  const moving = new AbortController();
  let searches = 0;
  const searching = Array.from({ length: 2 }, async () => {
    while (!moving.signal.aborted) {
      expect(await answers()).toEqual(before);
      searches += 1;
    }
  });
  try {
    for (let move = 0; move < MOVES; move += 1) {
      const [from, already] = [await nodeOf("one"), searches];
      const other = (await describeCluster(running.database))?.nodes.find(({ node, takesTenants }) => takesTenants && node !== from);
      expect(await placeTenant(running.database.query, { name: "one", node: other?.node })).toEqual({ node: other?.node, moved: true });
      expect(await nodeOf("one")).toBe(other?.node);
      await vi.waitFor(() => expect(searches).toBeGreaterThan(already + 1), 60_000);
    }
  } finally {
    moving.abort();
    await Promise.all(searching);
  }
  console.log(`${searches} rounds of three calls during ${MOVES} moves.`);
  expect(await placeTenant(running.database.query, { name: "one" })).toEqual({ node: await nodeOf("one"), moved: false });
});

test("what is pushed while a tenant is moved is found afterwards", { timeout: 300_000 }, async () => {
  const from = await nodeOf("one");
  const other = (await describeCluster(running.database))?.nodes.find(({ node, takesTenants }) => takesTenants && node !== from);
  const moved = placeTenant(running.database.query, { name: "one", node: other?.node });
  const { id } = indexed;
  await indexed.source.commit({ "src/pushed.ts": "export const pushedMeanwhile = 1;\n" });
  await reindex(id);
  expect(await moved).toMatchObject({ moved: true });
  await vi.waitFor(
    async () => {
      const found = await running.server.inject({ method: "GET", url: "/api/v1/symbols?name=pushedMeanwhile", headers: running.asAdmin() });
      expect(found.body).toContain("src/pushed.ts");
    },
    { timeout: 120_000, interval: 500 },
  );
});

test("another tenant reads nothing of it: not by the API, not as its role, and not as its role on the node itself", async () => {
  const search = await running.server.inject({ method: "GET", url: "/api/v1/search?query=adder7", headers: running.asAdmin("two") });
  expect(search.json<{ results: unknown[] }>().results).toEqual([]);
  const file = await running.server.inject({ method: "GET", url: `/api/v1/repos/${indexed.id}/tree`, headers: running.asAdmin("two") });
  expect(file.statusCode).toBe(404);

  const two = await tenantOf("two");
  const denied = { message: expect.stringMatching(/permission denied/), code: "42501" };
  for (const statement of [
    "select * from tenant_one.code_chunks",
    "delete from tenant_one.files",
    "select * from codeindex.repositories",
  ]) {
    await expect(withinTenant(running.database, two, {}, (transaction) => sql.raw(statement).execute(transaction))).rejects.toMatchObject(
      denied,
    );
  }
  const name = new URL(running.database.url).pathname.slice(1);
  for (const worker of inject("workerUrls")) {
    const address = new URL(addressOf(worker, name));
    address.username = two.role ?? "";
    await onServer(address.toString(), async (client) => {
      const { rows } = await client.query<{ name: string }>(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'tenant_one'",
      );
      expect(rows.length).toBeGreaterThan(10);
      for (const table of rows) {
        await expect(client.query(`select * from ${table.name}`)).rejects.toMatchObject(denied);
      }
    });
  }
});

test("a tenant from before there were nodes is searched and indexed after it was placed", { timeout: 300_000 }, async () => {
  const { database, server, asAdmin } = running;
  const letTake = (takes: boolean) =>
    sql`select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${takes}) from pg_dist_node where groupid > 0`.execute(
      database.query,
    );
  const find = (name: string) => server.inject({ method: "GET", url: `/api/v1/symbols?name=${name}`, headers: asAdmin("older") });

  await letTake(false);
  await ensureTenant(database, { tenantId: "older", name: "older" });
  const older = await running.index("acme/older", { "a.ts": "export const fromBefore = 1;\n" }, "older");
  await letTake(true);
  expect(await nodeOf("older")).toBeNull();
  expect((await find("fromBefore")).body).toContain("a.ts");

  expect(await placeTenant(database.query, { name: "older" })).toMatchObject({ moved: true });
  expect(await nodeOf("older")).not.toBeNull();
  expect((await find("fromBefore")).body).toContain("a.ts");
  await older.source.commit({ "b.ts": "export const fromAfter = 1;\n" });
  await reindex(older.id, "older");
  await vi.waitFor(async () => expect((await find("fromAfter")).body).toContain("b.ts"), { timeout: 120_000, interval: 500 });
});

test("where a tenant can't be placed, the message says why", async () => {
  const { query } = running.database;
  const node = String(await nodeOf("one"));
  await expect(placeTenant(query, { name: "nobody" })).rejects.toMatchObject({ code: "tenant_unknown" });
  await expect(placeTenant(query, { name: "one", node: "elsewhere:5432" })).rejects.toMatchObject({
    code: "node_unknown",
    message: expect.stringContaining(node),
  });
});

test("a deleted tenant leaves no table and no role on any node", { timeout: 120_000 }, async () => {
  const gone = await ensureTenant(running.database, { tenantId: "gone", name: "gone" });
  await markTenant(running.database, { name: "gone", now: new Date() });
  await vi.waitFor(async () => expect(await ensureTenant(running.database, { tenantId: "gone-2", name: "gone" })).toBeTruthy(), 60_000);
  await markTenant(running.database, { name: "gone", now: new Date() });
  await vi.waitFor(
    async () => {
      const { rows } = await sql<{ result: string }>`
        select result from run_command_on_all_nodes(${`
          select (select count(*) from pg_tables where schemaname = 'tenant_gone') + (select count(*) from pg_roles where rolname = '${gone.role}')
        `})
      `.execute(running.database.query);
      expect(rows.map(({ result }) => result)).toEqual(["0", "0", "0"]);
    },
    { timeout: 60_000, interval: 500 },
  );
});
