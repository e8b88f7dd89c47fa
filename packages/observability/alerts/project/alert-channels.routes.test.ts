import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
const projectId = uuidv7();

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "Shop" });
});
afterAll(async () => {
  await redis.close();
  await database.drop();
});

test("an address that nothing may be sent to is refused when its channel is made, by whatever name", async () => {
  const rig = await createRig(false);
  try {
    for (const host of ["localhost", "127.0.0.1", "[::1]", "2130706433", "10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]"]) {
      const message = expect.stringContaining("unless OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS allows it");
      const refusal = { error: "address_refused", message, details: [{ path: "url", message }] };
      expect(await make(rig, `https://${host}:9/`), host).toMatchObject({ status: 400, body: refusal });
    }
    expect(await make(rig, "http://example.org/")).toMatchObject({ status: 400, body: { error: "address_refused" } });
    expect(await make(rig, "https://me:pass@example.org/")).toMatchObject({ status: 400, body: { error: "address_refused" } });
    // A name that nobody knows now may be known later.
    expect(await make(rig, "https://nobody.invalid/")).toMatchObject({ status: 201 });
  } finally {
    await rig.close();
  }
});

test("where private networks are allowed, metadata of clouds still is not", async () => {
  const rig = await createRig(true);
  try {
    expect(await make(rig, "http://127.0.0.1:9/")).toMatchObject({ status: 201 });
    const message = expect.stringContaining("no alert is ever sent there");
    expect(await make(rig, "http://169.254.169.254/")).toMatchObject({ status: 400, body: { error: "address_refused", message } });
  } finally {
    await rig.close();
  }
});

async function createRig(allowPrivateWebhooks: boolean): Promise<ApiRig> {
  const { prefix, url: redisUrl } = redis;
  return createApiRig({ database, redisUrl, stream: `${prefix}events`, heartbeatKey: `${prefix}heartbeat`, allowPrivateWebhooks });
}

async function make(rig: ApiRig, url: string) {
  return rig.post(`/api/v1/projects/${projectId}/alert-channels`, { name: "Pager", kind: "webhook", url }, "tenant-1:admin");
}
