import { randomUUID } from "node:crypto";
import { createTestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { expect, test } from "vitest";
import { resolveSetting } from "#settings/environment.ts";
import { freePort } from "#testing/free-port.ts";
import { diagnoseDatabase } from "./diagnose-stores.ts";

test.each(["DATABASE_URL", "CODEINDEX_DATABASE_URL"])(
  "a server that is away is told once, of %s, where that alone was set",
  async (name) => {
    const given = { [name]: `postgres://app:secret@127.0.0.1:${await freePort()}/sightline` };
    const findings = await diagnoseDatabase(resolveSetting(given), given);
    expect(findings).toMatchObject([{ state: "error", fix: `Start the server, or correct ${name}.` }]);
    expect(JSON.stringify(findings)).not.toContain("secret");
  },
);

test("of two databases each is told for itself", async () => {
  const server = `postgres://127.0.0.1:${await freePort()}`;
  const given = { DATABASE_URL: `${server}/one`, CODEINDEX_DATABASE_URL: `${server}/two` };
  expect(await diagnoseDatabase(resolveSetting(given), given)).toMatchObject([
    { what: "database", fix: "Start the server, or correct DATABASE_URL." },
    { what: "codeindex database", fix: "Start the server, or correct CODEINDEX_DATABASE_URL." },
  ]);
});

test("an address of something else is not asked: it is a finding of the variables", async () => {
  const given = { DATABASE_URL: "mysql://127.0.0.1/one" };
  expect(await diagnoseDatabase(resolveSetting(given), given)).toEqual([]);
});

test("who may not make the extensions is told the statements, and nothing is kept of the try", needsRealPostgres, async () => {
  const database = await createTestDatabase();
  const [role, address] = [`doctor_${randomUUID().replaceAll("-", "")}`, new URL(database.url)];
  try {
    await database.pool.query(`create role ${role} login password 'p'; grant create on database ${address.pathname.slice(1)} to ${role}`);
    [address.username, address.password] = [role, "p"];
    const given = { DATABASE_URL: address.href };
    expect(await diagnoseDatabase(resolveSetting(given), given)).toContainEqual({
      state: "error",
      what: "codeindex database",
      found: expect.stringContaining("permission denied"),
      fix: "Let a superuser run once in this database: create extension vector; create extension pg_trgm;",
    });
    const { rows } = await database.pool.query("select extname from pg_extension where extname <> 'plpgsql'");
    expect(rows).toEqual([]);
    await database.pool.query("create extension vector; create extension pg_trgm");
    expect(await diagnoseDatabase(resolveSetting(given), given)).toContainEqual(
      expect.objectContaining({ state: "ok", found: expect.stringContaining("can be had") }),
    );
  } finally {
    await database.pool.query(`drop owned by ${role} cascade; drop role ${role}`);
    await database.drop();
  }
});
