import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closeRedisPublisher, initializeRedisPublisher, metricsText, observe } from "../index.ts";
import { type PrivateRedis, startPrivateRedis } from "#testing/redis-server.ts";
import { createTestStream, ofType, PROJECT_ID } from "#testing/stream.ts";

let server: PrivateRedis;
let stream: ReturnType<typeof createTestStream>;

beforeEach(async () => {
  server = await startPrivateRedis();
  stream = createTestStream(server.url);
});

afterEach(async () => {
  await closeRedisPublisher();
  await stream.stop();
  await server.stop();
});

describe("initializeRedisPublisher", () => {
  it("tells whether a consumer is alive when asked to look", async () => {
    const options = { ...stream.options, verifyConsumer: true };
    expect(await initializeRedisPublisher(options)).toMatchObject({ ok: false, enabled: true, redis: "up", consumer: "down" });
    await stream.client.set("studio:consumer:heartbeat", "{}", "EX", 30);
    expect(await initializeRedisPublisher(options)).toEqual({ ok: true, enabled: true, redis: "up", consumer: "up" });
    expect(await initializeRedisPublisher(stream.options)).toEqual({ ok: true, enabled: true, redis: "up", consumer: "unchecked" });
  });

  it("tells that there is no such project, where the platform says which there are", async () => {
    const options = { ...stream.options, verifyConsumer: true };
    await stream.client.set("studio:consumer:heartbeat", "{}", "EX", 30);
    await stream.client.sadd("studio:consumer:heartbeat:projects", "another");
    const reason = `there is no project ${PROJECT_ID}; its events are set aside`;
    expect(await initializeRedisPublisher(options)).toEqual({ ok: false, enabled: true, redis: "up", consumer: "up", reason });
    await stream.client.sadd("studio:consumer:heartbeat:projects", PROJECT_ID);
    expect(await initializeRedisPublisher(options)).toEqual({ ok: true, enabled: true, redis: "up", consumer: "up" });
  });

  it("says hello and goodbye, numbers events from one without holes, and a second start is a new producer", async () => {
    await initializeRedisPublisher(stream.options);
    observe({ name: "first" }, () => 1);
    await initializeRedisPublisher(stream.options);
    observe({ name: "second" }, () => 1);
    await closeRedisPublisher();
    await closeRedisPublisher();
    const events = await stream.read();
    const producers = [...new Set(events.map((event) => event.producer_id))];
    expect(producers).toHaveLength(2);
    for (const producer of producers) {
      const own = events.filter((event) => event.producer_id === producer);
      expect(own.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(own.map((event) => event.type).at(0)).toBe("producer.hello");
      expect(own.at(-1)).toMatchObject({ type: "producer.bye", body: { last_seq: 6 } });
    }
    expect(ofType(events, "producer.hello")[0]).toMatchObject({ sdk: "@sightline/sdk 0.5.0", pid: process.pid });
  });

  it("keeps the stream at its maximum length and shows length, lag and heartbeat as metrics", async () => {
    await initializeRedisPublisher({ ...stream.options, maxStreamLength: 100 });
    for (let index = 0; index < 250; index += 1) {
      observe({ name: "many" }, () => index);
    }
    await closeRedisPublisher();
    // Redis trims whole nodes of a hundred entries.
    expect(await stream.client.xlen(stream.streamName)).toBeLessThan(300);
    await stream.client.xgroup("CREATE", stream.streamName, "group", "0");
    await stream.client.set("studio:consumer:heartbeat", "{}");
    await initializeRedisPublisher(stream.options);
    const metrics = metricsText();
    expect(metrics).toMatch(/studio_stream_length [12]\d\d\n/);
    expect(metrics).toMatch(/studio_consumer_lag_seconds 0?\.?\d+/);
    expect(metrics).toContain("studio_consumer_heartbeat 1\n");
    expect(metrics).toMatch(/studio_events_published_total \d+/);
  });

  it("is callable with nothing set, closes without a start, and neither throws", async () => {
    await closeRedisPublisher();
    expect(await initializeRedisPublisher({ projectId: PROJECT_ID, logger: { warn: () => undefined } })).toMatchObject({
      ok: false,
      enabled: false,
    });
  });
});
