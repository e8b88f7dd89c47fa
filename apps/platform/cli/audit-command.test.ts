import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: COMMAND_MS });

const manyCommands = { ...needsRealPostgres, timeout: 4 * COMMAND_MS };

let folder: string;
let database: TestDatabase<unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-audit-"));
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function run(...words: readonly string[]) {
  return runWith({}, ...words);
}

function runWith(environment: Readonly<Record<string, string>>, ...words: readonly string[]) {
  return runCommand(words, {
    folder,
    environment: {
      SECRET_KEY: "s".repeat(43),
      API_KEY: `studio_${"0".repeat(64)}`,
      CODEINDEX_WEBHOOK_SECRET: "w".repeat(43),
      ENCRYPTION_KEYS: `k1:${"e".repeat(43)}`,
      DATABASE_URL: database.url,
      OBSERVABILITY_REDIS_URL: inject("redisUrl"),
      ...environment,
    },
  });
}

test("the audit is verified and exported from the machine itself, and tampering ends with 1", needsRealPostgres, async () => {
  await run("admin", "create", "--email", "ada@example.org", "--name", "Ada");

  const whole = await run("audit", "verify");
  expect(whole.code).toBe(0);
  expect(whole.out).toMatch(
    /^Rows: 1\nHead: [0-9a-f]{64}\nSigned since: (\S+Z)\nLast signed: \1\nKept on this host: nothing\nThe audit is whole\.\n$/,
  );
  const head = /Head: (\S+)/.exec(whole.out)?.[1] ?? "";
  expect((await run("audit", "verify", "--expect", head)).code).toBe(0);

  const anchors = join(folder, "anchors.jsonl");
  await writeFile(anchors, (await run("audit", "anchor")).out);
  expect((await run("audit", "verify", "--anchors", anchors)).out).toContain("Anchors compared: 1\nThe audit is whole.");
  await writeFile(anchors, "no anchor\n");
  expect(await run("audit", "verify", "--anchors", anchors)).toMatchObject({ code: 2, error: expect.stringContaining("line 1 of") });

  const exported = await run("audit", "export", "--from", "2026-01-01");
  expect(exported.out.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(exported.out)).toMatchObject({ id: 1, event: "user_created", hash: head });
  expect((await run("audit", "export", "--to", "2000-01-01T00:00:00Z")).out).toBe("");

  await database.pool.query("update identity.audit set ip = '203.0.113.7'");
  const broken = await run("audit", "verify");
  expect(broken.code).toBe(1);
  expect(broken.error).toContain("The audit is broken. Row 1 is not what was written there");
});

test("a database that lacks the end that this host keeps is shown, refused, and accepted with its head alone", manyCommands, async () => {
  const restored = await createTestDatabase();
  const home = join(folder, "home");
  await mkdir(home);
  const on = (url: string, ...words: readonly string[]) => runWith({ DATABASE_URL: url, SIGHTLINE_HOME: home }, ...words);
  await on(database.url, "admin", "create", "--email", "bob@example.org", "--name", "Bob");
  const { rows: heads } = await database.pool.query<{ rows: number }>("select rows from identity.audit_head");
  const kept = heads[0]?.rows;
  await on(database.url, "tenant", "list");
  await on(restored.url, "admin", "create", "--email", "ada@example.org", "--name", "Ada");
  expect(JSON.parse(await readFile(join(home, "audit-signed-end.json"), "utf8"))).toMatchObject({ last_id: kept });

  const broken = await on(restored.url, "audit", "verify");
  expect([broken.code, broken.error]).toEqual([1, expect.stringContaining("sightline audit accept-restore")]);
  const shown = await on(restored.url, "audit", "accept-restore");
  expect([shown.code, shown.out]).toEqual([1, expect.stringContaining(`Given up: row ${kept}, signed at `)]);
  const [, head = ""] = /repeat: sightline audit accept-restore --head ([0-9a-f]{64})$/m.exec(shown.error) ?? [];
  const wrong = await on(restored.url, "audit", "accept-restore", "--head", "ab".repeat(32));
  expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining("Nothing was accepted.")]);
  expect(await on(restored.url, "audit", "accept-restore", "--head", "abc")).toMatchObject({ code: 2 });

  const accepted = await on(restored.url, "audit", "accept-restore", "--head", head);
  expect([accepted.code, accepted.out]).toEqual([0, expect.stringContaining("Accepted, and signed with row 2")]);
  const whole = await on(restored.url, "audit", "verify");
  expect([whole.code, whole.out]).toEqual([0, expect.stringContaining("Restored database accepted: ")]);
  const { rows } = await restored.pool.query("select event, details from identity.audit where id = 2");
  expect(rows).toEqual([
    { event: "audit_restore_accepted", details: expect.objectContaining({ origin: "command", by: expect.stringContaining("@") }) },
  ]);
  await restored.drop();
});

test("a head that was noted elsewhere and is not in the chain ends with 1, and what is no head with 2", needsRealPostgres, async () => {
  await run("migrate", "up");

  const foreign = await run("audit", "verify", "--expect", "ab".repeat(32));
  expect(foreign.code).toBe(1);
  const wrong = await run("audit", "verify", "--expect", "abc");
  expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining("64 hexadecimal characters")]);
  for (const time of ["yesterday", "2026-02-30"]) {
    const refused = await run("audit", "export", "--from", time);
    expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("ISO 8601")]);
  }
});
