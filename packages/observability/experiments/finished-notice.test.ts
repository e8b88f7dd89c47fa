import { createLog } from "@sightline/foundation/log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createAlertTasks } from "#alerts/project/alert-tasks.ts";
import { toChannelAccess } from "#alerts/project/tell-channel.ts";
import { alertEventPageSchema, alertRuleSchema, createdAlertChannelSchema, type CreateAlertChannelRequest } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAlertReceiver } from "#testing/alert-receiver.ts";
import { ALERT_CONFIG } from "#testing/api-rig.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";

const ADMIN = "tenant-1:admin";

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;
let receiver: Awaited<ReturnType<typeof startAlertReceiver>>;
let ruleId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
});
beforeEach(async () => {
  receiver = await startAlertReceiver();
});
afterEach(async () => {
  await rig.api.patch(`${rig.base}/alert-rules/${ruleId}`, { is_enabled: false }, ADMIN);
  await receiver.close();
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

async function watch(channel: (url: string) => CreateAlertChannelRequest): Promise<void> {
  const made = await rig.post("/alert-channels", channel(receiver.url), ADMIN);
  const { id } = createdAlertChannelSchema.parse(made.body);
  const rule = { name: "CI", metric: "experiments", threshold: 0, window_minutes: 5, channels: [id] };
  const { body } = await rig.post("/alert-rules", rule, ADMIN);
  ruleId = alertRuleSchema.parse(body).id;
  expect(body).toMatchObject({ state: "ok" });
}

async function run(branch: string, output: string, datasetId: string): Promise<string> {
  const { id } = await rig.begin(datasetId, { name: `try ${branch}`, branch, commit: "4f2a1bc00112233" });
  const runs = (await rig.readItems(datasetId)).map((item) => ({ item_id: item.id, repetition: 0, state: "succeeded", output }));
  await rig.post(`/experiments/${id}/runs`, { runs });
  return id;
}

const finish = (id: string, state = "finished") => rig.post(`/experiments/${id}/finish`, { state });

/** Two replicas send what has waited for the gate. */
async function send(): Promise<readonly Record<string, unknown>[]> {
  const log = createLog({ name: "test", level: "silent" });
  const tasks = [1, 2].map(() => createAlertTasks({ query: database.query, log, access: toChannelAccess(ALERT_CONFIG) }));
  await Promise.all(tasks.map((replica) => replica.sendDue()));
  expect(receiver.received).toEqual([]);
  await database.pool.query("update observability.alert_notifications set next_try_at = now() where state = 'pending'");
  await Promise.all(tasks.map((replica) => replica.sendDue()));
  return receiver.received.map(({ body }) => JSON.parse(body));
}

const makeDataset = () =>
  rig.makeDataset(Array.from({ length: 40 }, (_, at) => ({ input: at, checks: [{ type: "equals", value: "good" }] })));

test("a finished experiment is told once, however many finish it, with what the gate said and the way to the comparison", async () => {
  const dataset = await makeDataset();
  await finish(await run("main", "good", dataset));
  await watch((url) => ({ name: "Hook", kind: "webhook", url }));
  const id = await run("change", "bad", dataset);
  await finish(id, "cancelled");
  await Promise.all([finish(id), finish(id), finish(id)]);
  await finish(id);
  await rig.post(`/experiments/${id}/gate?baseline=main`, {});
  const told = await send();
  expect(told).toMatchObject([
    {
      event: "fired",
      rule: { metric: "experiments" },
      url: `https://sightline.example.org/projects/${rig.projectId}/experiments/${id}?baseline=main`,
      experiment: { id, branch: "change", gate: { outcome: "worse", baseline: "main" } },
    },
  ]);
  expect(told[0]?.["text"]).toMatch(
    /^CI \(support\)\. Experiment finished: try change over [\w-]+ \(change 4f2a1bc\), the gate fails: it got worse \(against main\)\. checks 0\.$/u,
  );
  const { items } = alertEventPageSchema.parse((await rig.get("/alert-events", ADMIN)).body);
  expect(items.map(({ metric, experiment_id: experiment, value }) => [metric, experiment, value])).toEqual([["experiments", id, null]]);
});

test("one without a gate is no incident to act on, and one that was deleted before it is told leaves no words", async () => {
  await watch((url) => ({ name: "Duty", kind: "pagerduty", key: "0123456789abcdef", url }));
  const dataset = await makeDataset();
  const [kept, deleted] = [await run("main", "good", dataset), await run("other", "good", await makeDataset())];
  await finish(kept);
  await finish(deleted);
  await database.pool.query("delete from observability.experiments where id = $1", [deleted]);
  const told = await send();
  expect(told).toMatchObject([{ payload: { severity: "info" } }, { payload: { severity: "info" } }]);
  expect(new Set(told.map(({ dedup_key: key }) => key)).size).toBe(2);
  const summaries = JSON.stringify(told);
  expect(summaries).toContain("Experiment finished: try main over");
  expect(summaries).toContain("An experiment finished that was deleted since.");
  expect(summaries).not.toContain("try other");
});
