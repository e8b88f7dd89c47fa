import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { turnPageSchema } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createProducer } from "#testing/agent-run.ts";
import { everywhere, readFailures } from "#testing/read-failures.ts";
import { writeEvents } from "#testing/write-events.ts";
import { FAILURE_CASES } from "./failure-cases.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();
const base = `/api/v1/projects/${projectId}`;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "failures" });
  await writeEvents(database, FAILURE_CASES.flatMap(eventsOf));
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe.each(FAILURE_CASES)("$title", (given) => {
  const isOwn = given.trace.status === "failure" && given.reason === undefined;
  const count = given.causes.length + (isOwn ? 1 : 0);
  const read = () => readFailures({ api, database, projectId, traceName: given.title });

  test("is counted alike by the list, the head of the trace, its page, the tool for assistants, a comparison and an export", async () => {
    expect((await read()).counts).toEqual(everywhere(count));
  });

  test("is told by the page: where failures arose, of which the trace died, and who caught the others", async () => {
    expect(await read()).toMatchObject({ causes: given.causes, reason: given.reason, caught: given.caught ?? {} });
  });

  test("is told by an export, whoever reads its steps by the same rule", async () => {
    expect((await read()).exported).toEqual({ causes: given.causes, reason: given.reason });
  });

  test("is told to assistants: of which it died first, then what else failed, and who caught it", async () => {
    const { outline } = await read();
    const lines = [
      ...outline.matchAll(/^failed(?: (\d+) times)?(?:, caught by (\S+) \(step \w+\))?: (?:.* > )?(\S+) \(span, step \w+\)$/gmu),
    ];
    const told = lines.map(([, , by, name = ""]) => [name, by] as const);
    expect(given.causes).toEqual(expect.arrayContaining(told.map(([name]) => name)));
    expect(lines.reduce((sum, [, times = "1"]) => sum + Number(times), 0)).toBe(given.causes.length);
    expect(Object.fromEntries(told.filter(([, by]) => by !== undefined))).toEqual(given.caught ?? {});
    expect(told[0]?.[0]).toBe(given.reason ?? told[0]?.[0]);
    expect(outline.includes("error of the run itself")).toBe(isOwn);
  });

  test("is told by its session: the step of whose error it died, or the first that failed where it went on", async () => {
    const { items } = turnPageSchema.parse((await api.get(`${base}/sessions/${encodeURIComponent(given.title)}/turns`)).body);
    const [first = null] = given.causes;
    expect(items[0]?.failed_step?.name ?? null).toBe(given.trace.status === "failure" ? (given.reason ?? null) : first);
  });
});

/** Seconds between the starts of traces. */
const APART = 1_000;

function eventsOf({ title, trace, steps }: (typeof FAILURE_CASES)[number], index: number): readonly StreamEvent[] {
  const producer = createProducer(projectId);
  const at = (second: number) => new Date(Date.UTC(2026, 10, 21) + (index * APART + second) * 1_000).toISOString();
  const isResumed = steps.some((step) => step.isResumed);
  const runs = isResumed ? [uuidv7(), uuidv7()] : [uuidv7()];
  const runOf = (step: (typeof steps)[number]) => runs[step.isResumed ? 1 : 0] ?? "";
  const ids = new Map(steps.map(({ name }) => [name, uuidv7()]));
  const last = (name: string): number =>
    Math.max(
      steps.findIndex((step) => step.name === name) + 1.5,
      ...steps.filter((step) => step.in === name).map((step) => last(step.name)),
    );
  return [
    ...runs.map((run) =>
      producer.event("trace.start", {
        trace_id: run,
        name: title,
        started_at: at(run === runs[0] ? 0 : 50),
        session_id: title,
        ...(isResumed ? { thread_id: title } : {}),
      }),
    ),
    ...steps.flatMap((step, place) => {
      const ran = { trace_id: runOf(step), observation_id: ids.get(step.name) ?? "" };
      const parent = step.in === undefined ? null : (ids.get(step.in) ?? uuidv7());
      const second = step.isResumed ? 50 + place : place + 1;
      const end = step.end ?? (step.isResumed ? 60 : last(step.name));
      return [
        producer.event("observation.start", { ...ran, parent_id: parent, kind: "span", name: step.name, started_at: at(second) }),
        ...(step.status === "running"
          ? []
          : [
              producer.event("observation.end", {
                ...ran,
                ended_at: at(end),
                duration_ms: Math.max(end - second, 0) * 1_000,
                status: step.status,
                ...(step.error === undefined ? {} : { error: step.error }),
              }),
            ]),
      ];
    }),
    ...runs.flatMap((run, place) => {
      const isLast = place === runs.length - 1;
      const status = isLast ? trace.status : "interrupted";
      return [
        ...(place === 0 ? [] : [producer.event("trace.resume", { trace_id: run, resumed_at: at(50), resumed_from: "c1" })]),
        ...(status === "running"
          ? []
          : [
              producer.event("trace.end", {
                trace_id: run,
                ended_at: at(isLast ? 90 : 20),
                status,
                ...(isLast && trace.error !== undefined ? { error: trace.error } : {}),
                ...(isLast ? {} : { paused_at: "c1" }),
              }),
            ]),
      ];
    }),
  ];
}
