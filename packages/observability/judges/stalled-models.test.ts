import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

const ADMIN = "tenant-1:admin";

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;
let release: () => void = () => undefined;

beforeAll(async () => {
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel(async (prompt) => {
    await (prompt.includes("stalls") && isReleased);
    return { says: "ok" };
  });
  rig = await createJudgeRig(database, model.url);
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

/** A project with as many calls to make as there are items. */
async function addProject(name: string, items: number) {
  const { body: project } = await rig.api.post("/api/v1/projects", { name }, ADMIN);
  const base = `/api/v1/projects/${String(project["id"])}`;
  const post = async (path: string, body: object) => (await rig.api.post(base + path, body, ADMIN)).body;
  await rig.api.patch(base, { playground_budget: null }, ADMIN);
  const connected = await post("/model-connections", { name: "fake", provider: "openai-compatible", base_url: model.url });
  const dataset = await post("/datasets", { name: "d" });
  await post(`/datasets/${String(dataset["id"])}/items`, { items: Array.from({ length: items }, (_, at) => ({ input: `${name} ${at}` })) });
  const message = { role: "user", content: [{ type: "text", text: "{{input}}" }] };
  const variants = [{ connection_id: connected["id"], model: "m", messages: [message] }];
  await post("/playground/experiments", { dataset_id: dataset["id"], name, variants });
}

const PATIENCE = { timeout: 50_000, interval: 50 };

test(
  "models of some projects that do not answer hold up those of no other, also of one that comes later",
  { timeout: 60_000 },
  async () => {
    await addProject("first stalls", 4);
    await addProject("second stalls", 4);
    const judging = rig.createTasks({ calls: 4, callsOfProject: 2 }).judgeDue();
    try {
      await expect.poll(() => model.asked.length, PATIENCE).toBe(3);
      await addProject("third", 2);
      await expect.poll(() => model.asked.filter((asked) => asked.includes("third")).length, PATIENCE).toBe(2);
    } finally {
      release();
      await judging;
    }
    expect(model.asked.length).toBe(10);
  },
);
