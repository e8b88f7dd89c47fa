import { HumanMessage } from "@langchain/core/messages";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closeRedisPublisher, initializeRedisPublisher, metricsText, observe, type PublisherOptions } from "./index.ts";
import { toolAgent } from "./test-agent.ts";
import { findFreePort, type PrivateRedis, startPrivateRedis } from "./test-redis-server.ts";
import { createTestStream, ofType, PROJECT_ID } from "./test-stream.ts";

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

/** The agent's answer, its time, and that nothing escaped. */
async function runAgent() {
  const startedAt = performance.now();
  const { messages } = await toolAgent().invoke({ messages: [new HumanMessage("cats or dogs?")] });
  return { answer: messages.map((message) => message.text), milliseconds: performance.now() - startedAt };
}

async function elapsed<T>(work: () => Promise<T>): Promise<{ value: T; milliseconds: number }> {
  const startedAt = performance.now();
  return { value: await work(), milliseconds: performance.now() - startedAt };
}

const ANSWER = ["cats or dogs?", "", "found cats", expect.stringContaining("the tool broke"), "Cats it is."];

async function expectUnharmed(): Promise<void> {
  expect((await runAgent()).answer).toEqual(ANSWER);
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
  it("when Redis refuses connections", async () => {
    const { value, milliseconds } = await elapsed(async () =>
      initialize(`redis://127.0.0.1:${await findFreePort()}`, { verifyConsumer: true }),
    );
    expect(value).toEqual({
      ok: false,
      enabled: true,
      redis: "down",
      consumer: "unknown",
      reason: "Redis cannot be reached (ECONNREFUSED)",
    });
    expect(milliseconds).toBeLessThan(2500);
    await expectUnharmed();
    const lost = metricsText().match(/studio_events_dropped_total\{reason="closed"\} (\d+)/)?.[1];
    expect(warnings).toEqual([expect.stringContaining("ECONNREFUSED"), expect.stringContaining(`closed with ${lost} events`)]);
  });

  it("when Redis hangs from the start", async () => {
    const server = await privateRedis();
    server.signal("SIGSTOP");
    const { value, milliseconds } = await elapsed(() => initialize(server.url));
    expect(value).toMatchObject({ ok: false, enabled: true, redis: "down" });
    expect(milliseconds).toBeLessThan(2500);
    await expectUnharmed();
  });

  it("when Redis hangs during the run, and loses nothing once it answers again", async () => {
    const server = await privateRedis();
    expect(await initialize(server.url)).toMatchObject({ ok: true });
    server.signal("SIGSTOP");
    const { answer, milliseconds } = await runAgent();
    expect(answer).toEqual(ANSWER);
    expect(milliseconds).toBeLessThan(1000);
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
    expect((await runAgent()).answer).toEqual(ANSWER);
    await closeRedisPublisher();
    const events = await readAll(server.url);
    const sequences = new Set(events.map((event) => event.seq));
    expect(ofType(events, "trace.end").length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...sequences)).toBe(sequences.size);
    expect(unhandled).toEqual([]);
  });

  it("when the stream's key holds something else", async () => {
    const server = await privateRedis();
    await withClient(server.url, (client) => client.set(streamName, "not a stream"));
    expect(await initialize(server.url)).toMatchObject({
      ok: false,
      enabled: true,
      redis: "up",
      reason: expect.stringContaining("something else"),
    });
    await expectUnharmed();
  });

  it("when Redis is out of memory", async () => {
    const server = await privateRedis(["--maxmemory-policy", "noeviction"]);
    await withClient(server.url, (client) => client.config("SET", "maxmemory", "1mb"));
    expect(await initialize(server.url)).toMatchObject({ ok: false, enabled: true, reason: "Redis is out of memory" });
    await expectUnharmed();
  });

  it("when Redis refuses the password, which no warning shows", async () => {
    const server = await privateRedis(["--requirepass", "right-password"]);
    const url = server.url.replace("redis://", "redis://:wrong-password@");
    expect(await initialize(url)).toMatchObject({ ok: false, enabled: true, redis: "down", reason: "Redis refuses the credentials" });
    await expectUnharmed();
    expect(warnings.join("\n")).not.toContain("wrong-password");
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
    expect(Math.max(...sequences) - sequences.size).toBe(dropped());
    expect(ofType(events, "producer.bye")).toMatchObject([{ dropped: { buffer_full: expect.any(Number) } }]);
  });

  it("takes the caller's thread for less than two milliseconds at 50 KB", async () => {
    await initialize(`redis://127.0.0.1:${await findFreePort()}`);
    const text = "payload ".repeat(6250);
    const times = Array.from({ length: 300 }, () => {
      const startedAt = performance.now();
      observe({ name: "timed", input: text }, () => 1);
      return performance.now() - startedAt;
    });
    // The median, because the slowest on a crowded machine tell of its scheduler. Four events, two of them with the text.
    expect(times.toSorted((left, right) => left - right)[150]).toBeLessThan(2);
  });
});

async function withClient<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

async function readAll(url: string) {
  const stream = createTestStream(url, streamName);
  try {
    return await stream.read();
  } finally {
    stream.client.disconnect();
  }
}
