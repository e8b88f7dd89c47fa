import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  MAX_PROMPT_CHARACTERS,
  promptPageSchema,
  promptSchema,
  promptUsageListSchema,
  promptVersionPageSchema,
  promptVersionSchema,
  tracePageSchema,
  writtenPromptSchema,
} from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { exploredRun } from "#testing/explored-run.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;
let second: EvaluationRig;
let replicas: readonly EvaluationRig["api"][];

const ADMIN = "tenant-1:admin";
const MESSAGES = [
  { role: "system", content: "You are {{ mood }}." },
  { role: "user", content: "{{question}} {{mood}} {{not closed} {{1st}}" },
];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
  second = await createEvaluationRig(database);
  replicas = [rig.api, second.api];
});
afterAll(async () => {
  await rig.close();
  await second.close();
  await database.drop();
});

async function write(body: object, token = rig.key) {
  const answer = await rig.post("/prompts", body, token);
  return { ...answer, written: answer.status < 300 ? writtenPromptSchema.parse(answer.body) : undefined };
}

async function made(body: object, token = ADMIN) {
  const { written, ...answer } = await write(body, token);
  if (written === undefined) {
    throw new Error(JSON.stringify(answer.body));
  }
  return written;
}

const resolve = (query: string, token?: string) => rig.get(`/prompts/resolve?${query}`, token);
const move = (promptId: string, body: object, token = ADMIN) => rig.api.put(`${rig.base}/prompts/${promptId}/labels`, body, token);
const makeKey = async (...scopes: string[]) => String((await rig.api.post(`${rig.base}/keys`, { name: "k", scopes }, ADMIN)).body["key"]);

describe("versions", () => {
  test("count up, never change, and are made only where something is new", async () => {
    const first = await made({
      name: "support/greeting",
      template: "Hello {{name}}!",
      config: { model: "m-1", temperature: 0.2 },
      reason: "first",
    });
    expect(first).toMatchObject({ version: 1, is_new: true, variables: ["name"], labels: [], reason: "first" });
    const again = await write({ name: "support/greeting", template: "Hello {{name}}!", config: { model: "m-1", temperature: 0.2 } });
    expect([again.status, again.written?.version, again.written?.is_new]).toEqual([200, 1, false]);
    expect(await made({ name: "support/greeting", template: MESSAGES })).toMatchObject({ version: 2, variables: ["mood", "question"] });
    expect(await made({ name: "support/greeting", template: "Hello {{name}}!", config: { model: "m-1", temperature: 0.2 } })).toMatchObject(
      { version: 3 },
    );
    const old = promptVersionSchema.parse((await resolve("name=support/greeting&version=1")).body);
    expect(old).toMatchObject({
      prompt_id: first.prompt_id,
      version: 1,
      template: "Hello {{name}}!",
      config: { model: "m-1", temperature: 0.2 },
      author: "user-1",
    });
    const { items } = promptVersionPageSchema.parse((await rig.get(`/prompts/${first.prompt_id}/versions`)).body);
    expect(items.map(({ version }) => version)).toEqual([3, 2, 1]);
  });

  test("are one each however many writers there are on two replicas", needsRealPostgres, async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        (replicas[at % 2] ?? rig.api).post(`${rig.base}/prompts`, { name: "raced", template: `text ${at % 12}` }, ADMIN),
      ),
    );
    const versions = answers.map((answer) => writtenPromptSchema.parse(answer.body)).filter((each) => each.is_new);
    const numbers = versions.map(({ version }) => version).toSorted((one, two) => one - two);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at + 1));
    expect(numbers.length).toBeGreaterThanOrEqual(12);
  });

  test.each([
    [{ name: "bad name", template: "x" }, "invalid_request"],
    [{ name: "/x", template: "x" }, "invalid_request"],
    [{ name: "a@7", template: "x" }, "invalid_request"],
    [{ name: "../x", template: "x" }, "invalid_request"],
    [{ name: "x", template: "a\0" }, "invalid_request"],
    [{ name: "x", template: [] }, "invalid_request"],
    [{ name: "x", template: "x", labels: ["latest"] }, "invalid_request"],
    [{ name: "x", template: "x".repeat(MAX_PROMPT_CHARACTERS) }, "prompt_too_long"],
  ])("of %.60j are refused", async (body, error) => {
    expect(await write(body)).toMatchObject({ status: 400, body: { error } });
  });

  test("are listed by name, in folders", async () => {
    await made({ name: "folder/a", template: "a" });
    await made({ name: "folder/b", template: "b", labels: ["staging"] });
    const page = promptPageSchema.parse((await rig.get("/prompts?prefix=folder/&limit=1")).body);
    const rest = promptPageSchema.parse((await rig.get(`/prompts?prefix=folder/&limit=1&cursor=${page.next_cursor}`)).body);
    expect([...page.items, ...rest.items].map(({ name, labels }) => [name, labels])).toEqual([
      ["folder/a", {}],
      ["folder/b", { staging: 1 }],
    ]);
    expect(rest.next_cursor).toBeNull();
  });
});

