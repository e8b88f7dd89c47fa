import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: 8 * COMMAND_MS });

let folder: string;
let database: TestDatabase<unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-tenant-"));
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function tenant(...words: readonly string[]) {
  return runCommand(["tenant", ...words], {
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

test("a tenant is added, listed, deleted only with --yes, and listed until an indexer has removed it", async () => {
  expect((await tenant("add", "acme")).out).toContain("The tenant acme is there");
  const listed = await tenant("list");
  expect(listed.out).toMatch(/^name +id +state +repositories +chunks +database role$/m);
  expect(listed.out).toMatch(/^acme +[0-9a-f-]{36} +active +0 +0 +yes$/m);

  const asked = await tenant("delete", "acme");
  expect(asked).toMatchObject({ code: 1, error: "Nothing was deleted. If it is meant, repeat: sightline tenant delete acme --yes\n" });
  expect(asked.out).toContain("Repositories of acme: 0.");

  const deleted = await tenant("delete", "acme", "--yes");
  expect(deleted).toMatchObject({ code: 0, error: "" });
  expect(deleted.out).toContain("The tenant acme is deleted, with its accounts (0).");
  expect((await tenant("list")).out).toMatch(/^acme +[0-9a-f-]{36} +being deleted since \d{4}-/m);
  expect((await tenant("add", "acme")).error).toContain("This tenant is being deleted; try again in a minute.");

  expect(await tenant("delete", "nobody", "--yes")).toMatchObject({ code: 1, error: expect.stringContaining("There is no tenant nobody") });
  expect(await tenant("delete", "default", "--yes")).toMatchObject({ code: 1, error: expect.stringContaining("can't be deleted") });
});
