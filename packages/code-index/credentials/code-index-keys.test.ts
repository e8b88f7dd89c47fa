import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as newId } from "uuid";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant } from "#store/tenancy/tenant.ts";
import { createCodeIndexKeys } from "./code-index-keys.ts";
import { createCodeIndexSealer, credentialContext, webhookSecretContext } from "./sealer.ts";
import { addCredential } from "./stored-credentials.ts";

const OLD = { id: "k1", secret: "old-secret-0123456789-0123456789-01" };
const NEW = { id: "k2", secret: "new-secret-0123456789-0123456789-01" };

let database: TestDatabase<CodeIndexTables>;
let repoId: string;

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureTenant(database, { tenantId: "one", name: "one" });
  repoId = newId();
  const sealed = sealerOf(OLD).seal(Buffer.from("hooked"), webhookSecretContext(repoId));
  await database.query
    .insertInto("codeindex.repositories")
    .values({ id: repoId, tenant_id: "one", full_name: "o/r", clone_url: "https://a.example/o/r", sealed_webhook_secret: sealed })
    .execute();
  for (let number = 0; number < 60; number++) {
    const given = { name: `n${number}`, kind: "token", host: "a.example", secret: `token-${number}` } as const;
    await addCredential({ database, sealer: sealerOf(OLD) }, { tenantId: "one", given, createdBy: "ada", now: new Date() });
  }
});

afterEach(async () => {
  await database.drop();
});

function sealerOf(...ring: [typeof OLD, ...(typeof OLD)[]]) {
  const sealer = createCodeIndexSealer(ring);
  if (sealer === undefined) {
    throw new Error("a ring makes a sealer");
  }
  return sealer;
}

test("everything is moved to a new key and opens as before", async () => {
  const keys = createCodeIndexKeys({ database, ring: [NEW, OLD] });
  expect(await keys.status()).toEqual([
    { id: "k2", use: "seals", rows: { "credentials.secret": 0, "repositories.webhook_secret": 0 } },
    { id: "k1", use: "opens", rows: { "credentials.secret": 60, "repositories.webhook_secret": 1 } },
  ]);
  expect(await keys.reseal()).toEqual({ resealed: { "credentials.secret": 60, "repositories.webhook_secret": 1 }, unopened: [] });
  expect(await keys.status()).toMatchObject([
    { id: "k2", rows: { "credentials.secret": 60 } },
    { id: "k1", rows: { "credentials.secret": 0 } },
  ]);
  const rows = await database.query.selectFrom("codeindex.credentials").selectAll().execute();
  const opened = rows.map((row) => [row.name, sealerOf(NEW).open(row.sealed_secret, credentialContext(row)).toString()]);
  expect(opened).toEqual(rows.map(({ name }) => [name, name.replace("n", "token-")]));
  const { sealed_webhook_secret: sealed } = await database.query
    .selectFrom("codeindex.repositories")
    .select("sealed_webhook_secret")
    .executeTakeFirstOrThrow();
  expect(
    sealerOf(NEW)
      .open(sealed ?? "", webhookSecretContext(repoId))
      .toString(),
  ).toBe("hooked");
  expect(await keys.reseal()).toMatchObject({ resealed: { "credentials.secret": 0 } });
});

test("a key that is missing is named, and what it sealed is left alone", async () => {
  const keys = createCodeIndexKeys({ database, ring: [NEW] });
  expect(await keys.status()).toMatchObject([{ id: "k2" }, { id: "k1", use: "missing", rows: { "credentials.secret": 60 } }]);
  const { resealed, unopened } = await keys.reseal();
  expect(resealed).toEqual({ "credentials.secret": 0, "repositories.webhook_secret": 0 });
  expect(unopened).toHaveLength(61);
  expect(unopened[0]?.reason).toContain("CODEINDEX_ENCRYPTION_KEYS does not hold");
  expect(await createCodeIndexKeys({ database, ring: [OLD] }).status()).toMatchObject([
    { use: "seals", rows: { "credentials.secret": 60 } },
  ]);
});

test("without a ring what is sealed shows as missing its key", async () => {
  const keys = createCodeIndexKeys({ database, ring: undefined });
  expect(await keys.status()).toMatchObject([{ id: "k1", use: "missing" }]);
  expect(await keys.reseal()).toEqual({ resealed: {}, unopened: [] });
});
