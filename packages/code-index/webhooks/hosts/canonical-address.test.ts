import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { ensureTenant } from "#store/tenancy/tenant.ts";
import { canonicalAddress } from "./canonical-address.ts";

let database: TestDatabase<CodeIndexTables>;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureTenant(database, { tenantId: "one", name: "one" });
});

afterAll(() => database.drop());

test.for([
  ["https://github.com/Acme/Shop.git", "github.com/acme/shop"],
  ["https://github.com/acme/shop", "github.com/acme/shop"],
  ["https://github.com/acme/shop.git/", "github.com/acme/shop"],
  ["git@github.com:acme/shop.git", "github.com/acme/shop"],
  ["ssh://git@github.com/acme/shop.git", "github.com/acme/shop"],
  ["ssh://git@git.example.org:7999/prj/shop.git", "git.example.org/prj/shop"],
  ["https://git.example.org:8443/scm/prj/shop.git", "git.example.org/scm/prj/shop"],
  ["git@git.example.org:group/sub/shop.git", "git.example.org/group/sub/shop"],
  ["file:///srv/git/Shop.git", "/srv/git/shop"],
  ["https://github.com/acme/shop.github", "github.com/acme/shop.github"],
] as const)("%s is %s, in the database too", async ([url, address]) => {
  const { id } = await registerRepository(database, { tenantId: "one", fullName: `a/${Math.random()}`, cloneUrl: url });
  const row = await database.query.selectFrom("codeindex.repositories").select("address").where("id", "=", id).executeTakeFirst();
  expect({ here: canonicalAddress(url), there: row?.address }).toEqual({ here: address, there: address });
});
