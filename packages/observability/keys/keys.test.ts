import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { apiKeyPageSchema, createdApiKeySchema, type ApiKeyScope } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { revokeApiKey } from "./api-keys.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { API_KEY } from "#testing/api-rig.ts";
import { createOtlpRig, type OtlpRig } from "#testing/otlp-rig.ts";
import { createTcpProxy } from "@sightline/foundation/testing/tcp-proxy";
import { writeEvents } from "#testing/write-events.ts";
import { hashIfApiKey } from "./api-key.ts";
import { createKnownKeys } from "./known-keys.ts";

let database: TestDatabase<ObservabilitySchema>;
let otlp: OtlpRig;
let keys: string;
let theirs: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  otlp = await createOtlpRig(database);
});
beforeEach(async () => {
  await otlp.clear();
  keys = `/api/v1/projects/${otlp.rig.projectId}/keys`;
  theirs = uuidv7();
  await insertProject(database.query, { id: theirs, tenantId: "tenant-2", name: "theirs" });
});
afterAll(async () => {
  await otlp.close();
  await database.drop();
});

describe("API keys", () => {
  test("are `studio_` and 64 hexadecimal characters, shown once and kept as a hash", async () => {
    const made = await otlp.api.post(keys, { name: "  agent  " }, "tenant-1:admin");
    const { key, ...rest } = createdApiKeySchema.parse(made.body);
    expect(made.status).toBe(201);
    expect(key).toMatch(/^studio_[0-9a-f]{64}$/);
    expect(rest).toMatchObject({ name: "agent", scopes: ["ingest"], prefix: key.slice(0, 13), revoked_at: null, last_used_at: null });
    const listed = await otlp.api.get(keys, "tenant-1:admin");
    expect(apiKeyPageSchema.parse(listed.body).items[0]).toEqual(rest);
    const { rows } = await database.pool.query("select * from observability.api_keys");
    expect(JSON.stringify([listed.body, rows])).not.toContain(key.slice(13));
  });

  test("are made and revoked by the project's owners and by the operator", async () => {
    for (const token of ["tenant-1:admin", API_KEY]) {
      const made = await otlp.api.post(keys, { name: "agent" }, token);
      expect(made.status).toBe(201);
      expect((await remove(`${keys}/${String(made.body["id"])}`, token)).status).toBe(200);
    }
    for (const answer of [
      await otlp.api.post(keys, { name: "agent" }, "tenant-1:member"),
      await otlp.api.get(keys, "tenant-1:member"),
      await remove(`${keys}/${uuidv7()}`, "tenant-1:member"),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: "role_missing" } });
    }
  });

  test("of another tenant's project are not there, in the same words as those of none", async () => {
    const { id } = await otlp.makeKey();
    const nowhere = `/api/v1/projects/${uuidv7()}/keys`;
    const attempts = async (path: string) => [
      await otlp.api.post(path, { name: "agent" }, "tenant-2:admin"),
      await otlp.api.get(path, "tenant-2:admin"),
      await remove(`${path}/${id}`, "tenant-2:admin"),
    ];
    const refused = await attempts(keys);
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(refused).toEqual(await attempts(nowhere));
    // Nor by way of a project of one's own.
    expect((await remove(`/api/v1/projects/${theirs}/keys/${id}`, "tenant-2:admin")).status).toBe(404);
    expect(await otlp.send({})).toMatchObject({ status: 200 });
  });

  test.each([
    {},
    { name: "" },
    { name: "a\0" },
    { name: "n".repeat(201) },
    { name: "a", scopes: [] },
    { name: "a", scopes: ["all"] },
    { name: "a", scopes: "ingest" },
  ])("are not made of %j", async (body) => {
    expect(await otlp.api.post(keys, body, "tenant-1:admin")).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("that are revoked send nothing more; revoking again changes nothing", async () => {
    const { id, key } = await otlp.makeKey();
    const first = await remove(`${keys}/${id}`, "tenant-1:admin");
    expect(first).toMatchObject({ status: 200, body: { revoked_at: expect.any(String) } });
    expect(await remove(`${keys}/${id}`, "tenant-1:admin")).toEqual(first);
    expect(await otlp.send({}, { "x-api-key": key })).toMatchObject({ status: 401 });
  });

  test("say to the minute when they were used last", async () => {
    const { key } = await otlp.makeKey();
    await otlp.send({}, { "x-api-key": key });
    await expect
      .poll(async () => apiKeyPageSchema.parse((await otlp.api.get(keys, "tenant-1:admin")).body).items[0]?.last_used_at)
      .not.toBeNull();
  });
});

