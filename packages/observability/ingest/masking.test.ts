import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { MaskingRules } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { putMasking } from "#store/masking.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createConsumerRig, tablesOf, type ConsumerRig } from "#testing/consumer-rig.ts";

const patient = { timeout: 15_000 };
const SECRET = "hunter2";
const rules: MaskingRules = { keys: ["password"], patterns: [{ name: "the secret", expression: "(?i)hunter\\d" }] };
const at = "2026-11-21T10:00:00.000Z";

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  rig = await createConsumerRig(database);
});
afterEach(() => rig.close());
afterAll(() => database.drop());

test("nothing that is to be masked is in any table, whatever it came in, and what a trace is found by is masked too", async () => {
  await setRules(rules);
  await rig.publish(secretive(createProducer(rig.projectId)));
  await rig.start();
  await emptied();
  const tables = JSON.stringify(await tablesOf(database));
  expect(tables).not.toContain(SECRET);
  expect(tables).toContain("[masked]");
  expect(tables).toContain("kept-text");
  expect(tables).not.toContain("0f".repeat(32));
});

test("another project's events stay as they are", async () => {
  await setRules(rules);
  const other = uuidv7();
  await insertProject(database.query, { id: other, tenantId: "tenant-1", name: "other" });
  await rig.publish(secretive(createProducer(other)));
  await rig.start();
  await emptied();
  const tables = JSON.stringify(await tablesOf(database));
  expect(tables).toContain(SECRET);
  expect(tables).not.toContain("[masked]");
});

test("rules count for what is written after they were set, by a consumer that runs already", async () => {
  await rig.start();
  await rig.publish(secretive(createProducer(rig.projectId)).slice(0, 1));
  await emptied();
  await setRules(rules);
  await rig.publish(secretive(createProducer(rig.projectId)).slice(0, 1));
  await emptied();
  const { rows } = await database.pool.query<{ value: { password: string } }>("select value from observability.payloads order by event_id");
  expect(rows.map(({ value }) => value.password)).toEqual([SECRET, "[masked]"]);
});

test("a content under a masked name can't be read, whether it came before or comes after", async () => {
  await setRules({ keys: ["password"], patterns: [] });
  const [before, after, kept] = ["1a", "2b", "3c"].map((digits) => digits.repeat(32)) as [string, string, string];
  const producer = createProducer(rig.projectId);
  await rig.start();
  const content = (sha256: string) => producer.event("blob", { sha256, content: `${SECRET} ${sha256}` });
  await rig.publish([content(before), content(kept)]);
  await emptied();
  const input = { password: { $blob: before }, other: { $blob: kept }, deep: { password: [{ $blob: after }] } };
  await rig.publish([producer.event("trace.start", { trace_id: uuidv7(), name: "run", started_at: at, input })]);
  await emptied();
  await rig.publish([content(after)]);
  await emptied();
  const { rows } = await database.pool.query("select sha256, content from observability.blobs order by sha256");
  expect(rows).toEqual([
    { sha256: before, content: "[masked]" },
    { sha256: after, content: "[masked]" },
    { sha256: kept, content: `${SECRET} ${kept}` },
  ]);
});

test("an event that can't be masked is set aside after its deliveries and never written, the others of its batch are", async () => {
  const rounds = Array.from({ length: 40 }, (_, index) => ({ name: `p${index}`, expression: `hunter${index}` }));
  await setRules({ keys: [], patterns: rounds });
  const producer = createProducer(rig.projectId);
  const start = (input: unknown) => producer.event("trace.start", { trace_id: uuidv7(), name: "run", started_at: at, input });
  await rig.publish([start("first"), start(`${SECRET} ${" ".repeat(1_000_000)}`), start("last")]);
  await rig.start({ tuning: { claimIdleMs: 50, claimEveryMs: 50 } });
  await emptied();
  const { rows: traces } = await database.pool.query("select value from observability.payloads order by event_id");
  expect(traces).toEqual([{ value: "first" }, { value: "last" }]);
  const { rows: letters } = await database.pool.query<{ reason: string }>("select reason from observability.dead_letters");
  expect(letters.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^it could not be masked 5 times: it is too long/)]);
});

test("while the rules can't be read nothing is written, and everything is afterwards", async () => {
  await setRules(rules);
  await database.pool.query("alter table observability.masking rename to masking_away");
  try {
    await rig.publish(secretive(createProducer(rig.projectId)));
    await rig.start();
    await vi.waitFor(async () => expect(await pending()).toBeGreaterThan(0), patient);
    expect(JSON.stringify(await tablesOf(database))).not.toContain(SECRET);
  } finally {
    await database.pool.query("alter table observability.masking_away rename to masking");
  }
  await emptied();
  const tables = JSON.stringify(await tablesOf(database));
  expect(tables).toContain("kept-text");
  expect(tables).not.toContain(SECRET);
});

test("rules that can't be used let nothing through", async () => {
  await setRules({ keys: [], patterns: [{ name: "broken", expression: "(" }] });
  await rig.publish(secretive(createProducer(rig.projectId)).slice(0, 1));
  await rig.start({ tuning: { claimIdleMs: 50, claimEveryMs: 50 } });
  await emptied();
  expect(JSON.stringify(await tablesOf(database))).not.toContain(SECRET);
  const { rows } = await database.pool.query<{ reason: string }>("select reason from observability.dead_letters");
  expect(rows[0]?.reason).toContain("masking rules can't be used");
});

async function setRules(given: MaskingRules): Promise<void> {
  await putMasking(database.query, { projectId: rig.projectId, reader: { kind: "operator" }, rules: given, by: "test", at: new Date() });
}

function emptied(): Promise<void> {
  return vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), patient);
}

async function pending(): Promise<number> {
  const [count] = (await rig.redis.client.xpending(rig.stream, rig.group).catch(() => [0])) as [number];
  return count;
}

/** The secret wherever an application may put one. */
function secretive(producer: Producer) {
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  const attributes = { note: `is ${SECRET}`, kept: "kept-text" };
  return [
    producer.event("trace.start", {
      trace_id: ids.trace_id,
      name: "run",
      started_at: at,
      input: { password: SECRET },
      tags: [`of ${SECRET}`],
      attributes,
    }),
    producer.event("observation.start", {
      ...ids,
      parent_id: null,
      kind: "tool",
      name: "t",
      started_at: at,
      input: `[{"a":"${SECRET}"}]`,
      attributes,
    }),
    producer.event("observation.update", { ...ids, attributes }),
    producer.event("observation.end", {
      ...ids,
      ended_at: at,
      duration_ms: 1,
      status: "failure",
      output: [SECRET],
      error: `wrong: ${SECRET}`,
      stack: { errors: [{ frames: [] }, { relation: "cause", of: 0, type: "KeyError", message: SECRET, frames: [{ file: "a.py" }] }] },
      usage: { input_tokens: 1, raw: { [SECRET]: SECRET } },
      reasoning: { text: `The word is ${SECRET}`, truncated: false, original_chars: 19, sha256: "0f".repeat(32) },
      tool_entry: { tool_name: "t", parameters: { password: SECRET }, result: { said: SECRET }, timestamp: at, status: "failure" },
      attributes,
    }),
    producer.event("blob", { sha256: "4d".repeat(32), content: { text: SECRET } }),
    producer.event("score", { trace_id: ids.trace_id, name: "s", value: 1, comment: `leaks ${SECRET}` }),
    producer.event("trace.end", {
      trace_id: ids.trace_id,
      ended_at: at,
      status: "failure",
      output: SECRET,
      error: SECRET,
      stack: { errors: [], text: SECRET },
      attributes,
    }),
  ];
}
