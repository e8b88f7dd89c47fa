import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { setComparisonSchema } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { compareMeans, compareShares, OF_MANY } from "./estimate.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();
const producer = createProducer(projectId);
const TRACES = 100;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "releases" });
  const events = Array.from({ length: TRACES }, (_, place) => [
    ...run("1.3", { ms: 1_000 + place, isFailure: place < 2, tool: place % 2 === 0 ? "find" : undefined }),
    // Slower where it succeeds, and every other one dies at once.
    ...run("1.4", { ms: place % 2 === 0 ? 3_000 + place : 5, isFailure: place % 2 === 1, tool: "find" }),
    ...(place < 10 ? run("1.5", { ms: 9_000, isFailure: true, tool: undefined }) : []),
  ]).flat();
  await writeEvents(database, events);
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("a release that fails more is told so, and is not quicker for the traces that died early", async () => {
  const found = await compare("release:1.3", "release:1.4");
  expect(found).toMatchObject({
    a: { traces: TRACES, is_cut: false, ended: TRACES, failures: 2, traces_of_steps: TRACES },
    b: { traces: TRACES, failures: TRACES / 2 },
    failure_rate: { a: { value: 0.02, of: TRACES }, b: { value: 0.5 }, verdict: "higher" },
    // Of the 98 and the 50 that succeeded; 50 are too few for a 95th percentile.
    p50_ms: { a: { of: 98 }, b: { value: expect.closeTo(3_048, -1) }, verdict: "higher" },
    p95_ms: { a: { of: 98 }, b: { of: 50 }, verdict: "too_few" },
    cost: { a: null, b: null, verdict: "unknown" },
    steps: [
      { kind: "span", name: "work", a: 100, b: 100, share: { verdict: "unclear" }, failure_rate: { verdict: "higher" } },
      { kind: "tool", name: "find", a: 50, b: 100, share: { a: { value: 0.5 }, b: { value: 1 }, verdict: "higher" } },
    ],
  });
});

test("a set beside itself has not changed, few traces say nothing, and none is no error", async () => {
  const same = await compare("release:1.3", "release:1.3");
  expect([same.failure_rate, same.p50_ms, same.p95_ms].map(({ verdict }) => verdict)).toEqual(["unclear", "unclear", "unclear"]);
  expect((await compare("release:1.3", "release:1.5")).failure_rate).toMatchObject({ b: { value: 1, of: 10 }, verdict: "too_few" });
  expect(await compare("release:1.3", "release:none")).toMatchObject({ b: { traces: 0 }, failure_rate: { b: null, verdict: "unknown" } });
  expect(await compare("release:1.3", "release:1.4", "&hours=1")).toMatchObject({ a: { traces: 0 }, b: { traces: 0 }, steps: [] });
});

test("a query that cannot be read is refused", async () => {
  expect(await api.get(`/api/v1/projects/${projectId}/compare/sets?a=colour:red&b=`)).toMatchObject({
    status: 400,
    body: { error: "invalid_query" },
  });
});

test("shares that could be chance are not told apart", () => {
  const share = (count: number, of = 1_000) => ({ count, of });
  expect(compareShares(share(5, 100), share(9, 100)).verdict).toBe("unclear");
  expect(compareShares(share(50), share(90)).verdict).toBe("higher");
  expect(compareShares(share(90), share(50)).verdict).toBe("lower");
  expect(compareShares(share(0, 100), share(0, 100))).toMatchObject({
    a: { value: 0, low: 0, high: expect.closeTo(0.037, 3) },
    difference: { value: 0 },
  });
});

test("of many figures, those have changed that would hardly do so by chance", () => {
  const [a, b] = [
    { count: 60, of: 1_000 },
    { count: 84, of: 1_000 },
  ] as const;
  expect(compareShares(a, b, OF_MANY).verdict).toBe("unclear");
  expect(compareShares(a, { count: 110, of: 1_000 }, OF_MANY).verdict).toBe("higher");
});

test("a change is told that the two ranges, which overlap, do not show", () => {
  const { a, b, difference, verdict } = compareShares({ count: 60, of: 1_000 }, { count: 84, of: 1_000 });
  expect(a?.high).toBeGreaterThan(b?.low ?? 0);
  expect([difference?.value, difference?.low, verdict]).toEqual([expect.closeTo(0.024), expect.closeTo(0.0011, 3), "higher"]);
});

test("numbers that are all the same differ by just that, and 29 say nothing", () => {
  const [ones, twos] = [new Float64Array(40).fill(1), new Float64Array(40).fill(2)];
  expect(compareMeans(ones, twos)).toMatchObject({ difference: { value: 1, low: 1, high: 1 }, verdict: "higher" });
  expect(compareMeans(ones, ones).verdict).toBe("unclear");
  expect(compareMeans(ones, twos.subarray(0, 29)).verdict).toBe("too_few");
  // Added up as they are, the two would differ in their last digit, and seem to be sure of it.
  expect(compareMeans(new Float64Array(30).fill(0.1), new Float64Array(50).fill(0.1))).toMatchObject({
    difference: { value: 0, low: 0, high: 0 },
    verdict: "unclear",
  });
  expect(compareMeans(ones.subarray(0, 1), twos)).toMatchObject({ difference: null, verdict: "too_few" });
});

async function compare(a: string, b: string, rest = "") {
  const path = `/api/v1/projects/${projectId}/compare/sets?a=${a}&b=${b}${rest}`;
  return vi.waitUntil(async () => {
    const answer = setComparisonSchema.parse((await api.get(path)).body);
    return !answer.is_counting && answer;
  }, 20_000);
}

type Told = { readonly ms: number; readonly isFailure: boolean; readonly tool: string | undefined };

const BEGUN = Date.now() - 5 * 3_600_000;

function run(release: string, { ms, isFailure, tool }: Told): readonly StreamEvent[] {
  const trace_id = uuidv7();
  const [started_at, ended_at] = [new Date(BEGUN).toISOString(), new Date(BEGUN + ms).toISOString()];
  const status = isFailure ? ("failure" as const) : ("success" as const);
  const step = (kind: "tool" | "span", name: string) => {
    const ids = { trace_id, observation_id: uuidv7() };
    return [
      producer.event("observation.start", { ...ids, parent_id: null, kind, name, started_at }),
      producer.event("observation.end", { ...ids, ended_at, duration_ms: ms, status }),
    ];
  };
  return [
    producer.event("trace.start", { trace_id, name: "chat", started_at, release }),
    ...step("span", "work"),
    ...(tool === undefined ? [] : step("tool", tool)),
    producer.event("trace.end", { trace_id, ended_at, status }),
  ];
}
