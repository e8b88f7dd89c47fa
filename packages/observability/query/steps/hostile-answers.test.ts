import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  observationSchema,
  payloadRangeSchema,
  stepPageSchema,
  traceDigestSchema,
  truncatedValueSchema,
  type Step,
  type StepPage,
} from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countMarkedHours } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { seedHostileTraces, type HostileTraces } from "#testing/hostile-traces.ts";
import { writeEvents } from "#testing/write-events.ts";

const ADMIN = "tenant-1:admin";
const MAX_ANSWER = 5_000_000;

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let api: ApiRig;
let traces: HostileTraces;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
  traces = await seedHostileTraces(database.query, { projectId: rig.projectId });
}, 120_000);
afterAll(async () => {
  await api.close();
  await rig.close();
  await database.drop();
});

test("no route answers more than 5 MB, or fails, whatever the trace", async () => {
  const heavy = await allSteps(traces.heavy);
  const payloads = await database.pool.query<{ event_id: string }>("select event_id from observability.payloads where trace_id = $1", [
    traces.heavy,
  ]);
  const asked = api.routes.filter(({ method, url }) => method === "GET" && url.includes(":project_id") && !/\/(?:live|export)$/.test(url));
  expect(asked.length).toBeGreaterThan(10);
  const statuses = new Map<string, Set<number>>();
  for (const { url } of asked) {
    const ids = url.includes(":trace_id") ? Object.values(traces) : [traces.heavy];
    for (const traceId of ids) {
      const others = url.includes(":observation_id")
        ? heavy.map(({ id }) => id)
        : url.includes(":payload_id")
          ? payloads.rows.map((row) => row.event_id)
          : [uuidv7()];
      for (const other of traceId === traces.heavy ? others : others.slice(0, 1)) {
        const path = url.replace(":project_id", rig.projectId).replace(":trace_id", traceId).replaceAll(/:\w+/g, other);
        const query = /\/(?:traces|steps)$/.test(url) ? `?limit=${url.endsWith("steps") ? 5_000 : 200}` : "";
        const answer = await api.server.inject({ url: `${path}${query}`, headers: { authorization: `Bearer ${ADMIN}` } });
        expect(answer.statusCode, `${path} ${answer.body.slice(0, 300)}`).toBeLessThan(500);
        expect(answer.rawPayload.length, path).toBeLessThan(MAX_ANSWER);
        statuses.set(url, (statuses.get(url) ?? new Set()).add(answer.statusCode));
      }
    }
  }
  const below = "/api/v1/projects/:project_id/traces/:trace_id";
  for (const url of [below, `${below}/steps`, `${below}/summary`]) {
    expect([...(statuses.get(url) ?? [])], url).toEqual([200]);
  }
  expect(statuses.get(`${below}/observations/:observation_id`)).toContain(200);
}, 120_000);

test("twenty thousand steps come in pages, each once, parents before their children", async () => {
  const steps = await allSteps(traces.many);
  const seen = new Set<string>();
  for (const step of steps) {
    expect(step.parent_id === null || seen.has(step.parent_id)).toBe(true);
    seen.add(step.id);
  }
  expect(seen.size).toBe(20_000);
  expect(steps.length).toBe(20_000);
  const nodes = steps.filter(({ graph_node: node }) => node !== null);
  expect(nodes.map(({ graph_node: node, graph_step: step }) => `${node} ${step}`).slice(0, 5)).toEqual([
    "plan 1",
    "search 2",
    "write 3",
    "check 4",
    "plan 5",
  ]);
  expect(nodes).toHaveLength(200);
  expect((await page(traces.many, "?limit=7")).items).toEqual(steps.slice(0, 7));
});

test("the summary of twenty thousand steps counts them, and has the way the graph went", async () => {
  const digest = await summary(traces.many);
  expect(digest).toMatchObject({ steps_total: 20_000, observations: 20_000, truncated: false, current: [], waits: [], gaps: [] });
  expect(digest.graph?.taken).toContainEqual({ from: "plan", to: "search", via: "conditional", count: 50 });
  expect(digest.revision).toBe((await page(traces.many, "?limit=1")).revision);
});

