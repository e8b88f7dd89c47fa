import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDatabase } from "@sightline/foundation/database/database";
import { needsPrograms } from "@sightline/foundation/testing/programs";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { createTestRedis } from "@sightline/foundation/testing/test-redis";
import { expect, test } from "vitest";
import { environmentInCompose } from "#testing/compose-environment.ts";
import { freePort } from "#testing/free-port.ts";
import { root } from "#testing/read-documents.ts";
import { prepare } from "./prepare.ts";

const PROGRAM = fileURLToPath(new URL("../sightline.ts", import.meta.url));
const SECRETS = {
  SECRET_KEY: "x".repeat(43),
  API_KEY: `studio_${"0".repeat(64)}`,
  CODEINDEX_WEBHOOK_SECRET: "x".repeat(43),
  ENCRYPTION_KEYS: `k1:${"x".repeat(43)}`,
};
/** The console is left out: where it was not built before, it would build itself. */
const SERVED = [
  ["identity", "IDENTITY_PORT"],
  ["code-index", "CODEINDEX_PORT"],
  ["observability", "OBSERVABILITY_PORT"],
  ["consumer", "OBSERVABILITY_CONSUMER_PORT"],
] as const;

const psql = needsPrograms("psql");

/** The same server, as another user and in another database. */
function addressOf(url: string, username: string, database?: string): string {
  const address = new URL(url);
  [address.username, address.password] = [username, "p"];
  address.pathname = database ?? address.pathname;
  return address.href;
}

/** Each role as its container has it, but for the addresses: by its own variables alone. */
async function startEach({ accounts, code }: { readonly accounts: string; readonly code: string }): Promise<void> {
  const redis = await createTestRedis();
  const home = await mkdtemp(join(tmpdir(), "sightline-compose-"));
  const ports = Object.fromEntries(await Promise.all(SERVED.map(async ([role]) => [role, String(await freePort())] as const)));
  const here = { DATABASE_URL: accounts, CODEINDEX_DATABASE_URL: code, OBSERVABILITY_REDIS_URL: redis.url, SIGHTLINE_HOST: "127.0.0.1" };
  const children = [...SERVED, ["indexer", ""] as const].map(([role, portVariable]) => {
    const environment = environmentInCompose(role, SECRETS);
    const own = Object.entries({ ...here, [portVariable]: ports[role] ?? "" }).filter(([name]) => name in environment);
    const env = { PATH: process.env["PATH"], ...environment, ...Object.fromEntries(own), SIGHTLINE_HOME: join(home, role) };
    return {
      role,
      child: spawn(process.execPath, [PROGRAM, "start", "--prepared", role], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] }),
    };
  });
  try {
    for (const { role, child } of children) {
      let said = "";
      const note = (data: Buffer) => (said += data.toString());
      [child.stdout, child.stderr].forEach((stream) => stream.on("data", note));
      await expect.poll(() => said, { timeout: 90_000, message: role }).toContain(`is up: ${role}`);
    }
    for (const [role] of SERVED) {
      expect((await fetch(`http://127.0.0.1:${ports[role]}/health`)).status, role).toBe(200);
    }
  } finally {
    await Promise.all(children.filter(({ child }) => child.exitCode === null).map(({ child }) => end(child)));
    await redis.client.quit();
    await rm(home, { recursive: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

async function ask(url: string, statement: string): Promise<readonly unknown[]> {
  const { pool, close } = createDatabase({ url, poolSize: 1, applicationName: "test", log: silentLog });
  try {
    return (await pool.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await close();
  }
}

test(
  `the databases of compose.yaml are enough for every role, and each user reaches its own${psql.note}`,
  { skip: needsRealPostgres.skip || psql.skip, timeout: 180_000 },
  async () => {
    const database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    try {
      await promisify(execFile)(
        "psql",
        ["--no-psqlrc", "--quiet", "--file", join(root, "deploy/compose/make-databases.sql"), database.url],
        {
          env: { PATH: process.env["PATH"], POSTGRES_DB: name, ACCOUNTS_POSTGRES_PASSWORD: "a' b", CODEINDEX_POSTGRES_PASSWORD: "p" },
        },
      );
      const [accounts, code] = [addressOf(database.url, "sightline_accounts"), addressOf(database.url, "sightline_code", "sightline_code")];
      await prepare(
        { ...SECRETS, DATABASE_URL: accounts, CODEINDEX_DATABASE_URL: code, CODEINDEX_JWT_JWKS_URL: "http://127.0.0.1:1/keys" },
        silentLog,
        10,
        { firstAdmin: true, needsCode: true },
      );
      await startEach({ accounts, code });
      const users = await ask(
        database.url,
        "select rolname, rolsuper, rolcreaterole, rolpassword is not null as asked from pg_authid where rolname like 'sightline\\_%' order by 1",
      );
      expect(users).toEqual([
        { rolname: "sightline_accounts", rolsuper: false, rolcreaterole: false, asked: true },
        { rolname: "sightline_code", rolsuper: false, rolcreaterole: true, asked: true },
      ]);
      expect(await ask(accounts, "select count(*)::int as users from identity.users")).toEqual([{ users: 1 }]);
      await expect(ask(addressOf(database.url, "sightline_code"), "select 1")).rejects.toThrow("permission denied for database");
      await expect(ask(addressOf(database.url, "sightline_accounts", "sightline_code"), "select 1")).rejects.toThrow("permission denied");
    } finally {
      await database.pool.query("alter database " + name + " owner to current_user");
      await database.pool.query("drop database if exists sightline_code with (force)");
      const { rows } = await database.pool.query<{ role: string }>(
        "select rolname as role from pg_roles where rolname like 'sightline\\_%'",
      );
      for (const { role } of rows) {
        await database.pool.query(`drop owned by ${role} cascade; drop role ${role}`);
      }
      await database.drop();
    }
  },
);
