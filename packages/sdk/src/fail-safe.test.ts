import { HumanMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closeRedisPublisher, initializeRedisPublisher, metricsText, observe, type PublisherOptions } from "./index.ts";
import { toolAgent } from "#testing/agent.ts";
import { type PrivateRedis, startPrivateRedis } from "#testing/redis-server.ts";
import { createTestStream, ofType, PROJECT_ID } from "#testing/stream.ts";

const streamName = "fail-safe:events";
const unhandled: unknown[] = [];
const warnings: string[] = [];
const stops: (() => Promise<void>)[] = [];
const noteUnhandled = (reason: unknown) => void unhandled.push(reason);

beforeEach(() => {
  process.on("unhandledRejection", noteUnhandled);
  process.on("uncaughtException", noteUnhandled);
});

afterEach(async () => {
  await closeRedisPublisher();
  for (const stop of stops.splice(0)) {
    await stop();
  }
  process.off("unhandledRejection", noteUnhandled);
  process.off("uncaughtException", noteUnhandled);
  warnings.length = 0;
  unhandled.length = 0;
});

async function privateRedis(options: readonly string[] = []): Promise<PrivateRedis> {
  const server = await startPrivateRedis(options);
  stops.push(() => server.stop());
  return server;
}

function initialize(redisUrl: string, options: PublisherOptions = {}) {
  return initializeRedisPublisher({
    redisUrl,
    streamName,
    projectId: PROJECT_ID,
    logger: { warn: (text) => warnings.push(text) },
    ...options,
  });
}

async function runAgent(): Promise<string[]> {
  const { messages } = await toolAgent().invoke({ messages: [new HumanMessage("cats or dogs?")] });
  return messages.map((message) => message.text);
}

async function elapsed<T>(work: () => Promise<T>): Promise<{ value: T; milliseconds: number }> {
  const startedAt = performance.now();
  return { value: await work(), milliseconds: performance.now() - startedAt };
}

const ANSWER = ["cats or dogs?", "", "found cats", expect.stringContaining("the tool broke"), "Cats it is."];

async function expectUnharmed(): Promise<void> {
  expect(await runAgent()).toEqual(ANSWER);
  expect((await elapsed(closeRedisPublisher)).milliseconds).toBeLessThan(2700);
  expect(unhandled).toEqual([]);
}

function metric(name: string): number {
  const line = metricsText()
    .split("\n")
    .find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(" ")[1] ?? 0);
}

describe("The observed application never notices", () => {
  it("when Redis hangs during the run, and loses nothing once it answers again", async () => {
    const server = await privateRedis();
    expect(await initialize(server.url)).toMatchObject({ ok: true });
    server.signal("SIGSTOP");
    expect(await runAgent()).toEqual(ANSWER);
    await vi.waitUntil(() => warnings.length > 0, { timeout: 5000 });
    server.signal("SIGCONT");
    await vi.waitUntil(() => metric("studio_buffered_events") === 0, { timeout: 10_000 });
    await closeRedisPublisher();
    // A batch that timed out had arrived: its events are there twice, under the same id.
    const events = await readAll(server.url);
    const sequences = new Set(events.map((event) => event.seq));
    expect([...sequences].toSorted((left, right) => left - right)).toEqual(Array.from(sequences, (_value, index) => index + 1));
    expect(new Set(events.map((event) => event.id)).size).toBe(sequences.size);
    expect(new Set(ofType(events, "trace.end").map((end) => end["trace_id"])).size).toBe(1);
    expect(unhandled).toEqual([]);
  });

  it("when Redis is killed during the run, and publishes the rest after its return", async () => {
    const server = await privateRedis();
    expect(await initialize(server.url)).toMatchObject({ ok: true });
    await runAgent();
    server.signal("SIGKILL");
    await runAgent();
    await vi.waitUntil(() => warnings.length > 0, { timeout: 5000 });
    await server.restart();
    await vi.waitUntil(() => metric("studio_buffered_events") === 0, { timeout: 10_000 });
    expect(await runAgent()).toEqual(ANSWER);
    await closeRedisPublisher();
    const events = await readAll(server.url);
    const sequences = new Set(events.map((event) => event.seq));
    expect(ofType(events, "trace.end").length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...sequences)).toBe(sequences.size);
    expect(unhandled).toEqual([]);
  });

  it("when settings are missing or malformed: all are named and nothing is recorded", async () => {
    const verification = await initializeRedisPublisher({
      projectId: "nonsense",
      maxStreamLength: 0,
      logger: { warn: (text) => warnings.push(text) },
    });
    expect(verification).toMatchObject({ ok: false, enabled: false, redis: "unchecked" });
    expect(verification.reason).toMatch(/Redis URL.*project id.*maxStreamLength/);
    await expectUnharmed();
    expect(warnings).toHaveLength(1);
  });

  it("when it is switched off", async () => {
    expect(await initialize("redis://127.0.0.1:1", { enabled: false })).toMatchObject({ enabled: false, reason: "switched off" });
    await expectUnharmed();
  });

  it("when the logger, the mask function and the payloads' getters throw", async () => {
    const stream = createTestStream();
    stops.push(() => stream.stop());
    await initializeRedisPublisher({
      ...stream.options,
      mask: (_payload, field) => {
        if (field === "input") {
          throw new Error("mask");
        }
        return field === "output" ? Promise.reject(new Error("later")) : 7n;
      },
      logger: {
        warn: () => {
          throw new Error("logger");
        },
      },
    });
    const hostile = {
      get broken(): string {
        throw new Error("getter");
      },
    };
    expect(observe({ name: "hostile", input: hostile, attributes: hostile }, () => hostile)).toBe(hostile);
    await closeRedisPublisher();
    const events = await stream.read();
    expect(JSON.stringify(events)).toContain("[withheld: the mask function failed]");
    expect(ofType(events, "observation.end")).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });
});

describe("An absent Redis", () => {
  it("costs bounded memory: the oldest events are dropped, counted, and a visible hole", async () => {
    const server = await privateRedis();
    await initialize(server.url, { maxBufferBytes: 256 * 1024 });
    server.signal("SIGSTOP");
    const before = metric('studio_events_dropped_total{reason="buffer_full"}');
    const text = "x".repeat(10_000);
    for (let index = 0; index < 200; index += 1) {
      observe({ name: "filler", input: text }, () => index);
    }
    const dropped = () => metric('studio_events_dropped_total{reason="buffer_full"}') - before;
    expect(dropped()).toBeGreaterThan(500);
    expect(metric("studio_buffered_bytes")).toBeLessThanOrEqual(256 * 1024);
    await vi.waitUntil(() => warnings.some((warning) => warning.includes("does not answer") || warning.includes("no answer")), {
      timeout: 5000,
    });
    server.signal("SIGCONT");
    await vi.waitUntil(() => metric("studio_buffered_events") === 0, { timeout: 10_000 });
    await closeRedisPublisher();
    const events = await readAll(server.url);
    const sequences = new Set(events.map((event) => event.seq));
    const holes = Math.max(...sequences) - sequences.size;
    // What was on its way when Redis hung arrived all the same: at most one batch.
    expect(holes).toBeLessThanOrEqual(dropped());
    expect(holes).toBeGreaterThan(dropped() - 64);
    expect(ofType(events, "producer.bye")).toMatchObject([{ dropped: { buffer_full: expect.any(Number) } }]);
  });
});

async function readAll(url: string) {
  const stream = createTestStream(url, streamName);
  try {
    return await stream.read();
  } finally {
    stream.client.disconnect();
  }
}
