import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { identityMigrations, type IdentitySchema } from "@sightline/identity";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: 2 * COMMAND_MS });

let folder: string;
let database: TestDatabase<IdentitySchema>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-admin-"));
  database = await createTestDatabase<IdentitySchema>(identityMigrations);
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function admin(...words: readonly string[]) {
  return runCommand(["admin", ...words], {
    folder,
    environment: {
      SECRET_KEY: "s".repeat(43),
      API_KEY: `studio_${"0".repeat(64)}`,
      CODEINDEX_WEBHOOK_SECRET: "w".repeat(43),
      ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
      DATABASE_URL: database.url,
      OBSERVABILITY_REDIS_URL: inject("redisUrl"),
    },
  });
}

describe("sightline admin", () => {
  test("--help names what there is, and each command what it does and needs", async () => {
    const help = await admin("--help");
    for (const command of ["create", "list", "reset-password", "reset-2fa"]) {
      expect(help.out).toContain(`  ${command}`);
    }
    const reset = await admin("reset-2fa", "--help");
    expect(reset.out).toContain("--reason <reason>");
    expect(reset.out).toContain("The password alone logs in from then on");
    const missing = await admin("reset-2fa", "--email", "ada@example.org");
    expect(missing.code).toBe(1);
    expect(missing.error).toContain("required option '--reason <reason>' not specified");
  });

  test("lists admins, replaces a password and takes a second factor away", async () => {
    expect((await admin("list")).out).toContain("There is no admin. Make one: sightline admin create");
    await admin("create", "--email", "ada@example.org", "--name", "Ada");
    await database.query.updateTable("identity.users").set({ totp_enabled: true, totp_secret: "v1.k1.a.b.c" }).execute();

    const list = await admin("list");
    expect(list.out).toMatch(/^e-mail +name +tenant +second factor +state +last login$/m);
    expect(list.out).toMatch(/^ada@example\.org +Ada +default +on +has to set a password +never$/m);

    const password = await admin("reset-password", "--email", "Ada@example.org");
    expect(password.error).toBe("");
    expect(password.out).toMatch(
      /^The password of ada@example\.org is replaced, .*\nOne-time password .*: ([a-z2-9]{5}-){3}[a-z2-9]{5}\n$/,
    );

    const factor = await admin("reset-2fa", "--email", "ada@example.org", "--reason", "phone in the lake");
    expect(factor.out).toContain("The second factor of ada@example.org is taken away");
    const user = await database.query.selectFrom("identity.users").select("totp_enabled").executeTakeFirstOrThrow();
    expect(user.totp_enabled).toBe(false);
    const audit = await database.query.selectFrom("identity.audit").select(["event", "actor_id", "details"]).orderBy("id").execute();
    expect(audit).toEqual([
      { event: "user_created", actor_id: null, details: { role: "admin", origin: "command" } },
      { event: "user_password_reset", actor_id: null, details: { by: "one_time_password", origin: "command" } },
      { event: "2fa_admin_reset", actor_id: null, details: { reason: "phone in the lake", origin: "command" } },
    ]);
  });

  test("names what is wrong with an account to make, one line for all of it", async () => {
    const { code, error } = await admin("create", "--email", "grace", "--name", "");
    expect(code).toBe(1);
    expect(error).toMatch(/^email: .+; name: at least one character\n$/);
  });

  test("says what to do when there is no such account, or nothing to take away", async () => {
    const unknown = await admin("reset-password", "--email", "nobody@example.org");
    expect(unknown.code).toBe(1);
    expect(unknown.error).toBe("There is no account with the address nobody@example.org. See the admins with: sightline admin list\n");
    const nothing = await admin("reset-2fa", "--email", "ada@example.org", "--reason", "once more");
    expect(nothing.code).toBe(1);
    expect(nothing.error).toContain("This account has no second factor");
  });
});
