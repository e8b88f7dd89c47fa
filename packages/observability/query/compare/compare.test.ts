import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { comparisonSchema, type AlignedStep, type Comparison } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const MAX_ANSWER = 5_000_000;
const PROMPT = "0".repeat(64);

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let producer: Producer;
const projectId = uuidv7();
const [a, b, large, larger] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  producer = createProducer(projectId);
  await writeEvents(database, [
    producer.event("blob", { sha256: PROMPT, content: { role: "system", content: "Be brief." } }),
    ...runOf(a, {
      commit: "aaaa",
      question: "Where is order 1?",
      steps: [
        { kind: "node", name: "plan", takes: { at: 1 }, gives: { next: "find" }, place: 1, to: "find_order" },
        { kind: "tool", name: "find_order", takes: { order: 1 }, gives: { state: "sent" }, place: 2 },
        {
          kind: "llm",
          name: "answer",
          takes: { messages: [{ $blob: PROMPT }, { role: "user", content: "1", id: uuidv7() }] },
          gives: "Sent.",
        },
      ],
    }),
    ...runOf(b, {
      commit: "bbbb",
      question: "Where is order 2?",
      steps: [
        { kind: "node", name: "plan", takes: { at: 1 }, gives: { next: "find" }, place: 1, to: "search" },
        { kind: "retriever", name: "search", takes: "order 2", gives: [], place: 2, to: "find_order" },
        { kind: "tool", name: "find_order", takes: { order: 2 }, gives: { state: "sent" }, place: 3 },
        {
          kind: "llm",
          name: "answer",
          takes: {
            messages: [
              { role: "system", content: "Be brief." },
              { role: "user", content: "1", id: uuidv7() },
            ],
          },
          gives: "It was sent.",
          temperature: 1,
        },
      ],
    }),
  ]);
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("steps of two runs are side by side, with what differs between them", async () => {
  const { steps, counts, first_divergence: first } = await compare(a, b);
  expect(first).toMatchObject({ path: "search", aspect: "runs", now: ["search"], before: [] });
  expect(steps.map(inWords)).toEqual([
    "same node plan: code",
    "only_b retriever search: ",
    "changed tool find_order: input, code",
    "changed llm answer: parameters, output, code",
  ]);
  expect(counts).toEqual({ same: 1, changed: 2, only_a: 0, only_b: 1, moved: 0 });
  expect(steps[2]?.values?.differences).toEqual([{ path: "input.order", a: "1", b: "2" }]);
});

test("a content that was sent once is what it stands for, and ids made anew are no difference", async () => {
  const { steps } = await compare(a, b);
  expect(steps[3]?.values?.differences).toEqual([
    { path: "parameters.temperature", a: "0", b: "1" },
    { path: "output", a: "Sent.", b: "It was sent." },
  ]);
});

test("what the runs took in and gave back, cost and ran is compared", async () => {
  const compared = await compare(a, b);
  expect(compared.input).toEqual({
    outcome: "changed",
    differences: [{ path: "input.question", a: "Where is order 1?", b: "Where is order 2?" }],
    cut: false,
  });
  expect(compared.output.outcome).toBe("same");
  expect([compared.a.steps, compared.b.steps]).toEqual([3, 4]);
  expect(compared.commits).toEqual([{ repo: "acme/agent", a: ["aaaa"], b: ["bbbb"] }]);
  expect(compared.cut).toEqual([]);
});

test("swapping the traces swaps the sides, and a trace is the same as itself", async () => {
  const [forth, back] = [await compare(a, b), await compare(b, a)];
  expect(back.counts).toEqual({ ...forth.counts, only_a: forth.counts.only_b, only_b: forth.counts.only_a });
  expect(back.steps.map(({ a: left, b: right }) => [right?.id, left?.id])).toEqual(
    forth.steps.map(({ a: left, b: right }) => [left?.id, right?.id]),
  );
  const itself = await compare(a, a);
  expect(itself.counts).toEqual({ same: 3, changed: 0, only_a: 0, only_b: 0, moved: 0 });
  expect([itself.input.outcome, itself.output.outcome]).toEqual(["same", "same"]);
});

