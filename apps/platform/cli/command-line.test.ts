import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { lockHome } from "#embedded/home-lock.ts";
import { freePort } from "#testing/free-port.ts";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: COMMAND_MS });

let folder: string;
let database: TestDatabase<unknown>;

const SECRETS = {
  SECRET_KEY: "s".repeat(43),
  API_KEY: `studio_${"0".repeat(64)}`,
  CODEINDEX_WEBHOOK_SECRET: "w".repeat(43),
  ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-cli-"));
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function freePorts(): Promise<Record<string, string>> {
  const names = [
    "IDENTITY_PORT",
    "CODEINDEX_PORT",
    "OBSERVABILITY_PORT",
    "CONSOLE_PORT",
    "SIGHTLINE_POSTGRES_PORT",
    "SIGHTLINE_REDIS_PORT",
  ];
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
  return Object.fromEntries(ports);
}

test("--help names the commands, and that of start the roles", async () => {
  const help = await runCommand(["--help"], { folder });
  expect(help.code).toBe(0);
  for (const command of ["start", "migrate", "doctor", "admin", "keys", "tenant", "demo"]) {
    expect(help.out).toContain(`  ${command}`);
  }
  const start = await runCommand(["start", "--help"], { folder });
  for (const role of ["identity", "code-index", "indexer", "observability", "consumer", "console"]) {
    expect(start.out).toContain(`  ${role} `);
  }
});

test("an unknown command or role is refused with the names of those there are", async () => {
  const command = await runCommand(["begin"], { folder });
  expect(command.code).toBe(1);
  expect(command.error).toContain("unknown command 'begin'");
  expect(command.error).toContain("doctor");

  const role = await runCommand(["start", "indexr"], { folder });
  expect(role.code).toBe(2);
  expect(role.error).toContain(
    'There is no role "indexr". The roles are: identity, code-index, indexer, observability, consumer, console.',
  );

  const part = await runCommand(["migrate", "down", "billing"], { folder });
  expect(part.code).toBe(2);
  expect(part.error).toContain("The parts are: identity, observability, code-index.");
});

test("everything that is wrong or missing in the environment is named at once, and no secret is shown", async () => {
  const { code, error } = await runCommand(["start"], {
    folder,
    environment: {
      DATABASE_URL: inject("databaseUrl"),
      OBSERVABILITY_REDIS_URL: inject("redisUrl"),
      API_KEY: "not-a-key-of-ours",
      LOG_LEVEL: "LOUD",
      IDENTITY_PORT: "99999",
    },
  });
  expect(code).toBe(1);
  for (const problem of [
    "SECRET_KEY is not set",
    "ENCRYPTION_KEYS is not set",
    "API_KEY is not valid",
    'LOG_LEVEL="LOUD"',
    'IDENTITY_PORT="99999"',
  ]) {
    expect(error).toContain(problem);
  }
  expect(error).not.toContain("not-a-key-of-ours");
});

test("an ADMIN_PASSWORD that is guessed first ends the start before anything is made, and doctor says the same", async () => {
  const home = join(folder, "guessable");
  const environment = { ...(await freePorts()), SIGHTLINE_HOME: home, ADMIN_EMAIL: "ada@example.org", ADMIN_PASSWORD: "Password1234!" };
  const said = /ADMIN_PASSWORD is not valid: it is among the first that are guessed; set a longer phrase of your own/;
  const started = await runCommand(["start"], { folder, environment });
  expect(started).toMatchObject({ code: 1, error: expect.stringMatching(said), out: "" });
  await expect(stat(home)).rejects.toThrow("ENOENT");
  const judged = await runCommand(["doctor"], { folder, environment });
  expect(judged).toMatchObject({ code: 1, out: expect.stringMatching(said) });
  expect(started.error + judged.out).not.toContain("Password1234!");
});

test("busy ports are named all at once with the variable that changes each", async () => {
  const busy = [createServer(), createServer()];
  const ports = await freePorts();
  const taken = ["IDENTITY_PORT", "SIGHTLINE_POSTGRES_PORT"];
  for (const [index, server] of busy.entries()) {
    server.listen(Number(ports[taken[index] ?? ""]), "127.0.0.1");
    await once(server, "listening");
  }
  const { code, error } = await runCommand(["start"], { folder, environment: { ...ports, SIGHTLINE_HOME: join(folder, "busy") } });
  for (const server of busy) {
    server.close();
  }
  expect(code).toBe(1);
  expect(error).toContain(`port ${ports["IDENTITY_PORT"]} (identity) is in use by another process; choose another with IDENTITY_PORT`);
  expect(error).toContain(`(embedded PostgreSQL) is in use by another process; choose another with SIGHTLINE_POSTGRES_PORT`);
});

test("a database that can't be reached ends the start with one clear line, without its password", async () => {
  const port = await freePort();
  const { code, error, out } = await runCommand(["start", "identity"], {
    folder,
    environment: {
      ...SECRETS,
      ...(await freePorts()),
      DATABASE_URL: `postgres://someone:hidden-word@127.0.0.1:${port}/nowhere`,
      OBSERVABILITY_REDIS_URL: inject("redisUrl"),
      SIGHTLINE_WAIT_SECONDS: "1",
    },
  });
  expect(code).toBe(1);
  expect(error).toContain(`PostgreSQL at 127.0.0.1:${port}/nowhere did not answer for 1 s`);
  expect(error).toContain("Check DATABASE_URL");
  expect(error + out).not.toContain("hidden-word");
});

test("migrations go up, are listed, and come down one at a time on a real server", async () => {
  const environment = { ...SECRETS, DATABASE_URL: database.url, OBSERVABILITY_REDIS_URL: inject("redisUrl") };
  const up = await runCommand(["migrate", "up"], { folder, environment });
  expect(up.out).toContain("identity: 0001_identity");
  expect((await runCommand(["migrate", "up"], { folder, environment })).out).toContain("identity: nothing to do");
  expect((await runCommand(["migrate", "down", "identity"], { folder, environment })).out).toMatch(/identity: took \S+ back/);
  const status = await runCommand(["migrate", "status"], { folder, environment });
  expect(status.code).toBe(0);
  expect(status.out).toMatch(/identity\s+\S+\s+pending/);
  expect(status.out).toMatch(/observability\s+\S+\s+20\d\d-/);
});

test("tenants and admins are made from the machine itself, with the embedded database started for it", async () => {
  const home = join(folder, "embedded");
  const environment = { ...(await freePorts()), SIGHTLINE_HOME: home };
  const tenant = await runCommand(["tenant", "add", "acme"], { folder, environment });
  // A busy machine is told that the database takes its time.
  expect(tenant.error.replaceAll(/^Still waiting for postgres .*\n/gm, "")).toBe("");
  expect(tenant.out).toContain("The tenant acme is there");
  const admin = await runCommand(["admin", "create", "--email", "ada@acme.test", "--name", "Ada", "--tenant", "acme"], {
    folder,
    environment,
  });
  expect(admin.out).toMatch(/Made the admin ada@acme\.test\.\nOne-time password .*: \S+\n/);
  const again = await runCommand(["admin", "create", "--email", "ada@acme.test", "--name", "Ada"], { folder, environment });
  expect(again.code).toBe(1);
  expect(again.error).toContain("There is an account with this e-mail address.");

  const file = join(home, "secrets.env");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
  expect(await readFile(file, "utf8")).toMatch(/^API_KEY=studio_[0-9a-f]{64}$/m);
});

test("a key of the ring is exchanged from the machine itself: added in front, everything sealed anew, the old one removed", async () => {
  const [oldKey, newKey] = [SECRETS.ENCRYPTION_KEYS, `k2:${"n".repeat(43)}`];
  const keys = await createTestDatabase();
  const run = (words: readonly string[], ring: string) =>
    runCommand(["keys", ...words], {
      folder,
      environment: { ...SECRETS, DATABASE_URL: keys.url, OBSERVABILITY_REDIS_URL: inject("redisUrl"), ENCRYPTION_KEYS: ring },
    });
  const first = await run(["rotate", "--signing"], oldKey);
  expect(first.error).toBe("");
  expect(first.out).toMatch(/^Published the signing key \S{43}\. It signs from 20\S+Z on\.\n$/);

  const before = await run(["status"], `${newKey},${oldKey}`);
  expect(before.code).toBe(0);
  const identity = "signing_keys.private_key users.totp_secret notices.sealed_link audit_anchors.seal oauth_states.payload";
  const later = "sso_providers.client_secret sso_attempts.payload alert_channels.url alert_channels.secret model_connections.key";
  expect(/^key +use +(.*)$/m.exec(before.out)?.[1]?.split(/ +/)).toEqual(`${identity} ${later}`.split(" "));
  expect(before.out).toMatch(/^k2 +seals +(0 +){10}the first: keep it$/m);
  expect(before.out).toMatch(/^k1 +opens +1 +(0 +){2}1 +(0 +){6}keep it until `sightline keys rotate`/m);

  const tooEarly = await run(["status"], newKey);
  expect(tooEarly.code).toBe(1);
  expect(tooEarly.out).toMatch(/^k1 +missing +1 .*add it to ENCRYPTION_KEYS/m);
  const impossible = await run(["rotate"], newKey);
  expect(impossible.code).toBe(1);
  expect(impossible.error).toContain("sealed with the key k1, which ENCRYPTION_KEYS does not hold. Add it there.");

  const rotated = await run(["rotate"], `${newKey},${oldKey}`);
  expect(rotated.code).toBe(0);
  expect(rotated.out).toContain("signing_keys.private_key: 1 sealed anew");
  expect(rotated.out).toMatch(/^k1 +opens +(0 +){10}may be removed/m);

  expect(first.out + before.out + rotated.out + impossible.error).not.toContain("n".repeat(43));
  await keys.drop();
});

test("doctor ends with 1 and the remedy when something is broken, and with 0 when nothing is", async () => {
  const port = await freePort();
  const environment = { ...SECRETS, ...(await freePorts()), SIGHTLINE_HOME: join(folder, "doctor") };
  const broken = await runCommand(["doctor"], {
    folder,
    environment: { ...environment, DATABASE_URL: database.url, OBSERVABILITY_REDIS_URL: `redis://127.0.0.1:${port}` },
  });
  expect(broken.code).toBe(1);
  expect(broken.out).toMatch(/broken\s+Redis/);
  expect(broken.out).toContain("correct OBSERVABILITY_REDIS_URL");
  expect(broken.out).toMatch(/ok\s+codeindex database\s+the extensions vector and pg_trgm can be had/);

  const fine = await runCommand(["doctor"], {
    folder,
    environment: { ...environment, DATABASE_URL: database.url, OBSERVABILITY_REDIS_URL: inject("redisUrl") },
  });
  expect(fine.out).toMatch(/note\s+audit\s+no signed end of it is kept on this host yet/);
  expect([fine.code, fine.out]).toEqual([0, expect.not.stringContaining("broken")]);
});

test("a data folder that can't be one is named, with what to do", async () => {
  const home = join(folder, "a-file");
  await writeFile(home, "");
  const environment = { ...(await freePorts()), SIGHTLINE_HOME: home };
  for (const words of [["start"], ["tenant", "list"]]) {
    const { code, error } = await runCommand(words, { folder, environment });
    expect(code).toBe(1);
    expect(error).toMatch(new RegExp(`'${home}.*'. Sightline's data needs a folder: choose another one with SIGHTLINE_HOME.`));
  }
  const { code, out } = await runCommand(["doctor"], { folder, environment });
  expect(code).toBe(1);
  expect(out).toMatch(/broken +data folder/);
});

test("where no folder can be made, start and doctor say so at once, also beside real databases", async () => {
  const embedded = { ...(await freePorts()), SIGHTLINE_HOME: "/proc/sightline/data" };
  const real = { ...embedded, ...SECRETS, DATABASE_URL: database.url, OBSERVABILITY_REDIS_URL: inject("redisUrl") };
  for (const environment of [embedded, real]) {
    const { code, error, out } = await runCommand(["start"], { folder, environment });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toMatch(/^E[A-Z]+: [^\n]+'\/proc[^\n]+choose another (one|folder) with SIGHTLINE_HOME\.\n$/i);
  }
  const { code, out } = await runCommand(["doctor"], { folder, environment: embedded });
  expect(code).toBe(1);
  expect(out).toMatch(/broken +data folder +E/);
});

test("a port that is asked for twice is not taken for a busy one", async () => {
  const ports = await freePorts();
  const environment = { ...ports, CONSOLE_PORT: ports["IDENTITY_PORT"] ?? "", SIGHTLINE_HOME: join(folder, "twice") };
  const { error } = await runCommand(["start"], { folder, environment });
  expect(error).toContain(`port ${ports["IDENTITY_PORT"]} is asked for twice; give console another with CONSOLE_PORT`);
  expect(error).not.toContain("in use");
});

test("doctor does not take the ports of the Sightline that runs for broken", async () => {
  const home = join(folder, "running");
  const lock = await lockHome(home);
  const { out } = await runCommand(["doctor"], { folder, environment: { ...(await freePorts()), SIGHTLINE_HOME: home } });
  await lock.release();
  expect(out).toContain(`in use by the Sightline that runs in ${home} (process ${process.pid})`);
});

test("what .env says is read, except by a role, and the environment wins", async () => {
  await writeFile(join(folder, ".env"), "LOG_LEVEL=LOUD\nENVIRONMENT=moon\n");
  const { error } = await runCommand(["start"], {
    folder,
    environment: { ...SECRETS, DATABASE_URL: inject("databaseUrl"), OBSERVABILITY_REDIS_URL: inject("redisUrl"), LOG_LEVEL: "INFO" },
  });
  await writeFile(join(folder, ".env"), "CODEINDEX_DATABASE_URL=nonsense\n");
  const role = await runCommand(["role", "indexer"], { folder });
  await rm(join(folder, ".env"));
  expect(error).toContain('ENVIRONMENT="moon"');
  expect(error).not.toContain("LOG_LEVEL");
  // A role has all it needs from the supervisor.
  expect(role.error).toContain("CODEINDEX_DATABASE_URL is not set");
});
