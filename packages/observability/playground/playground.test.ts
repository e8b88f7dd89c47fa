import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { playgroundEventSchema, traceSchema, type PlaygroundEvent } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel, type ScriptedAnswer } from "#testing/answering-model.ts";
import { createJudgeRig, MODEL, type JudgeRig } from "#testing/judge-rig.ts";

const OWNER = "tenant-1:admin";
const USAGE = { prompt_tokens: 100, completion_tokens: 20 };
/** By the prices of the fixture: 1 and 10 dollars a million tokens. */
const COST = (100 * 1 + 20 * 10) / 1e6;

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;
let answer: (prompt: string) => ScriptedAnswer | Promise<ScriptedAnswer>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel((prompt) => answer(prompt));
  rig = await createJudgeRig(database, model.url);
});
beforeEach(async () => {
  answer = () => ({ says: "It was shipped." });
  await rig.clear();
  await database.pool.query("delete from observability.judge_spending");
  await setBudget(5);
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

const setBudget = (budget: number | null) => rig.api.patch(rig.base, { playground_budget: budget }, OWNER);
const asking = (changes: object = {}) => ({
  connection_id: rig.connection.id,
  model: MODEL,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Where is my order?" }] },
  ],
  ...changes,
});
const ask = (changes: object = {}, token = OWNER) =>
  rig.api.server.inject({
    method: "POST",
    url: `${rig.base}/playground`,
    payload: asking(changes),
    headers: { authorization: `Bearer ${token}` },
  });
const readEvents = (body: string): readonly PlaygroundEvent[] =>
  body
    .split("\n\n")
    .filter((block) => block.startsWith("data: "))
    .map((block) => playgroundEventSchema.parse(JSON.parse(block.slice("data: ".length))));
const spent = async () =>
  Number((await database.pool.query("select coalesce(sum(dollars), 0) as sum from observability.judge_spending")).rows[0].sum);

/** The one trace that there is; the list has live ones alone. */
async function readTrace() {
  await rig.store();
  const { rows } = await database.pool.query<{ id: string }>("select id from observability.traces where purpose = 'playground'");
  return traceSchema.parse((await rig.get(`/traces/${rows[0]?.id}`)).body);
}

async function endOf(changes: object = {}) {
  const { statusCode, body } = await ask(changes);
  expect(statusCode, body).toBe(200);
  const end = readEvents(body).at(-1);
  if (end?.type !== "end") {
    throw new Error(body);
  }
  return end;
}

test("an answer comes part by part, costs what the model counted, and is a trace of its own", async () => {
  answer = () => ({ says: "It was shipped.", usage: USAGE });
  const { headers, body } = await ask({ temperature: 0.5, max_tokens: 200 });
  expect(headers["content-type"]).toContain("text/event-stream");
  const events = readEvents(body);
  expect(events.slice(0, -1)).toEqual(["It ", "was ", "shipped."].map((text) => ({ type: "text", text })));
  expect(events.at(-1)).toMatchObject({ type: "end", problem: null, tokens: 120, cost: COST });
  expect(await spent()).toBeCloseTo(COST, 12);
  expect(JSON.parse(model.asked.at(-1) ?? "")).toMatchObject({ model: MODEL, temperature: 0.5, max_tokens: 200 });
  const trace = await readTrace();
  expect(trace).toMatchObject({ name: "playground", purpose: "playground", status: "success", output: "It was shipped." });
  expect(trace.attributes).toMatchObject({ metadata: { author: "user-1" } });
  expect(trace.observation_list[0]).toMatchObject({ kind: "llm", model: MODEL, input_tokens: 100 });
  expect(await rig.said(trace.id)).toEqual(["system text Be brief.", "user text Where is my order?", "assistant text It was shipped."]);
});

test("tools, what they answered and images go along, and what the model calls comes back", async () => {
  answer = () => ({ says: "", calls: { name: "find_order", arguments: { id: 42 } }, usage: USAGE });
  const parameters = { type: "object", properties: { id: { type: "number" } } };
  const messages = [
    { role: "user", content: [{ type: "image", image: "iVBORw0KGgo=", mediaType: "image/png" }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "find_order", input: { id: 41 } }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "find_order", output: { type: "text", value: "none" } }] },
  ];
  const { body } = await ask({ messages, tools: [{ name: "find_order", description: "finds", parameters }] });
  expect(readEvents(body)).toContainEqual({ type: "tool-call", toolCallId: "call-1", toolName: "find_order", input: { id: 42 } });
  const sent = JSON.parse(model.asked.at(-1) ?? "");
  expect(sent.messages[0].content[0]).toEqual({ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } });
  expect(sent.messages[1].tool_calls[0].function).toEqual({ name: "find_order", arguments: '{"id":41}' });
  expect(sent.messages[2]).toMatchObject({ role: "tool", tool_call_id: "1", content: "none" });
  expect(sent.tools[0].function).toMatchObject({ name: "find_order", parameters });
});

test("no image is fetched from an address, and no key comes out", async () => {
  const image = { type: "image", image: "http://169.254.169.254/latest", mediaType: "image/png" };
  expect((await ask({ messages: [{ role: "user", content: [image] }] })).statusCode).toBe(400);
  answer = () => ({ status: 401, says: "Incorrect API key" });
  const { body } = await ask();
  expect(readEvents(body).at(-1)).toMatchObject({ type: "end", problem: expect.stringContaining("refuses the key"), cost: 0 });
  expect(body).not.toContain("sk-secret");
});

test("calls at once never exceed the day's budget, and a model without a price has none", async () => {
  // Each reserves its bytes and 100 tokens of answer: about 1,250 and 1,000 millionths of a dollar.
  await setBudget(0.01);
  answer = () => ({ says: "ok", usage: { prompt_tokens: 1_200, completion_tokens: 90 } });
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask({ max_tokens: 100 })));
  const made = answers.filter(({ statusCode }) => statusCode === 200);
  expect(made.length).toBeGreaterThan(1);
  expect(answers.filter(({ body }) => body.includes("over_budget")).length).toBe(8 - made.length);
  expect(made.length).toBeLessThan(8);
  expect(await spent()).toBeLessThanOrEqual(0.01);
  expect((await ask({ model: "unpriced" })).json()).toMatchObject({ error: "model_unpriced" });
  await setBudget(null);
  expect(await endOf({ model: "unpriced" })).toMatchObject({ problem: null, cost: null });
});

test("who leaves in the midst of an answer pays for what may have been computed, and its trace says so", async () => {
  let arrived: () => void = () => undefined;
  const isThere = new Promise<void>((resolve) => (arrived = resolve));
  answer = () => ({
    says: "one two",
    pace: async () => {
      arrived();
      await new Promise(() => undefined);
    },
  });
  const left = new AbortController();
  const headers = { authorization: `Bearer ${OWNER}`, "content-type": "application/json" };
  const address = `${rig.url}${rig.base}/playground`;
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(asking()), signal: left.signal });
  await isThere;
  await response.body?.getReader().read();
  left.abort();
  await expect.poll(async () => (await rig.streamed()).length).toBe(4);
  const trace = await readTrace();
  expect(trace).toMatchObject({ status: "failure", output: "one " });
  expect(await spent()).toBeGreaterThan(0.01);
});

test("people alone may ask, as editors", async () => {
  const { key } = await rig.makeKey(["evaluate"]);
  expect((await ask({}, key)).statusCode).toBe(401);
  await rig.api.patch(rig.base, { access: "members" }, OWNER);
  expect((await ask({}, "tenant-1:member:nobody")).statusCode).toBe(404);
});
