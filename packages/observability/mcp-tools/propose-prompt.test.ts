import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { promptSchema, promptVersionSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { callTool } from "#testing/call-tool.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

const as = (userId: string, isAdmin = false) => ({ person: { tenantId: "tenant-1", userId, isAdmin } });
const propose = (given: object, options = {}) => callTool(database, "propose_prompt", { name: "support/greeting", ...given }, options);

test("an assistant adds a version and takes no label, however high its person's role is", async () => {
  const first = { name: "support/greeting", template: "Hello {{name}}!", config: { model: "m-1" }, labels: ["production"] };
  const { prompt_id: id } = (await rig.post("/prompts", first, "tenant-1:admin")).body;
  const template = [{ role: "system", content: "Greet {{name}} warmly." }];
  expect(await propose({ template, reason: "too cold" }, as("ann", true))).toContain("Version 2 of support/greeting is proposed");
  expect(promptSchema.parse((await rig.get(`/prompts/${String(id)}`)).body)).toMatchObject({ version: 2, labels: { production: 1 } });
  const resolved = await rig.get("/prompts/resolve?name=support/greeting&version=2");
  const config = { model: "m-1" };
  expect(promptVersionSchema.parse(resolved.body)).toMatchObject({ template, config, author: "ann", reason: "over MCP: too cold" });
  expect(await propose({ template }, as("ann", true))).toBe("Nothing was added: version 2 says the same.");
  await expect(propose({ template, labels: ["production"] }, as("ann", true))).rejects.toThrow("labels");
});

test("it is for editors of the project, and what is no prompt is refused", async () => {
  await expect(propose({ name: "no spaces here", template: "x" })).rejects.toThrow("letters, digits");
  await database.pool.query("update observability.projects set access = 'members' where id = $1", [rig.projectId]);
  const member = { project_id: rig.projectId, user_id: "eve", role: "viewer", added_by: "ann" } as const;
  await database.query.insertInto("observability.project_members").values(member).execute();
  await expect(propose({ template: "x" }, as("eve"))).rejects.toThrow("Only an editor of this project may do this");
  await expect(propose({ template: "x", project: rig.projectId }, as("mallory"))).rejects.toThrow("There is no project");
});