describe("an API key opens", () => {
  test.each<[readonly ApiKeyScope[], number, number]>([
    [["ingest"], 200, 403],
    [["read"], 403, 200],
    [["ingest", "read"], 200, 200],
  ])("by its scopes %j: sending %i, reading %i", async (scopes, sending, reading) => {
    const { key } = await otlp.makeKey(scopes);
    expect((await otlp.send({}, { "x-api-key": key })).status).toBe(sending);
    expect((await otlp.send({}, { authorization: `Bearer ${key}` })).status).toBe(sending);
    expect((await otlp.api.get(`/api/v1/projects/${otlp.rig.projectId}/traces`, key)).status).toBe(reading);
  });

  test("its own project's traces and nobody else's, nor anything but traces", async () => {
    const { key } = await otlp.makeKey(["read"]);
    const [own, other, sibling] = [uuidv7(), uuidv7(), uuidv7()];
    await insertProject(database.query, { id: sibling, tenantId: "tenant-1", name: "of the same tenant" });
    await writeEvents(database, [
      ...agentRun(createProducer(otlp.rig.projectId), own),
      ...agentRun(createProducer(theirs), other),
      ...agentRun(createProducer(sibling), other),
    ]);
    expect((await otlp.api.get(`/api/v1/projects/${otlp.rig.projectId}/traces/${own}`, key)).status).toBe(200);
    for (const project of [theirs, sibling]) {
      expect((await otlp.api.get(`/api/v1/projects/${project}/traces`, key)).status).toBe(404);
      expect((await otlp.api.get(`/api/v1/projects/${project}/traces/${other}`, key)).status).toBe(404);
    }
    expect((await otlp.api.get(`/api/v1/projects/${otlp.rig.projectId}/traces/${other}`, key)).status).toBe(404);
    for (const path of ["/api/v1/projects", `/api/v1/traces/${own}`, keys, "/api/v1/dead-letters"]) {
      expect((await otlp.api.get(path, key)).status).toBe(401);
    }
  });

  test("nothing when it is unknown, malformed, an access token or the operator's", async () => {
    for (const key of [`studio_${"0".repeat(64)}`, "studio_", "tenant-1:admin", API_KEY, ""]) {
      expect(await otlp.send({}, { "x-api-key": key })).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    }
  });
});

describe("keys that are remembered", () => {
  test("stop to count ten seconds after they were revoked elsewhere", async () => {
    const { id, key } = await otlp.makeKey();
    const clock = createClock();
    const find = createKnownKeys({ query: database.query, clock, log: silentLog });
    const hash = hashIfApiKey(key) ?? "";
    expect(await find(hash)).toMatchObject({ id, projectId: otlp.rig.projectId, tenantId: "tenant-1", scopes: ["ingest"] });
    await revokeApiKey(database.query, { id, projectId: otlp.rig.projectId, reader: { kind: "operator" }, now: clock.now() });
    clock.pass(10_001);
    expect(await find(hash)).toBeUndefined();
  });

  test("count for 15 minutes while the database is away, so that spans go on to the stream", async () => {
    const { key } = await otlp.makeKey();
    const proxy = await createTcpProxy(database.url);
    const away = createDatabase<ObservabilitySchema>({ url: proxy.url, poolSize: 1, applicationName: "test", log: silentLog });
    const clock = createClock();
    const find = createKnownKeys({ query: away.query, clock, log: silentLog });
    const hash = hashIfApiKey(key) ?? "";
    await find(hash);
    await proxy.cut();
    clock.pass(14 * 60_000);
    expect(await find(hash)).toBeDefined();
    clock.pass(60_001);
    await expect(find(hash)).rejects.toMatchObject({ status: 503, code: "keys_unavailable", headers: { "retry-after": "5" } });
    await away.close();
  });
});

async function remove(url: string, token: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const answer = await otlp.api.server.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${token}` } });
  return { status: answer.statusCode, body: answer.json() };
}

function createClock() {
  let time = Date.UTC(2026, 10, 21);
  return {
    now: () => new Date(time),
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}