test("pages of a trace whose steps are long end early and lose none", async () => {
  const [traceId, producer] = [uuidv7(), createProducer(rig.projectId)];
  const code = { file: "\u{1F600}".repeat(2_000), line: 1 };
  const ids = Array.from({ length: 1_200 }, () => uuidv7());
  await writeEvents(
    database,
    ids.map((id, index) =>
      producer.event("observation.start", {
        trace_id: traceId,
        observation_id: id,
        parent_id: null,
        kind: "span",
        name: `${index}`,
        started_at: at(index),
        code,
      }),
    ),
  );
  const first = await page(traceId, "?limit=5000");
  expect(first.items.length).toBeLessThan(ids.length);
  expect((await allSteps(traceId)).map(({ id }) => id)).toEqual(ids);
});

test("a trace that is larger than an answer says that it is cut, and its parts have the rest", async () => {
  const { body } = await api.get(base(traces.many), ADMIN);
  expect(body["truncated"]).toBe(true);
  const { body: heavy } = await api.get(base(traces.heavy), ADMIN);
  expect(heavy["truncated"]).toBe(true);
  expect((await summary(traces.graphs)).graph?.truncated).toBe(true);
});

test("a value of five million characters is had range by range, and no character is split", async () => {
  const digest = await summary(traces.heavy);
  const input = truncatedValueSchema.parse(digest.input);
  const stored = "0123456789 \u{1F600}\n".repeat(5_000_000 / 13);
  expect(JSON.parse(await whole(traces.heavy, input.payload_id, input.part)) === stored).toBe(true);
  expect(input.characters).toBe(Array.from(JSON.stringify(stored)).length);
  expect(JSON.stringify(stored).startsWith(input.preview)).toBe(true);
  const steps = await allSteps(traces.heavy);
  const byName = (name: string) => steps.find((step) => step.name === name)?.id ?? "";
  const entry = await observation(traces.heavy, byName("by entry"));
  const parameters = truncatedValueSchema.parse(entry.input);
  expect(parameters.part).toBe("parameters");
  expect(JSON.parse(await whole(traces.heavy, parameters.payload_id, "parameters"))).toEqual({ text: stored });
  expect(truncatedValueSchema.parse(entry.output).part).toBe("result");
  const odd = await range(traces.heavy, `${input.payload_id}?from=12&length=1`);
  expect(odd.text).toBe("\u{1F600}");
});

test("contents that are referred to stand in the ranges, as often as they are", async () => {
  const step = (await allSteps(traces.heavy)).find(({ name }) => name === "by content");
  const { input } = await observation(traces.heavy, step?.id ?? "");
  const { payload_id: payloadId, characters } = truncatedValueSchema.parse(input);
  expect(characters).toBeGreaterThan(4_000_000);
  const text = await whole(traces.heavy, payloadId, "value");
  expect(Array.from(text).length).toBe(characters);
  expect(JSON.parse(text)).toEqual([{ lines: expect.any(String) }, { lines: expect.any(String) }]);
});

test("attributes that updates brought are there, and those that are too many name their event", async () => {
  const step = (await allSteps(traces.heavy)).find(({ name }) => name === "read_all");
  const { attributes, reasoning } = await observation(traces.heavy, step?.id ?? "");
  expect(truncatedValueSchema.parse(attributes).part).toBe("attributes");
  expect(reasoning?.length).toBe(131_072);
});

test("clocks that differ are told, and what goes on by itself is no clock", async () => {
  const skews = Object.fromEntries((await allSteps(traces.skewed)).map(({ name, clock_skew_ms: skew }) => [name, skew]));
  expect(skews).toEqual({ here: null, "an hour behind": -3_600_010, "an hour ahead": 3_599_500, "goes on by itself": null });
});

test("missing parents, missing starts and parents in a circle hide no step", async () => {
  expect((await allSteps(traces.orphans)).map(({ name }) => name).toSorted()).toEqual([
    "(start not received)",
    "its parent did not arrive",
    "nor did this one's",
  ]);
  expect((await allSteps(traces.circle)).map(({ name }) => name)).toHaveLength(4);
  expect((await allSteps(traces.deep)).map(({ name }) => name)).toEqual(Array.from({ length: 60 }, (_, level) => `level ${level + 1}`));
});