test.each([
  ["all", 4],
  ["different", 3],
  ["same", 1],
  ["changed", 2],
  ["only_a", 0],
  ["only_b", 1],
])("of %s there are %i, page by page", async (show, total) => {
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Comparison = await compare(a, b, `&show=${show}&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(page.steps_total).toBe(total);
    seen.push(...page.steps.map(({ name }) => name));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual((await compare(a, b, `&show=${show}`)).steps.map(({ name }) => name));
});

test("a trace that is not there is named, as is one that may not be seen", async () => {
  for (const [query, side] of [
    [`a=${uuidv7()}&b=${b}`, "a"],
    [`a=${a}&b=${uuidv7()}`, "b"],
  ] as const) {
    const { status, body } = await api.get(`${url()}?${query}`);
    expect([status, body["error"], body["details"]]).toEqual([404, "trace_not_found", [{ path: side, message: "unknown trace" }]]);
  }
  expect(await api.get(`${url()}?a=${a}&b=${b}`, "tenant-2:admin")).toMatchObject({ status: 404, body: { error: "project_not_found" } });
  expect(await api.get(`${url()}?a=${a}`)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
});

test("runs of twenty thousand steps with long values are compared in an answer of less than 5 MB that says what it leaves out", async () => {
  await seedLarge(large, 20_000, "x");
  await seedLarge(larger, 20_001, "y");
  const { body, statusCode } = await api.server.inject({
    url: `${url()}?a=${large}&b=${larger}&limit=2000`,
    headers: { authorization: "Bearer tenant-1:member" },
  });
  expect(statusCode).toBe(200);
  expect(Buffer.byteLength(body)).toBeLessThan(MAX_ANSWER);
  const answer = comparisonSchema.parse(JSON.parse(body));
  expect(answer.counts.same + answer.counts.changed).toBe(20_000);
  expect(answer.steps.length).toBeGreaterThan(100);
  expect(answer.next_cursor).not.toBeNull();
  expect(answer.cut).toContain("the first 20000 steps of b");
  expect(answer.cut.some((left) => /^values of \d+ steps/.test(left))).toBe(true);
});

type StepOf = {
  readonly kind: "node" | "tool" | "llm" | "retriever";
  readonly name: string;
  readonly takes: unknown;
  readonly gives: unknown;
  readonly temperature?: number;
  /** Its place in the graph, and the node it leads to. */
  readonly place?: number;
  readonly to?: string;
};

function runOf(
  traceId: string,
  { commit, question, steps }: { readonly commit: string; readonly question: string; readonly steps: readonly StepOf[] },
): readonly StreamEvent[] {
  const at = (second: number) => `2026-11-21T10:00:${String(second).padStart(2, "0")}.000Z`;
  return [
    producer.event("trace.start", { trace_id: traceId, name: "support-agent", started_at: at(0), input: { question } }),
    ...steps.flatMap(({ kind, name, takes, gives, temperature = 0, place, to }, index) => {
      const ids = { trace_id: traceId, observation_id: uuidv7() };
      const model = kind === "llm" ? { model: "m-1" } : {};
      return [
        producer.event("observation.start", {
          ...ids,
          ...model,
          parent_id: null,
          kind,
          name,
          started_at: at(index),
          input: takes,
          ...(place === undefined ? {} : { graph_step: { task: `${place}`, step: place, triggers: [`branch:to:${name}`] } }),
          attributes: { temperature },
          code: { repo: "acme/agent", commit, file: "src/agent.ts", line: 1, function: "run" },
        }),
        producer.event("observation.end", {
          ...ids,
          ended_at: at(index + 1),
          duration_ms: 1000,
          status: "success",
          output: gives,
          ...(to === undefined ? {} : { next: [{ to, via: "conditional" as const }] }),
          ...(kind === "llm" ? { usage: { input_tokens: 100, output_tokens: 5 } } : {}),
        }),
      ];
    }),
    producer.event("trace.end", { trace_id: traceId, ended_at: at(9), status: "success", output: { answer: "sent" } }),
  ];
}

/** By two statements, every third with an input of 3,000 characters that differs between runs of another `letter`. */
async function seedLarge(traceId: string, steps: number, letter: string): Promise<void> {
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: traceId, name: "large", started_at: "2026-11-21T10:00:00Z" }),
    producer.event("trace.end", { trace_id: traceId, ended_at: "2026-11-21T11:00:00Z", status: "success" }),
  ]);
  await database.pool.query(
    `insert into observability.observations (project_id, trace_id, id, seen_at, start_event, start_producer, start_seq, kind, name, started_at, end_status, error, day)
     select $1::uuid, $2::uuid, gen_random_uuid(), now(), md5($2::text || step)::uuid, $1::uuid, step, 'span', 'step ' || step % 100,
       now() + step * interval '1 millisecond', 'failure', repeat($4, 400), (select day from observability.traces where id = $2::uuid)
     from generate_series(1, $3::int) as step`,
    [projectId, traceId, steps, letter],
  );
  await database.pool.query(
    `insert into observability.payloads (project_id, trace_id, event_id, owner_id, part, seq, value, day)
     select $1::uuid, $2::uuid, md5($2::text || step)::uuid, $2::uuid, 'start', step, to_json(repeat($4, 3000) || step), (select day from observability.traces where id = $2::uuid)
     from generate_series(1, $3::int, 3) as step`,
    [projectId, traceId, steps, letter],
  );
}

function url(): string {
  return `/api/v1/projects/${projectId}/compare`;
}

async function compare(left: string, right: string, rest = ""): Promise<Comparison> {
  const { status, body } = await api.get(`${url()}?a=${left}&b=${right}${rest}`);
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
  return comparisonSchema.parse(body);
}

function inWords({ outcome, kind, name, aspects }: AlignedStep): string {
  return `${outcome} ${kind} ${name}: ${aspects.join(", ")}`;
}
