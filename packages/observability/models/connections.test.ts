import { createServer } from "node:net";
import { once } from "node:events";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelConnectionSchema, testedModelConnectionSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel, type ScriptedAnswer } from "#testing/answering-model.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;
let answer: ScriptedAnswer = {};

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel(() => answer);
  rig = await createJudgeRig(database, model.url);
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

async function testConnection(base_url: string): Promise<string> {
  const made = await rig.post("/model-connections", {
    name: base_url + Math.random(),
    provider: "openai-compatible",
    base_url,
    key: "sk-secret-2",
  });
  const { id } = modelConnectionSchema.parse(made.body);
  const { body } = await rig.post(`/model-connections/${id}/test`, { model: "m-1" });
  return testedModelConnectionSchema.parse(body).problem ?? "works";
}

test("a test says what is wrong", async () => {
  answer = { says: { works: true } };
  expect(await testConnection(model.url)).toBe("works");
  for (const [given, said] of [
    [{ status: 401, says: "Incorrect API key" }, "refuses the key"],
    [{ status: 404, says: "The model `m-1` does not exist" }, "It says: The model `m-1` does not exist"],
    [{ status: 429, says: "Rate limit" }, "asked too often"],
    [{ status: 500, says: "oops" }, "an error of its own (500)"],
    [{ status: 302, says: "", headers: { location: "https://example.org" } }, "which is not followed"],
    [{ says: "certainly!" }, "not with the structured output"],
    [{ drops: true }, "The connection failed (ECONNRESET)"],
  ] as const) {
    answer = given;
    expect(await testConnection(model.url)).toContain(said);
  }
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const address = free.address();
  const port = typeof address === "object" ? address?.port : 0;
  await new Promise((resolve) => free.close(resolve));
  expect(await testConnection(`http://127.0.0.1:${port}/v1`)).toContain("Nothing listens");
  expect(await testConnection("http://models.invalid/v1")).toContain("is not found");
  expect(await testConnection("http://127.0.0.2/v1")).toContain("in a private network");
  expect(await testConnection("http://169.254.169.254/v1")).toContain("in a private network");
  expect(await testConnection("http://8.8.8.8/v1")).toContain("no TLS");
});

test("a key comes in and never out, and other addresses than a provider's own are entered by admins", async () => {
  const listed = await rig.get("/model-connections", "tenant-1:member");
  expect(JSON.stringify(listed.body)).not.toContain("sk-secret");
  expect(listed.body["items"]).toContainEqual(rig.connection);
  const { rows } = await database.pool.query<{ sealed_key: string }>("select sealed_key from observability.model_connections");
  expect(rows.every(({ sealed_key: sealed }) => sealed.startsWith("v1.k1."))).toBe(true);
  await database.pool.query(
    "insert into observability.project_members (project_id, user_id, role, added_by) values ($1, 'ann', 'owner', 'me')",
    [rig.projectId],
  );
  const make = (fields: object, token: string) => rig.post("/model-connections", { provider: "anthropic", key: "sk-1", ...fields }, token);
  expect((await make({ name: "own" }, "tenant-1:member:ann")).status).toBe(201);
  expect(await make({ name: "other", base_url: "https://example.org" }, "tenant-1:member:ann")).toMatchObject({
    status: 403,
    body: { error: "address_by_admins" },
  });
  expect((await make({ name: "other", base_url: "https://example.org" }, "tenant-1:admin")).status).toBe(201);
  for (const wrong of ["ftp://example.org", "https://me:you@example.org", "https://example.org/?key=1", "nonsense"]) {
    expect((await make({ name: wrong, base_url: wrong }, "tenant-1:admin")).status).toBe(400);
  }
});