test("the innermost nodes that run are current, and one that runs far longer than usual is stalled", async () => {
  expect((await summary(traces.running)).current).toEqual(["plan:search"]);
  expect((await allSteps(traces.running)).filter(({ is_stalled: isStalled }) => isStalled)).toEqual([]);
  while (await countMarkedHours(database.query)) {
    // Until every hour is counted.
  }
  // Another replica: this one remembers what it knew for a minute.
  const other = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
  const { body } = await other.get(`${base(traces.running)}/steps`, ADMIN);
  await other.close();
  const stalled = stepPageSchema.parse(body).items.filter(({ is_stalled: isStalled }) => isStalled);
  expect(stalled.map(({ name }) => name)).toEqual(["plan", "search"]);
});

test("the time a trace waited for somebody is told", async () => {
  const { waits, waiting_ms: waiting, segments } = await summary(traces.resumed);
  expect(segments).toHaveLength(2);
  expect(waits.map(({ from, to }) => Date.parse(to) - Date.parse(from))).toEqual([1_200_000]);
  expect(waiting).toBe(1_200_000);
  expect((await allSteps(traces.resumed)).map(({ run_id: run }) => run)).toEqual(segments.map(({ id }) => id));
});

test("the gaps that touch a trace are told", async () => {
  const digest = await summary(traces.lost);
  expect(digest.gaps).toMatchObject([{ events: 2 }]);
  expect(digest.lost_events).toBe(2);
});

test("the same ids in another project are another trace", async () => {
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-2", name: "twin" });
  const [traceId, id] = [traces.fan, (await page(traces.fan, "?limit=1")).items[0]?.id ?? ""];
  await writeEvents(database, [
    createProducer(projectId).event("observation.start", {
      trace_id: traceId,
      observation_id: id,
      parent_id: null,
      kind: "span",
      name: "theirs",
      started_at: at(0),
    }),
  ]);
  const theirs = await api.get(`/api/v1/projects/${projectId}/traces/${traceId}/steps`, "tenant-2:admin");
  expect(stepPageSchema.parse(theirs.body).items.map(({ name }) => name)).toEqual(["theirs"]);
  expect((await page(traceId)).total).toBe(1_001);
  expect((await api.get(`/api/v1/projects/${projectId}/traces/${traceId}/steps`, ADMIN)).status).toBe(404);
});

function at(ms: number): string {
  return new Date(Date.parse("2026-11-21T10:00:00Z") + ms).toISOString();
}

function base(traceId: string): string {
  return `/api/v1/projects/${rig.projectId}/traces/${traceId}`;
}

async function get(path: string): Promise<unknown> {
  const { status, body } = await api.get(path, ADMIN);
  expect({ status, body: status === 200 ? {} : body }).toEqual({ status: 200, body: {} });
  return body;
}

async function page(traceId: string, query = ""): Promise<StepPage> {
  return stepPageSchema.parse(await get(`${base(traceId)}/steps${query}`));
}

async function allSteps(traceId: string): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (let more: string | null = ""; more !== null;) {
    const { items, next_cursor: next }: StepPage = await page(traceId, `?limit=5000${more}`);
    steps.push(...items);
    more = next === null ? null : `&cursor=${next}`;
  }
  return steps;
}

async function summary(traceId: string) {
  return traceDigestSchema.parse(await get(`${base(traceId)}/summary`));
}

async function observation(traceId: string, id: string) {
  return observationSchema.parse(await get(`${base(traceId)}/observations/${id}`));
}

async function range(traceId: string, path: string) {
  return payloadRangeSchema.parse(await get(`${base(traceId)}/payloads/${path}`));
}

async function whole(traceId: string, payloadId: string, part: string): Promise<string> {
  let text = "";
  for (let from: number | null = 0; from !== null;) {
    const next: Awaited<ReturnType<typeof range>> = await range(traceId, `${payloadId}?part=${part}&from=${from}&length=999983`);
    text += next.text;
    from = next.next_from;
  }
  return text;
}
