import { randomBytes } from "node:crypto";
import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { migrateDown, migrateUp } from "@sightline/foundation/database/migrations";
import { addressOf, onServer } from "@sightline/foundation/testing/on-server";
import { createClusterDatabase, startCitus, type PrivateCluster } from "@sightline/foundation/testing/private-citus";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { createCertificate, type Certificate } from "@sightline/foundation/testing/certificates";
import { codeIndexMigrations } from "./migrations.ts";
import { placedTenants } from "./cluster.store.ts";
import { placeTenant } from "./place-tenant.ts";
import { ensureTenant, withinTenant } from "./tenant.ts";

/*
 * Nodes as docs/operations.md has them: they know each other by a certificate, the product's user is no superuser, and has
 * the one password there is.
 */

const NAME = "sightline";
const PASSWORD = randomBytes(16).toString("hex");

/** Told to the other nodes by Citus. Whoever owns the extensions may say "if not exists" of them, as the migrations do. */
const USER = [
  `create role app login createrole superuser password '${PASSWORD}'`,
  `grant create on database ${NAME} to app`,
  "set role app",
  "create extension vector",
  "create extension pg_trgm",
  "reset role",
  "alter role app nosuperuser",
];

let cluster: PrivateCluster;
let certificate: Certificate;
let database: Database<CodeIndexTables>;

beforeAll(async () => {
  certificate = await createCertificate();
  // Relative paths begin in the server's data folder.
  const conninfo = "sslmode=verify-full sslrootcert=ca.crt sslcert=node.crt sslkey=node.key";
  cluster = await startCitus({ workers: 2, settings: { "citus.node_conninfo": conninfo, "citus.local_hostname": "127.0.0.1" } });
  const nodes = [cluster.coordinator, ...cluster.workers];
  await Promise.all(
    nodes.map((node) =>
      onServer(node, async (client) => {
        for (const statement of secured(node === cluster.coordinator)) {
          await client.query(statement);
        }
      }),
    ),
  );
  await createClusterDatabase(cluster, NAME);
  await onServer(addressOf(cluster.coordinator, NAME), async (client) => {
    for (const statement of USER) {
      await client.query(statement);
    }
  });
  const url = new URL(addressOf(cluster.coordinator, NAME));
  url.username = "app";
  url.password = PASSWORD;
  database = createDatabase<CodeIndexTables>({ url: url.toString(), poolSize: 5, applicationName: "test", log: silentLog });
  await migrateUp(database.pool, codeIndexMigrations);
});

afterAll(async () => {
  await database.close();
  await cluster.stop();
  await certificate.remove();
});

/** The test itself makes databases as the superuser; of all others only nodes get in, and the product where it asks. */
function secured(isCoordinator: boolean): readonly string[] {
  const hba = [
    "hostnossl all postgres 127.0.0.1/32 trust",
    "hostssl all all 127.0.0.1/32 cert map=nodes",
    ...(isCoordinator ? [`hostnossl ${NAME} app 127.0.0.1/32 scram-sha-256`] : []),
  ];
  const files = {
    "ca.crt": String(certificate.certificate),
    "node.crt": String(certificate.certificate),
    "node.key": String(certificate.key),
    "pg_hba.conf": hba.join("\n"),
    "pg_ident.conf": "nodes localhost all",
  };
  const lines = Object.entries(files).flatMap(([name, text]) =>
    text.split("\n").map((line, index) => `copy (select $$${line}$$) to program 'umask 077; cat ${index === 0 ? ">" : ">>"} ${name}'`),
  );
  const settings = ["ssl_cert_file = 'node.crt'", "ssl_key_file = 'node.key'", "ssl_ca_file = 'ca.crt'", "ssl = on"];
  return [...lines, ...settings.map((setting) => `alter system set ${setting}`), "select pg_reload_conf()", "select pg_sleep(1)"];
}

test("as the product's user tenants are made, read as their roles, moved and taken back", { timeout: 240_000 }, async () => {
  const one = await ensureTenant(database, { tenantId: "one", name: "one" });
  const two = await ensureTenant(database, { tenantId: "two", name: "two" });
  const placed = await placedTenants(database.query);
  expect(new Set(placed.map(({ node }) => node)).size).toBe(2);

  await withinTenant(database, one, {}, (transaction) =>
    sql`insert into tenant_one.segments (generation, chunks) values (1, 1)`.execute(transaction),
  );
  const read = (tenant: typeof one) =>
    withinTenant(database, tenant, { readOnly: true }, (transaction) =>
      sql`select current_user as who, chunks from tenant_one.segments`.execute(transaction),
    );
  expect((await read(one)).rows).toEqual([{ who: one.role, chunks: 1 }]);
  await expect(read(two)).rejects.toMatchObject({ code: "42501" });

  const to = placed.find((tenant) => tenant.name === "two")?.node ?? undefined;
  expect(await placeTenant(database.query, { name: "one", node: to })).toEqual({ node: to, moved: true });
  expect((await read(one)).rows).toEqual([{ who: one.role, chunks: 1 }]);
});

test(
  "nobody but a node gets in as a tenant's role, or as the product's user where the product does not ask",
  { timeout: 120_000 },
  async () => {
    const { role } = await ensureTenant(database, { tenantId: "one", name: "one" });
    for (const node of [cluster.coordinator, ...cluster.workers]) {
      const { rows } = await onServerRows(
        node,
        `select rolcanlogin, rolpassword, rolsuper, rolcreaterole from pg_authid where rolname = '${role ?? ""}'`,
      );
      expect(rows).toEqual([{ rolcanlogin: true, rolpassword: null, rolsuper: false, rolcreaterole: false }]);
      const users = node === cluster.coordinator ? [role] : [role, "app"];
      for (const user of users) {
        for (const password of ["", PASSWORD]) {
          for (const sslmode of ["disable", "no-verify"]) {
            const url = new URL(addressOf(node, NAME));
            url.username = user ?? "";
            url.password = password;
            url.searchParams.set("sslmode", sslmode);
            await expect(onServer(url.toString(), async () => undefined)).rejects.toMatchObject({ code: expect.stringMatching(/^28/) });
          }
        }
      }
    }
  },
);

test("taking the migrations back leaves no schema and no role on any node", { timeout: 120_000 }, async () => {
  await migrateDown(database.pool, codeIndexMigrations);
  for (const node of [cluster.coordinator, ...cluster.workers]) {
    const { rows } = await onServerRows(
      addressOf(node, NAME),
      "select nspname as name from pg_namespace where nspname ~ '^tenant_|codeindex' union all select rolname from pg_roles where rolname ~ '^tenant_'",
    );
    expect(rows).toEqual([]);
  }
});

async function onServerRows(url: string, text: string): Promise<{ readonly rows: readonly unknown[] }> {
  let rows: readonly unknown[] = [];
  await onServer(url, async (client) => {
    ({ rows } = await client.query(text));
  });
  return { rows };
}
