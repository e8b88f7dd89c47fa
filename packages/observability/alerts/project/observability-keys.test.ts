import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import type { EncryptionRing } from "@sightline/foundation/secrets/sealing";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createModelAccess } from "#models/model-access.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createChannelSealer } from "./channel-secrets.ts";
import { createObservabilityKeys } from "./observability-keys.ts";

let database: TestDatabase<ObservabilitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test("with another first key in the ring channels are sealed anew, and the former one opens nothing any more", async () => {
  const [projectId, id] = [uuidv7(), uuidv7()];
  const [former, first] = [
    { id: "k1", secret: "x".repeat(43) },
    { id: "k2", secret: "y".repeat(43) },
  ];
  const secrets = { url: "https://example.org/x", secret: "whsec_1" };
  const { sealedUrl, sealedSecret } = createChannelSealer([former]).seal(id, secrets);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "mine" });
  const row = { id, project_id: projectId, name: "Pager", kind: "webhook", host: "example.org", created_by: "test" } as const;
  await database.query
    .insertInto("observability.alert_channels")
    .values({ ...row, sealed_url: sealedUrl, sealed_secret: sealedSecret })
    .execute();
  const access = (ring: EncryptionRing) => createModelAccess({ ENCRYPTION_KEYS: ring, OBSERVABILITY_ALLOW_MODEL_HOSTS: [] });
  const connection = {
    id,
    provider: "openai-compatible",
    base_url: "https://example.org",
    sealed_key: access([former]).seal(id, "sk-1"),
  } as const;
  await database.query
    .insertInto("observability.model_connections")
    .values({ ...connection, project_id: projectId, name: "mine", created_by: "test" })
    .execute();

  const keys = createObservabilityKeys({ database, ring: [first, former] });
  const rows = { "alert_channels.url": 1, "alert_channels.secret": 1, "model_connections.key": 1 };
  const none = { "alert_channels.url": 0, "alert_channels.secret": 0, "model_connections.key": 0 };
  expect(await keys.status()).toEqual([
    { id: "k2", use: "seals", rows: none },
    { id: "k1", use: "opens", rows },
  ]);
  expect(await keys.reseal()).toEqual({ resealed: rows, unopened: [] });
  expect(await keys.status()).toEqual([
    { id: "k2", use: "seals", rows },
    { id: "k1", use: "opens", rows: none },
  ]);
  const anew = await database.query.selectFrom("observability.alert_channels").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const sealed = { sealedUrl: anew.sealed_url, sealedSecret: anew.sealed_secret };
  expect(createChannelSealer([first]).open(id, sealed)).toEqual(secrets);
  expect(() => createChannelSealer([former]).open(id, sealed)).toThrow("ENCRYPTION_KEYS");
  const connected = await database.query.selectFrom("observability.model_connections").selectAll().executeTakeFirstOrThrow();
  expect(access([first]).open(connected, "m")).toBeDefined();
  expect(() => access([former]).open(connected, "m")).toThrow("ENCRYPTION_KEYS");
});

test("without keys nothing is sealed or opened, and it is said what to set", () => {
  const sealer = createChannelSealer(undefined);
  expect(() => sealer.seal("1", { url: "https://example.org", secret: null })).toThrow("ENCRYPTION_KEYS is not set");
  expect(() => sealer.open("1", { sealedUrl: "v1.k.a.b.c", sealedSecret: null })).toThrow("ENCRYPTION_KEYS is not set");
});
