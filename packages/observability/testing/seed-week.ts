import { createRedis } from "@sightline/foundation/redis";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { v7 as uuidv7 } from "uuid";
import type { StreamEvent } from "#events/event.ts";
import { createProducer, fieldsOf, type Producer } from "./agent-run.ts";
import { createNumberedProducer } from "./numbered-events.ts";
import { randomOf } from "@sightline/foundation/testing/random";

/**
 * `node packages/observability/testing/seed-week.ts REDIS_URL PROJECT_ID` sends a week of a shop's agents to a product that runs, with
 * failures, scores, entries that are set aside and events that are lost, so that there is something to look at on each page.
 */
const [, , url, projectId] = process.argv;
if (url === undefined || projectId === undefined) {
  throw new Error("give the address of Redis and the id of a project: seed-week.ts REDIS_URL PROJECT_ID");
}
const { OBSERVABILITY_STREAM_NAME: stream = "observability:events" } = process.env;

const HOUR_MS = 3_600_000;
const HOURS = 7 * 24;
const RELEASED_AT = Date.now() - 60 * HOUR_MS;
const random = randomOf(7);
const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[Math.floor(random() * items.length)] ?? items[0];
const between = (least: number, most: number): number => Math.round(least + random() * (most - least));

type Agent = {
  readonly name: string;
  readonly model: string;
  readonly tools: readonly [string, ...string[]];
  readonly asked: readonly [string, ...string[]];
};
const AGENTS: readonly [Agent, ...Agent[]] = [
  {
    name: "support agent",
    model: "claude-sonnet-4-6",
    tools: ["find_order", "search_articles", "refund_payment"],
    asked: ["Where is my parcel?", "I was charged twice for order 4711.", "Can I still change the size?", "The voucher doesn't work."],
  },
  {
    name: "returns triage",
    model: "claude-haiku-4-5",
    tools: ["read_form", "find_order"],
    asked: ["Return of order 3008", "Return of order 9120"],
  },
  { name: "nightly digest", model: "shop-summary-2", tools: ["read_tickets"], asked: ["Yesterday's tickets"] },
];
const USERS = [
  "ada@shop.test",
  "grace@shop.test",
  "linus@shop.test",
  "margaret@shop.test",
  "katherine@shop.test",
  "dennis@shop.test",
] as const;

