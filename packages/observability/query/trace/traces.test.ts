import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tracePageSchema, traceSchema, type TracePage } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;
let producer: Producer;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  projectId = uuidv7();
  producer = createProducer(projectId);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("GET /api/v1/projects/:project_id/traces", () => {
  test("answers what a run did in sum", async () => {
    const traceId = uuidv7();
    await writeEvents(database, agentRun(producer, traceId));
    const page = await list();
    expect(page).toEqual({
      items: [
        {
          id: traceId,
          name: "support-agent",
          status: "success",
          started_at: "2026-11-21T10:00:00.000Z",
          ended_at: "2026-11-21T10:00:06.000Z",
          duration_ms: 6000,
          waiting_ms: 0,
          observations: 3,
          failures: 1,
          lost_events: 0,
          thread_id: "thread-7",
          session_id: null,
          user_id: null,
          purpose: "live",
          time_to_first_token_ms: null,
          input_tokens: 120,
          output_tokens: 8,
          cost: null,
          models: ["m-1-2026"],
          input: "where?",
          output: "shipped",
          environment: null,
          release: null,
          version: null,
          namespace: null,
          tags: [],
          error: null,
          scores: [{ name: "helpful", value: 1, count: 1 }],
          found: null,
          comments: 0,
        },
      ],
      next_cursor: null,
      is_counting: false,
      is_cost_pending: false,
      search: null,
    });
  });

  test("pages through all traces once, newest first, also where many started in the same microsecond and new ones come meanwhile", async () => {
    const ids = Array.from({ length: 25 }, () => uuidv7());
    await writeEvents(
      database,
      ids.map((id, index) => started(id, index < 10 ? "2026-11-21T10:00:00.123456Z" : at(index))),
    );
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: TracePage = await list(`limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`);
      seen.push(...page.items.map((item) => item.id));
      cursor = page.next_cursor;
      await writeEvents(database, [started(uuidv7(), "2026-11-22T10:00:00Z")]);
    }
    expect(seen).toEqual([...ids.slice(10).toReversed(), ...ids.slice(0, 10).toSorted().toReversed()]);
  });

  test("filters by status and by a part of the name in either case; wildcards are only characters", async () => {
    const [failed, running] = [uuidv7(), uuidv7()];
    await writeEvents(database, [
      started(failed, at(1), "Refund 100%"),
      producer.event("trace.end", { trace_id: failed, ended_at: at(2), status: "failure", error: "boom" }),
      started(running, at(3), "Support"),
    ]);
    expect(await idsOf("status=failure")).toEqual([failed]);
    expect(await idsOf("status=running")).toEqual([running]);
    expect(await idsOf("name=refund")).toEqual([failed]);
    expect(await idsOf("name=100%25")).toEqual([failed]);
    expect(await idsOf("name=%25")).toEqual([failed]);
    expect(await idsOf("name=_")).toEqual([]);
  });

  test.each([
    "x",
    "W10",
    Buffer.from('["1; drop table","x"]').toString("base64url"),
    Buffer.from('["9999999999999999999",1]').toString("base64url"),
    // Longer ago than PostgreSQL's timestamps reach.
    Buffer.from('["-999999999999999999","00000000-0000-4000-8000-000000000000"]').toString("base64url"),
  ])("refuses the cursor %s", async (cursor) => {
    expect(await api.get(`/api/v1/projects/${projectId}/traces?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { error: "invalid_cursor" },
    });
  });

  test.each(["limit=0", "limit=201", "limit=ten", "status=broken", "name=" + "n".repeat(201), "name=%00"])("refuses %s", async (query) => {
    expect(await api.get(`/api/v1/projects/${projectId}/traces?${query}`)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", details: [expect.anything()] },
    });
  });
});

test("counts of tokens that no sum can hold don't hide a project's traces", async () => {
  const traceId = uuidv7();
  const calls = Array.from({ length: 1_100 }, () =>
    producer.event("observation.end", {
      trace_id: traceId,
      observation_id: uuidv7(),
      ended_at: at(1),
      duration_ms: 1,
      status: "success",
      usage: { input_tokens: Number.MAX_SAFE_INTEGER },
    }),
  );
  await writeEvents(database, [started(traceId, at(0)), ...calls]);
  const page = await list();
  expect(page.items).toMatchObject([{ id: traceId, input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: null }]);
});

describe("GET /api/v1/traces/:trace_id", () => {
  test("answers the whole run: parents before children, payloads, attributes merged, reasoning, code", async () => {
    const traceId = uuidv7();
    await writeEvents(database, agentRun(producer, traceId));
    const { status, body } = await api.get(`/api/v1/traces/${traceId}`);
    const trace = traceSchema.parse(body);
    expect(status).toBe(200);
    expect(trace).toMatchObject({ project_id: projectId, input: { question: "where?" }, output: { answer: "shipped" }, error: null });
    const [node, tool, model] = trace.observation_list;
    expect(trace.observation_list.map(({ name }) => name)).toEqual(["plan", "find_order", "answer"]);
    expect(node).toMatchObject({ parent_id: null, kind: "node", seq: 2, attributes: { a: 2, retries: 1, done: true }, duration_ms: 4000 });
    expect(tool).toMatchObject({
      parent_id: node?.id,
      status: "failure",
      error: "TimeoutError",
      input: { order: 42 },
      output: null,
      duration_ms: 1000.5,
      code: { file: "src/tools.ts", line: 12 },
    });
    expect(model).toMatchObject({ model: "m-1-2026", input_tokens: 120, output: "It was shipped.", reasoning: "The order is on its way" });
  });

  test("says its labels and tags, also those that people added, with and without its steps", async () => {
    const traceId = uuidv7();
    const labels = { environment: "production", release: "2026.11", version: "1.4.2", namespace: "shop" };
    await writeEvents(database, [
      producer.event("trace.start", { trace_id: traceId, name: "agent", started_at: at(1), ...labels, tags: ["beta", "eu"] }),
    ]);
    await api.post(`/api/v1/projects/${projectId}/traces/tag`, { trace_ids: [traceId], add: ["eu", "to review"] });
    for (const path of ["", "/summary"]) {
      const { body } = await api.get(`/api/v1/projects/${projectId}/traces/${traceId}${path}`);
      expect(body, path).toMatchObject({ ...labels, tags: ["beta", "eu", "to review"], added_tags: ["eu", "to review"] });
    }
  });

  test("answers the stack of a failure with the step alone, and that of the trace with what it says of itself", async () => {
    const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
    const stack = { errors: [{ frames: [{ file: "src/a.py", line: 3, function: "run", own: true }] }] };
    const end = { ended_at: at(2), status: "failure" as const, error: "KeyError: 1" };
    await writeEvents(database, [
      started(ids.trace_id, at(0)),
      producer.event("observation.start", { ...ids, parent_id: null, kind: "tool", name: "find", started_at: at(1) }),
      producer.event("observation.end", { ...ids, ...end, duration_ms: 5, stack }),
      producer.event("trace.end", { trace_id: ids.trace_id, ...end, stack: { errors: [], text: "unknown" } }),
    ]);
    const base = `/api/v1/projects/${projectId}/traces/${ids.trace_id}`;
    expect(await api.get(`${base}/observations/${ids.observation_id}`)).toMatchObject({ status: 200, body: { stack } });
    expect(await api.get(`${base}/summary`)).toMatchObject({ status: 200, body: { stack: { text: "unknown" } } });
    expect(JSON.stringify([await api.get(base), await api.get(`${base}/steps`)])).not.toContain('"stack"');
  });

  test("answers the same nested under its project", async () => {
    const traceId = uuidv7();
    await writeEvents(database, agentRun(producer, traceId));
    const [plain, nested] = [await api.get(`/api/v1/traces/${traceId}`), await api.get(`/api/v1/projects/${projectId}/traces/${traceId}`)];
    expect(nested).toEqual(plain);
  });

  test("takes a tool's parameters and result from its entry when nothing else carries them", async () => {
    const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
    const entry = { tool_name: "find", parameters: { q: 1 }, result: [2], timestamp: at(2), status: "success" as const };
    await writeEvents(database, [
      producer.event("observation.start", { ...ids, parent_id: null, kind: "tool", name: "find", started_at: at(1) }),
      producer.event("observation.end", { ...ids, ended_at: at(2), duration_ms: 5, status: "success", tool_entry: entry }),
    ]);
    const { body } = await api.get(`/api/v1/traces/${ids.trace_id}`);
    expect(traceSchema.parse(body).observation_list).toMatchObject([{ input: { q: 1 }, output: [2] }]);
  });

  test("shows what is known while starts are missing: the end tells when an observation began", async () => {
    const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
    await writeEvents(database, [producer.event("observation.end", { ...ids, ended_at: at(9), duration_ms: 2000, status: "success" })]);
    const { body } = await api.get(`/api/v1/traces/${ids.trace_id}`);
    expect(traceSchema.parse(body)).toMatchObject({
      name: "(start not received)",
      status: "running",
      observation_list: [{ name: "(start not received)", started_at: at(7), status: "success" }],
    });
  });

  test("gives only the beginning of a value that is too long to send", async () => {
    const traceId = uuidv7();
    await writeEvents(database, [
      producer.event("trace.start", { trace_id: traceId, name: "t", started_at: at(1), input: "x".repeat(300_000) }),
    ]);
    const { body } = await api.get(`/api/v1/traces/${traceId}`);
    expect(body["input"]).toEqual({ truncated: true, characters: 300_002, preview: `"${"x".repeat(3_999)}` });
  });
});

describe("of another tenant", () => {
  test("a project, its traces and each of them are not there, in the same words as what does not exist", async () => {
    const traceId = uuidv7();
    await writeEvents(database, agentRun(producer, traceId));
    const nowhere = uuidv7();
    for (const [theirs, nothing] of [
      [`/api/v1/projects/${projectId}`, `/api/v1/projects/${nowhere}`],
      [`/api/v1/projects/${projectId}/traces`, `/api/v1/projects/${nowhere}/traces`],
      [`/api/v1/projects/${projectId}/traces/${traceId}`, `/api/v1/projects/${nowhere}/traces/${nowhere}`],
      [`/api/v1/traces/${traceId}`, `/api/v1/traces/${nowhere}`],
    ] as const) {
      const refused = await api.get(theirs, "tenant-2:admin");
      expect(refused.status).toBe(404);
      expect(refused).toEqual(await api.get(nothing, "tenant-2:admin"));
    }
  });

  test("a trace that bears the same id is another trace", async () => {
    const [traceId, theirProject] = [uuidv7(), uuidv7()];
    await insertProject(database.query, { id: theirProject, tenantId: "tenant-2", name: "theirs" });
    await writeEvents(database, agentRun(producer, traceId, "mine"));
    await writeEvents(database, agentRun(createProducer(theirProject), traceId, "theirs"));
    expect((await api.get(`/api/v1/traces/${traceId}`)).body["name"]).toBe("mine");
    expect((await api.get(`/api/v1/traces/${traceId}`, "tenant-2:member")).body["name"]).toBe("theirs");
  });
});

test.each(["/api/v1/projects", `/api/v1/projects/${uuidv7()}/traces`, `/api/v1/traces/${uuidv7()}`, "/api/v1/dead-letters"])(
  "GET %s without a good token is 401 auth_failed",
  async (url) => {
    for (const token of ["", "rubbish"]) {
      expect(await api.get(url, token)).toMatchObject({ status: 401, body: { error: "auth_failed", message: expect.any(String) } });
    }
  },
);

function started(traceId: string, startedAt: string, name = "t") {
  return producer.event("trace.start", { trace_id: traceId, name, started_at: startedAt });
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString();
}

async function list(query = ""): Promise<TracePage> {
  return tracePageSchema.parse((await api.get(`/api/v1/projects/${projectId}/traces?${query}`)).body);
}

async function idsOf(query: string): Promise<readonly string[]> {
  return (await list(query)).items.map((item) => item.id);
}
