import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { needsPython } from "@sightline/foundation/testing/find-python";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { promptUsageListSchema, tracePageSchema, writtenPromptSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { pythonProgram } from "#testing/python-program.ts";

const TYPESCRIPT = fileURLToPath(new URL("../../sdk/testing/run-prompt.ts", import.meta.url));
const ADMIN = "tenant-1:admin";

/** `get_prompt` in processes of their own, against the real API, and model calls through a real stream. */
describe("an application", () => {
  let database: TestDatabase<ObservabilitySchema>;
  let consumer: ConsumerRig;
  let rig: EvaluationRig;
  let cache: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    consumer = await createConsumerRig(database);
    rig = await createEvaluationRig(database);
    await consumer.start();
    cache = await mkdtemp(join(tmpdir(), "sightline-prompt-"));
    const made = await rig.post("/keys", { name: "app", scopes: ["prompts"] }, ADMIN);
    environment = {
      ...process.env,
      XDG_CACHE_HOME: cache,
      OBS_API_URL: await rig.api.server.listen({ port: 0, host: "127.0.0.1" }),
      OBS_API_KEY: String(made.body["key"]),
      OBS_PROJECT_ID: rig.projectId,
      OBS_REDIS_URL: consumer.redis.url,
      OBS_STREAM_NAME: consumer.stream,
    };
  });
  afterAll(async () => {
    await rig.close();
    await consumer.close();
    await database.drop();
    await rm(cache, { recursive: true });
  });

  async function runInPython(name: string, variables: NodeJS.ProcessEnv = {}): Promise<unknown> {
    const { program, options } = pythonProgram("testing/run_prompt.py");
    const env = { ...environment, PYTHONPATH: options.env.PYTHONPATH, ...variables };
    return JSON.parse((await promisify(execFile)(program[0], [program[1], name], { ...options, env })).stdout);
  }

  async function runInTypeScript(name: string, variables: NodeJS.ProcessEnv = {}): Promise<unknown> {
    const env = { ...environment, ...variables };
    return JSON.parse((await promisify(execFile)(process.execPath, [TYPESCRIPT, name], { env })).stdout);
  }

  async function tracesOf(query: string) {
    return tracePageSchema.parse((await rig.get(`/traces?q=${encodeURIComponent(query)}`, ADMIN)).body).items;
  }

  test.each([
    ["Python", runInPython, runInTypeScript],
    ["TypeScript", runInTypeScript, runInPython],
  ])("in %s runs what production means, which its model calls say", needsPython, async (language, run, runOther) => {
    const name = `greeting/${language}`;
    const body = { name, template: `Hello from ${language}, {{name}}!` };
    const { prompt_id: id } = writtenPromptSchema.parse((await rig.post("/prompts", { ...body, labels: ["production"] }, ADMIN)).body);
    await rig.post("/prompts", { ...body, template: "Later" }, ADMIN);
    const told = { version: 1, text: `Hello from ${language}, Ada!` };
    expect(await run(name)).toEqual({ ...told, source: "cache" });
    await expect.poll(async () => (await tracesOf(`prompt:${name}@1`)).length).toBe(1);
    expect(await tracesOf(`prompt:${name}@2`)).toEqual([]);
    const { items } = promptUsageListSchema.parse((await rig.get(`/prompts/${id}/usage`, ADMIN)).body);
    expect(items).toMatchObject([{ version: 1, traces: 1, calls: 1 }]);
    // A key that may not: what the platform last said is on disk, for the other language, too.
    expect(await runOther(name, { OBS_API_KEY: "studio_none" })).toEqual({ ...told, source: "disk" });
    expect(await run(name, { OBS_API_KEY: "studio_none", XDG_CACHE_HOME: join(cache, "none") })).toMatchObject({
      source: "fallback",
      text: "away",
    });
  });
});