function runOf(producer: Producer, begunAt: number, isRunning: boolean): readonly StreamEvent[] {
  const agent = random() < 0.6 ? AGENTS[0] : pick(AGENTS);
  const [trace_id, plan, act, answer] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const hasFailed = !isRunning && random() < 0.09;
  const user = pick(USERS);
  let now = begunAt;
  const at = (): string => new Date(now).toISOString();
  const step = (options: {
    id?: string;
    parent: string | null;
    kind: "node" | "tool" | "llm";
    name: string;
    ms: number;
    ended?: object;
    input?: unknown;
  }) => {
    const ids = { trace_id, observation_id: options.id ?? uuidv7() };
    const begun = producer.event("observation.start", {
      ...ids,
      parent_id: options.parent,
      kind: options.kind,
      name: options.name,
      started_at: at(),
      input: options.input,
      ...(options.kind === "llm" ? { model: agent.model } : {}),
    });
    now += options.ms;
    const ended = () =>
      producer.event("observation.end", { ...ids, ended_at: at(), duration_ms: options.ms, status: "success" as const, ...options.ended });
    return { begun, ended };
  };
  const asked = pick(agent.asked);
  const call = (parent: string, said: string): readonly StreamEvent[] => {
    const input = between(900, 7_000);
    const usage = { input_tokens: input, output_tokens: between(40, 600), cache_read_tokens: Math.round(input * random() * 0.6) };
    const { begun, ended } = step({
      parent,
      kind: "llm",
      name: agent.model,
      ms: between(700, 4_200),
      input: [{ role: "user", content: asked }],
      ended: { usage, output: { role: "assistant", content: said } },
    });
    return [begun, ended()];
  };
  const node = (id: string, name: string, within: () => readonly StreamEvent[]): readonly StreamEvent[] => {
    const from = now;
    const { begun } = step({ id, parent: null, kind: "node", name, ms: 12 });
    const inner = within();
    now += 9;
    const ends = { trace_id, observation_id: id, ended_at: at(), duration_ms: now - from };
    const isBroken = hasFailed && name === "act";
    return [
      begun,
      ...inner,
      producer.event("observation.end", {
        ...ends,
        status: isBroken ? "failure" : "success",
        ...(isBroken ? { error: "TimeoutError: the shop's API did not answer within 10 s" } : {}),
      }),
    ];
  };
  const tool = pick(agent.tools);
  const used = (): readonly StreamEvent[] => {
    const result = hasFailed
      ? { error: "TimeoutError: the shop's API did not answer within 10 s", status: "failure" }
      : { output: { found: true, order: 4711 } };
    const { begun, ended } = step({
      parent: act,
      kind: "tool",
      name: tool,
      ms: hasFailed ? 10_000 : between(60, 900),
      input: { order: 4711 },
      ended: result,
    });
    return [begun, ended()];
  };
  const start = producer.event("trace.start", {
    trace_id,
    name: agent.name,
    started_at: at(),
    session_id: `visit ${user.slice(0, user.indexOf("@"))} ${new Date(begunAt).toISOString().slice(0, 10)}`,
    user_id: user,
    environment: random() < 0.8 ? "production" : "staging",
    release: begunAt < RELEASED_AT ? "2026.11.1" : "2026.11.2",
    tags: [pick(["web", "mobile", "e-mail"]), ...(user === USERS[0] ? ["beta"] : [])],
    attributes: { metadata: { country: pick(["DE", "FR", "PL"]) } },
    input: { question: asked },
  });
  const first = node(plan, "plan", () => call(plan, `I look it up with ${tool}.`));
  if (isRunning) {
    const { begun } = step({ id: act, parent: null, kind: "node", name: "act", ms: 0 });
    return [start, ...first, begun];
  }
  const rest = [
    ...node(act, "act", used),
    ...(hasFailed ? [] : node(answer, "answer", () => call(answer, "It is on its way and arrives on Thursday."))),
  ];
  const ends = { trace_id, ended_at: at() };
  return [
    start,
    ...first,
    ...rest,
    ...(random() < 0.25
      ? [
          producer.event("score", {
            trace_id,
            name: "helpful",
            value: hasFailed ? 0 : between(3, 5),
            comment: "Asked at the end of the chat.",
          }),
        ]
      : []),
    hasFailed
      ? producer.event("trace.end", { ...ends, status: "failure", error: "TimeoutError: the shop's API did not answer within 10 s" })
      : producer.event("trace.end", { ...ends, status: "success", output: { answer: "It is on its way and arrives on Thursday." } }),
  ];
}

const { client, close } = createRedis({ url, name: "seed-week", log: silentLog });
await client.connect();
const now = Date.now();
const producer = createProducer(projectId, new Date(now - HOURS * HOUR_MS));
const events: StreamEvent[] = [
  producer.event("producer.hello", { sdk: "@sightline/sdk 0.5.0", runtime: "node 24.11.0", host: "shop-7f9c", pid: 31 }),
];
for (let hour = HOURS; hour > 0; hour -= 1) {
  const ofDay = new Date(now - hour * HOUR_MS).getUTCHours();
  for (let runs = ofDay > 6 && ofDay < 21 ? between(2, 7) : between(0, 2); runs > 0; runs -= 1) {
    events.push(...runOf(producer, now - hour * HOUR_MS + between(0, HOUR_MS - 60_000), false));
  }
}
events.push(...runOf(producer, now - 40_000, true));
// Every 400th never arrives.
const sent = events.filter(({ seq }) => seq % 400 !== 0).map((event) => fieldsOf(event));
const poison = createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 1 });
const bad = poison.next(60).filter(({ fate }) => fate === "unreadable" || fate === "refused");
for (const fields of [...sent, ...bad.map((entry) => [...entry.fields])]) {
  await client.xadd(stream, "*", ...fields);
}
await close();
process.stdout.write(`${sent.length} events, and ${bad.length} that are to be set aside\n`);
