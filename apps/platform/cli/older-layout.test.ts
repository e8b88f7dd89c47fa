import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { createTestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { freePort } from "#testing/free-port.ts";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: COMMAND_MS });

let folder: string;

const SECRETS = {
  SECRET_KEY: "s".repeat(43),
  API_KEY: `studio_${"0".repeat(64)}`,
  CODEINDEX_WEBHOOK_SECRET: "w".repeat(43),
  ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-cli-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a database of an older layout is refused with one line that says what to do, and nothing in it is touched:", () => {
  const older = `create schema sightline; create table sightline.revisions (part text, name text, applied_at timestamptz default now());
    insert into sightline.revisions (part, name) values ('identity', '0001_identity'), ('identity', '0002_second_factor');
    create schema identity; create table identity.tenants (id int); insert into identity.tenants values (1)`;
  const everything = `select (select json_agg(row_to_json(row)) from (select xmin::text, * from sightline.revisions) as row) as revisions,
    (select json_agg(row_to_json(row)) from (select xmin::text, * from identity.tenants) as row) as tenants,
    (select array_agg(oid::text || relname order by oid) from pg_class where oid > 16384 and relnamespace <> 'pg_toast'::regnamespace) as tables`;

  test("a server's", async () => {
    const own = await createTestDatabase();
    const environment = { ...SECRETS, ...(await storePorts()), DATABASE_URL: own.url, OBSERVABILITY_REDIS_URL: inject("redisUrl") };
    await own.pool.query(older);
    const before = (await own.pool.query(everything)).rows;
    for (const words of [
      ["start", "identity"],
      ["migrate", "up"],
      ["migrate", "status"],
      ["audit", "verify"],
      ["tenant", "add", "acme"],
    ]) {
      const { code, error } = await runCommand(words, { folder, environment });
      expect({ code, error }).toEqual({
        code: 1,
        error: expect.stringMatching(
          /^The database \S+ \(DATABASE_URL\) was made by an unreleased version .* nothing in it was changed\. Set DATABASE_URL to a new, empty database and start again.*\n$/,
        ),
      });
    }
    const doctor = await runCommand(["doctor"], { folder, environment });
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain("was made by an unreleased version of Sightline");
    expect((await own.pool.query(everything)).rows).toEqual(before);
    await own.drop();
  });

  test("an embedded one", async () => {
    const home = join(folder, "older");
    await mkdir(home);
    const open = () => PGlite.create({ dataDir: join(home, "postgres") });
    const made = await open();
    await made.exec(older);
    const before = (await made.query(everything)).rows;
    await made.close();
    const environment = { ...(await storePorts()), SIGHTLINE_HOME: home };
    const { code, error } = await runCommand(["migrate", "up"], { folder, environment });
    expect({ code, error: error.replaceAll(/^Still waiting for postgres .*\n/gm, "") }).toEqual({
      code: 1,
      error: expect.stringMatching(
        /^The embedded database in \S+older was made by .* Move that folder aside \(mv \S+ \S+\.old\) and start again.*\n$/,
      ),
    });
    const after = await open();
    expect((await after.query(everything)).rows).toEqual(before);
    await after.close();
  });
});

async function storePorts(): Promise<Record<string, string>> {
  const names = ["IDENTITY_PORT", "SIGHTLINE_POSTGRES_PORT", "SIGHTLINE_REDIS_PORT"];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())] as const)));
}