describe("labels", () => {
  test("say which version is meant; latest is the newest", async () => {
    const { prompt_id: id } = await made({ name: "labelled", template: "1", labels: ["production", "staging"] });
    await made({ name: "labelled", template: "2", labels: ["staging"] });
    const seen = async (query: string) => (await resolve(`name=labelled${query}`)).body["version"];
    expect([await seen(""), await seen("&label=staging"), await seen("&label=latest"), await seen("&version=2")]).toEqual([1, 2, 2, 2]);
    expect(await resolve("name=labelled&label=canary")).toMatchObject({ status: 404, body: { error: "label_not_found" } });
    expect(await resolve("name=labelled&version=3")).toMatchObject({ status: 404, body: { error: "version_not_found" } });
    expect(await resolve("name=nowhere")).toMatchObject({ status: 404, body: { error: "prompt_not_found" } });
    expect(await move(id, { label: "staging", version: null })).toMatchObject({ status: 200, body: { labels: { production: 1 } } });
    expect(await move(id, { label: "production", version: 9 })).toMatchObject({ status: 404 });
  });

  test("production is an owner's, and an API key's that has the scope", async () => {
    const { prompt_id: id } = await made({ name: "guarded", template: "1" });
    await database.query
      .insertInto("observability.project_members")
      .values({ project_id: rig.projectId, user_id: "ed", role: "editor", added_by: "t" })
      .execute();
    const editor = "tenant-1:member:ed";
    const [plain, releasing, reading] = [rig.key, await makeKey("evaluate", "production"), await makeKey("prompts", "production")];
    const production = { label: "production", version: 1 };
    expect(await move(id, production, editor)).toMatchObject({ status: 403, body: { error: "role_missing" } });
    expect(await move(id, production, plain)).toMatchObject({ status: 403, body: { error: "scope_missing" } });
    expect(await move(id, production, reading)).toMatchObject({ status: 403, body: { error: "scope_missing" } });
    for (const token of [editor, plain]) {
      expect(await write({ name: "guarded", template: token, labels: ["production"] }, token)).toMatchObject({ status: 403 });
      expect(await move(id, { label: "staging", version: 1 }, token)).toMatchObject({ status: 200 });
    }
    expect(await resolve("name=guarded&label=latest")).toMatchObject({ body: { version: 1 } });
    for (const token of [ADMIN, releasing]) {
      expect(await move(id, production, token)).toMatchObject({ status: 200, body: { labels: { production: 1 } } });
      expect(await move(id, { ...production, version: null }, plain)).toMatchObject({ status: 403 });
    }
    expect(await resolve("name=guarded", reading)).toMatchObject({ status: 200 });
    expect(await write({ name: "guarded", template: "3" }, reading)).toMatchObject({ status: 403 });
    const removal = { method: "DELETE", url: `${rig.base}/prompts/${id}`, headers: { authorization: `Bearer ${editor}` } } as const;
    expect((await rig.api.server.inject(removal)).json()).toMatchObject({ error: "prompt_in_use" });
    await move(id, { label: "production", version: null });
    expect((await rig.api.server.inject(removal)).statusCode).toBe(204);
    expect(await rig.get(`/prompts/${id}`)).toMatchObject({ status: 404 });
  });

  test("of many who move one at once on two replicas, one does, and the others are told", needsRealPostgres, async () => {
    const { prompt_id: id } = await made({ name: "moved", template: "1", labels: ["production"] });
    await made({ name: "moved", template: "2" });
    await made({ name: "moved", template: "3" });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (replicas[at % 2] ?? rig.api).put(
          `${rig.base}/prompts/${id}/labels`,
          { label: "production", version: 2 + (at % 3 === 0 ? 1 : 0), expected: 1 },
          ADMIN,
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
    const winner = answers.find(({ status }) => status === 200);
    expect(promptSchema.parse((await rig.get(`/prompts/${id}`)).body).labels).toEqual(promptSchema.parse(winner?.body).labels);
  });
});

test("which traces ran a version, how they scored and what they cost", async () => {
  const { prompt_id: id } = await made({ name: "used", template: "1" });
  await made({ name: "used", template: "2" });
  const producer = createProducer(rig.projectId);
  await rig.api.put(`${rig.base}/prices`, { model: "m-used", input: 2, output: 1, valid_from: "2026-01-01T00:00:00Z" }, ADMIN);
  const ids = Array.from({ length: 4 }, () => uuidv7());
  const version = (at: string) => ({ prompt: { name: "used", version: at }, model: "m-used", tokens: 1_000_000, seconds: 1 });
  const minute = Math.floor((Date.now() - Date.UTC(2026, 10, 21, 10)) / 60_000);
  await writeEvents(database, [
    ...exploredRun(producer, { name: "a", ...version("1"), score: 1 }, minute - 5, ids[0]),
    ...exploredRun(producer, { name: "b", ...version("2"), score: 0 }, minute - 4, ids[1]),
    ...exploredRun(producer, { name: "c", ...version("2"), score: 1 }, minute - 3, ids[2]),
    ...exploredRun(producer, { name: "d", model: "m-used", prompt: { name: "used2", version: "2" }, seconds: 1 }, minute - 2, ids[3]),
  ]);
  const { items } = promptUsageListSchema.parse((await rig.get(`/prompts/${id}/usage`, ADMIN)).body);
  expect(items).toEqual([
    {
      version: 2,
      traces: 2,
      calls: 2,
      failed_calls: 0,
      tokens: 2_000_000,
      cost: 4,
      mean_duration_ms: 1,
      scores: [{ name: "helpful", source: "application", mean: 0.5, count: 2 }],
    },
    {
      version: 1,
      traces: 1,
      calls: 1,
      failed_calls: 0,
      tokens: 1_000_000,
      cost: 2,
      mean_duration_ms: 1,
      scores: [{ name: "helpful", source: "application", mean: 1, count: 1 }],
    },
  ]);
  const found = async (q: string) =>
    tracePageSchema.parse((await rig.get(`/traces?q=${encodeURIComponent(q)}`, ADMIN)).body).items.map((trace) => trace.id);
  expect(await found("prompt:used@2")).toEqual([ids[2], ids[1]]);
  expect(await found("prompt:used")).toEqual([ids[2], ids[1], ids[0]]);
  const steps = (await rig.get(`/traces/${ids[0]}/steps`, ADMIN)).body["items"] as { prompt: string | null }[];
  expect(steps.map(({ prompt }) => prompt)).toEqual([null, "used@1"]);
  const facets = (await rig.get("/traces/facets?field=prompt&prefix=used", ADMIN)).body["items"];
  expect(facets).toMatchObject([
    { value: "used@2", count: 2 },
    { value: "used@1", count: 1 },
    { value: "used2@2", count: 1 },
  ]);
});

test("a file of all prompts makes the same elsewhere, and nothing where they are already", async () => {
  const one = await createEvaluationRig(database);
  const other = await createEvaluationRig(database);
  const send = (to: EvaluationRig, payload: string, type = "application/x-ndjson") =>
    to.api.server.inject({
      method: "POST",
      url: `${to.base}/prompts/import`,
      payload,
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": type },
    });
  const file = async (from: EvaluationRig) =>
    (await from.api.server.inject({ url: `${from.base}/prompts/export`, headers: { authorization: `Bearer ${from.key}` } })).body;
  for (const body of [
    { name: "b", template: "1", labels: ["production"] },
    { name: "b", template: "2", reason: "why" },
    { name: "b", template: "1" },
    { name: "a/x", template: MESSAGES, config: { model: "m" } },
  ]) {
    await one.post("/prompts", body, ADMIN);
  }
  const lines = await file(one);
  expect((await send(other, lines)).json()).toEqual({ added: 4, unchanged: 0 });
  expect(await file(other)).toBe(lines);
  expect((await send(other, lines)).json()).toEqual({ added: 0, unchanged: 4 });
  expect((await send(other, `${lines}{"name": "c"}\n`)).json()).toMatchObject({
    error: "invalid_line",
    message: expect.stringContaining("Line 5 is no prompt: template"),
  });
  expect((await send(other, "{}", "application/json")).statusCode).toBe(415);
  expect(await file(other)).toBe(lines);
  await Promise.all([one.close(), other.close()]);
});
