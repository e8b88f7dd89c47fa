import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { tracePageSchema, traceSchema, type Trace } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";

type Truth = {
  readonly name: string;
  readonly traceName: string;
  readonly status: string;
  readonly taken: readonly string[];
  readonly traces: number;
};

/** Real LangGraph.js agents under the real SDK, in a process of their own. */
const AGENTS = fileURLToPath(new URL("../../../sdk/testing/run-graph-agents.ts", import.meta.url));
const RESUME = fileURLToPath(new URL("../../../sdk/testing/run-resume.ts", import.meta.url));

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let api: ApiRig;
let truths: readonly Truth[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
  truths = JSON.parse(await run(AGENTS)) as Truth[];
  await rig.start();
  await consumed();
});
afterAll(async () => {
  await api.close();
  await rig.close();
  await database.drop();
});

describe("the graph of taken edges", () => {
  test("is, for every agent, what is known of its run, and the same in every run", async () => {
    const stored = await Promise.all(
      truths.map(async ({ traceName }) => {
        const traces = await tracesNamed(traceName);
        return traces.map((trace) => ({ traceName, status: trace.status, taken: (trace.graph?.taken ?? []).map(spell).toSorted() }));
      }),
    );
    expect(stored).toEqual(
      truths.map(({ traceName, status, taken, traces }) =>
        Array.from({ length: traces }, () => ({ traceName, status, taken: taken.toSorted() })),
      ),
    );
    expect(new Set(truths.map(({ name }) => name)).size * 2).toBe(truths.length);
  });
});

test("an interrupt is no failure; its resume belongs to the same trace, and the time between is apart", async () => {
  const [trace] = await tracesNamed("two interrupts in one node beside a node that is done, and their resumes #1");
  expect(trace?.segments.map(({ status }) => status)).toEqual(["interrupted", "interrupted", "success"]);
  const spans = (trace?.segments ?? []).map(({ started_at: start, ended_at: end }) => Date.parse(end ?? "") - Date.parse(start));
  const ran = spans.reduce((sum, span) => sum + span, 0);
  // Times are shown in milliseconds and counted in microseconds.
  expect(Math.abs((trace?.duration_ms ?? 0) - ran)).toBeLessThan(4);
  expect(trace?.observation_list.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "ask interrupted",
    "beside success",
    "ask interrupted",
    "ask success",
    "act success",
    "after success",
  ]);
  expect(trace).toMatchObject({ status: "success", failures: 0, observations: 6, output: { seen: expect.arrayContaining(["a", "b"]) } });
  for (const { id } of trace?.segments ?? []) {
    expect((await api.get(`/api/v1/traces/${id}`)).body["id"]).toBe(trace?.id);
  }
});

test("a resume in another process belongs to the same trace, and the graph knows what the first process did", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sightline-resume-"));
  const file = join(folder, "checkpoints");
  for (const step of ["start", "one", "two"]) {
    await run(RESUME, step, file);
  }
  rmSync(folder, { recursive: true });
  await consumed();
  const [trace, ...others] = await tracesNamed("asked in three processes");
  expect(others).toEqual([]);
  expect(trace).toMatchObject({ status: "success", segments: [{}, {}, {}] });
  expect(trace?.waiting_ms).toBeGreaterThan(0);
  expect(trace?.graph?.taken.map(spell).toSorted()).toEqual(
    truths.find(({ name }) => name.startsWith("two interrupts in one node"))?.taken.toSorted(),
  );
  const producers = await database.pool.query(
    "select distinct start_producer from observability.traces where name = 'asked in three processes'",
  );
  expect(producers.rows).toHaveLength(3);
});

test("declared graphs have the names of the taken edges, inner graphs included, and every edge that was gone was declared", async () => {
  for (const name of ["subgraphs in subgraphs", "parallel branches", "a loop by", "tasks sent by two"]) {
    const [trace] = await tracesNamed(name);
    const declared = new Set(trace?.graph?.declared?.edges.map(({ from, to }) => `${from} ${to}`));
    expect(trace?.graph?.taken.filter(({ from, to }) => !declared.has(`${from} ${to}`))).toEqual([]);
    expect(declared.size).toBeGreaterThan(2);
  }
});

async function consumed(): Promise<void> {
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), { timeout: 20_000 });
}

async function run(script: string, ...rest: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, rig.redis.url, rig.stream, rig.projectId, ...rest], {
    timeout: 60_000,
  });
  return stdout;
}

async function tracesNamed(name: string): Promise<readonly Trace[]> {
  const page = tracePageSchema.parse(
    (await api.get(`/api/v1/projects/${rig.projectId}/traces?limit=200&name=${encodeURIComponent(name)}`)).body,
  );
  const answers = await Promise.all(page.items.map(({ id }) => api.get(`/api/v1/traces/${id}`)));
  return answers.map(({ status, body }) => {
    expect({ status, error: body["message"] }).toEqual({ status: 200, error: undefined });
    return traceSchema.parse(body);
  });
}

function spell({ from, to, via, count }: NonNullable<Trace["graph"]>["taken"][number]): string {
  return `${from ?? "?"} -${via}-> ${to}${count === 1 ? "" : ` ×${count}`}`;
}
