import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql, type Kysely } from "kysely";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "./migrations.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { ensureTenant, migrateTenants, withinTenant, type CodeIndexDatabase, type Tenant } from "./tenant.ts";

let database: TestDatabase<CodeIndexTables>;
let one: Tenant;
let two: Tenant;

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  one = await ensureTenant(database, { tenantId: "t1", name: "one" });
  two = await ensureTenant(database, { tenantId: "t2", name: `T"wo ❤` });
});

afterEach(() => database.drop());

const run = (text: string) => (transaction: Kysely<CodeIndexTables>) => sql.raw(text).execute(transaction);
const denied = { message: expect.stringMatching(/permission denied/), code: "42501" };

test("a tenant has a role of its own, which may not log in, but for nodes to each other, and has no password", async () => {
  expect(one.role).toMatch(/^tenant_one_\d+_[0-9a-f]{12}$/);
  expect(two.role).toMatch(/^tenant_t_wo___\d+_[0-9a-f]{12}$/);
  const { rows } = await sql`select rolcanlogin, rolpassword, rolsuper, rolcreaterole from pg_authid where rolname = ${one.role}`.execute(
    database.query,
  );
  const rolcanlogin = inject("workerUrls").length > 0;
  expect(rows).toEqual([{ rolcanlogin, rolpassword: null, rolsuper: false, rolcreaterole: false }]);
});

test("as a tenant the database refuses what is another tenant's, and the service's own tables", async () => {
  const foreign = `"tenant_T""wo ❤"`;
  const statements = [
    `select * from ${foreign}.code_chunks`,
    `select * from ${foreign}.repositories`,
    `insert into ${foreign}.segments (generation, chunks) values (1, 1)`,
    "select * from codeindex.repositories",
    "select * from codeindex.developer_tokens",
    "update codeindex.index_jobs set status = 'queued'",
    "create table tenant_one.mine (a int)",
    "delete from tenant_one.repositories",
    "update tenant_one.repositories set full_name = 'x/y'",
  ];
  for (const statement of statements) {
    await expect(withinTenant(database, one, {}, run(statement)), statement).rejects.toMatchObject(denied);
  }
});

test("as a tenant its own tables are read and written, those made later too, and its repositories are seen", async () => {
  await registerRepository(database, { tenantId: "t1", fullName: "a/b", cloneUrl: "https://example.org/a/b" });
  await registerRepository(database, { tenantId: "t2", fullName: "c/d", cloneUrl: "https://example.org/c/d" });
  await sql`create table tenant_one.vectors_1 (text_hash uuid primary key, embedding halfvec(3))`.execute(database.query);
  const seen = await withinTenant(database, one, {}, async (transaction) => {
    await sql`insert into tenant_one.vectors_1 values (gen_random_uuid(), '[1,2,3]')`.execute(transaction);
    await sql`insert into tenant_one.segments (generation, chunks) values (1, 1)`.execute(transaction);
    await sql`select embedding <=> '[1,2,4]'::halfvec from tenant_one.vectors_1`.execute(transaction);
    return transaction.selectFrom("repositories").select("full_name").execute();
  });
  expect(seen).toEqual([{ full_name: "a/b" }]);
});

test("the role, the time limit and the ban on writing end with the transaction, however that ends", async () => {
  const settings = sql<{ role: string; timeout: string; read_only: string }>`
    select current_setting('role') as role, current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as read_only`;
  const before = await settings.execute(database.query);
  const inside = await withinTenant(database, one, { milliseconds: 1234, readOnly: true }, (transaction) => settings.execute(transaction));
  expect(inside.rows).toEqual([{ role: one.role, timeout: "1234ms", read_only: "on" }]);
  await expect(withinTenant(database, one, { readOnly: true }, run("delete from tenant_one.segments"))).rejects.toMatchObject({
    code: "25006",
  });
  const after = await Promise.all(Array.from({ length: 40 }, () => settings.execute(database.query)));
  expect(new Set(after.map(({ rows }) => JSON.stringify(rows)))).toEqual(new Set([JSON.stringify(before.rows)]));
});

test("a role that is gone, as after a restore on another server, is made again", async () => {
  const role = one.role ?? "";
  await sql`drop owned by ${sql.id(role)}`.execute(database.query);
  await sql`drop role ${sql.id(role)}`.execute(database.query);
  await migrateTenants(database, silentLog);
  expect(await withinTenant(database, one, {}, run("select * from tenant_one.code_chunks"))).toMatchObject({ rows: [] });
});

test("a user of the database that may make roles but is no superuser gets the same", needsRealPostgres, async () => {
  await asUser("createrole", async (limited) => {
    const tenant = await ensureTenant(limited, { tenantId: "t3", name: "three" });
    expect(tenant.role).toMatch(/^tenant_three_/);
    await withinTenant(limited, tenant, {}, run("insert into tenant_three.segments (generation, chunks) values (1, 1)"));
    for (const statement of ["select * from tenant_one.segments", "select * from codeindex.tenants"]) {
      await expect(withinTenant(limited, tenant, {}, run(statement))).rejects.toMatchObject(denied);
    }
  });
});

test("where no roles may be made the tenant works without one, and one warning says what to do", needsRealPostgres, async () => {
  await asUser("", async (limited) => {
    const lines: unknown[] = [];
    const made = await ensureTenant(limited, { tenantId: "t3", name: "three" });
    const other = await ensureTenant(limited, { tenantId: "t4", name: "four" });
    expect([made.role, other.role]).toEqual([null, null]);
    await sql`delete from codeindex.tenants where tenant_id in ('t1', 't2')`.execute(limited.query);
    await migrateTenants(limited, { ...silentLog, warn: (...line: unknown[]) => void lines.push(line) } as typeof silentLog);
    expect(JSON.stringify(lines)).toMatch(/^\[\[\{"tenants":2\},".*createrole/);
    const { rows } = await withinTenant(limited, made, { milliseconds: 500 }, run("select current_setting('statement_timeout') as t"));
    expect(rows).toEqual([{ t: "500ms" }]);
  });
});

/** Runs `work` as a user who owns the service's schema, with these attributes and no others. */
async function asUser(attributes: string, work: (limited: CodeIndexDatabase) => Promise<void>): Promise<void> {
  const name = `limited_${database.url.slice(-12)}`;
  await sql.raw(`create role ${name} login ${attributes}`).execute(database.query);
  const url = new URL(database.url);
  url.username = name;
  const limited = createDatabase<CodeIndexTables>({ url: url.toString(), poolSize: 3, applicationName: "test", log: silentLog });
  try {
    await sql
      .raw(`grant create on database ${url.pathname.slice(1)} to ${name}; grant all on schema codeindex to ${name};
        grant all on all tables in schema codeindex to ${name}; grant all on all sequences in schema codeindex to ${name}`)
      .execute(database.query);
    await work(limited);
  } finally {
    await limited.close();
    await sql.raw(`drop schema if exists tenant_three, tenant_four cascade`).execute(database.query);
    const { rows } = await sql<{ rolname: string }>`
      select rolname from pg_roles where rolname ~ ('^tenant_(three|four)_' || (select oid from pg_database where datname = current_database()) || '_')
    `.execute(database.query);
    for (const { rolname } of rows) {
      await sql.raw(`drop owned by ${rolname}; drop role ${rolname}`).execute(database.query);
    }
    await sql.raw(`drop owned by ${name} cascade; drop role ${name}`).execute(database.query);
  }
}
