import { randomUUID } from "node:crypto";
import { createLog } from "@sightline/foundation/log";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { expect, test } from "vitest";
import { prepare } from "./prepare.ts";

test("without pgvector all but the code index is prepared, where no role needs it", needsRealPostgres, async () => {
  const database = await createTestDatabase();
  const [role, address] = [`plain_${randomUUID().replaceAll("-", "")}`, new URL(database.url)];
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "warn", destination: { write: (line) => void lines.push(line) } });
  try {
    await database.pool.query(
      `create role ${role} login createrole password 'p'; grant create on database ${address.pathname.slice(1)} to ${role}`,
    );
    [address.username, address.password] = [role, "p"];
    const environment = {
      DATABASE_URL: address.href,
      CODEINDEX_DATABASE_URL: address.href,
      SECRET_KEY: "s".repeat(43),
      ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
      CODEINDEX_WEBHOOK_SECRET: "w".repeat(43),
      CODEINDEX_JWT_JWKS_URL: "http://127.0.0.1:1/keys",
      API_KEY: `studio_${"0".repeat(64)}`,
    };
    await expect(prepare(environment, silentLog, 10, { firstAdmin: true, needsCode: true })).rejects.toThrow("extensions vector");
    expect(await prepare(environment, log, 10, { firstAdmin: true, needsCode: false })).toMatchObject({
      oneTimePassword: expect.any(String),
    });
    expect(lines).toEqual([expect.stringContaining("The code index is left out")]);
    const { rows } = await database.pool.query(
      "select to_regclass('observability.traces') is not null as traces, to_regclass('codeindex.tenants') as code",
    );
    expect(rows).toEqual([{ traces: true, code: null }]);
    await database.pool.query("create extension vector; create extension pg_trgm");
    await prepare(environment, silentLog, 10, { firstAdmin: true, needsCode: true });
  } finally {
    await database.pool.query(`drop owned by ${role} cascade; drop role ${role}`);
    await database.drop();
  }
});
