import { systemClock, type Clock } from "@sightline/foundation/clock";
import { createRedis, type Redis } from "@sightline/foundation/redis";
import { findRedis } from "@sightline/foundation/testing/find-services";
import { startRedis } from "@sightline/foundation/testing/private-redis";
import type { PrivateServer } from "@sightline/foundation/testing/private-server";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MAX_STREAM_LENGTH } from "#config.ts";
import type { StreamEvent } from "#events/event.ts";
import { decodeEntry } from "#events/stream-entry.ts";
import { createTcpProxy, type TcpProxy } from "@sightline/foundation/testing/tcp-proxy";
import type { DraftEvent } from "./span-events.ts";
import { createStreamPublisher, type StreamPublisher } from "./stream-publisher.ts";

const stream = "observability:events";

let server: PrivateServer;
let redis: Redis;
let proxy: TcpProxy;
let projectId: string;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const found = await findRedis();
  if (found === undefined) {
    throw new Error("there is no redis-server on this machine");
  }
  server = await startRedis(found);
  redis = await connect(server.url);
});
beforeEach(async () => {
  await redis.flushall();
  proxy = await createTcpProxy(server.url);
  projectId = uuidv7();
});
afterEach(async () => {
  await Promise.all(opened.splice(1).map((close) => close()));
  await proxy.close();
});
afterAll(async () => {
  await opened[0]?.();
  await server.stop();
});

describe("an intake's numbers", () => {
  test("begin with its hello and count every producer's events of a project without holes, also when many requests come at once", async () => {
    const [one, other] = [await createIntake(), await createIntake()];
    const projects = [uuidv7(), uuidv7()];
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? one : other).publish(projects[index % 3 === 0 ? 1 : 0] ?? "", drafts(1 + (index % 7))),
      ),
    );
    const producers = Map.groupBy(await streamed(), (event) => `${event.producer_id} ${event.project_id}`);
    expect(producers.size).toBe(4);
    for (const events of producers.values()) {
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events[0]).toMatchObject({ type: "producer.hello", body: { sdk: "otlp-intake 1.2.3" } });
    }
  });

  test("have no hole after a request that timed out, whether it arrived or not", async () => {
    const intake = await createIntake();
    await intake.publish(projectId, drafts(2));
    const late = drafts(3);
    // Longer than a command may take: the server gets it, answers when nobody listens any more, and does it.
    await redis.client("PAUSE", 5_300, "WRITE");
    await expect(intake.publish(projectId, late)).rejects.toThrow("timed out");
    await expect.poll(() => redis.xlen(stream), { timeout: 10_000 }).toBe(6);
    await intake.publish(projectId, late);
    const events = await streamed();
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // The second time they are the same events.
    expect(events.slice(3, 6).map(({ id }) => id)).toEqual(events.slice(6).map(({ id }) => id));
  }, 20_000);

  test("have no hole after Redis was out of memory, of another type or away", async () => {
    const intake = await createIntake(proxy.url);
    await intake.publish(projectId, drafts(1));
    await redis.config("SET", "maxmemory", "1mb");
    await expect(intake.publish(projectId, drafts(1))).rejects.toThrow(/OOM/);
    await redis.config("SET", "maxmemory", "0");
    await redis.rename(stream, "aside");
    await redis.set(stream, "text");
    await expect(intake.publish(projectId, drafts(1))).rejects.toThrow(/WRONGTYPE/);
    await redis.rename("aside", stream);
    await proxy.cut();
    await expect(intake.publish(projectId, drafts(1))).rejects.toThrow(/closed|writeable|max retries/i);
    await proxy.mend();
    await expect.poll(() => intake.publish(projectId, drafts(1)).catch(() => "away"), { timeout: 10_000 }).toBe("taken");
    expect((await streamed()).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  }, 20_000);

  test("go on after Redis lost its data, so that the loss shows as a hole", async () => {
    const intake = await createIntake();
    await intake.publish(projectId, drafts(4));
    await redis.flushall();
    await intake.publish(projectId, drafts(1));
    expect((await streamed()).map(({ seq }) => seq)).toEqual([6]);
  });

  test("are announced while the project sends, for an hour after that, and at the end", async () => {
    let now = Date.UTC(2026, 10, 21);
    const intake = await createIntake(server.url, { now: () => new Date(now) });
    await intake.announce();
    await intake.publish(projectId, drafts(2));
    await intake.announce();
    now += 59 * 60_000;
    await intake.announce();
    now += 60_000;
    await intake.announce();
    await intake.publish(projectId, drafts(1));
    await intake.close();
    const told = (await streamed()).filter(({ type }) => type.startsWith("producer."));
    expect(told.map(({ type, seq, body }) => [type, seq, "last_seq" in body ? body.last_seq : undefined])).toEqual([
      ["producer.hello", 1, undefined],
      ["producer.heartbeat", 4, 3],
      ["producer.heartbeat", 5, 4],
      ["producer.bye", 7, 6],
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(4);
  });

  test("leave a counter behind that goes by itself after a day", async () => {
    const intake = await createIntake();
    await intake.publish(projectId, drafts(1));
    const [counter = ""] = await redis.keys(`{${stream}}:otlp:*`);
    expect(await redis.pttl(counter)).toBeGreaterThan(23 * 3_600_000);
  });
});

test("a stream without room for all of a request's events takes none of them, and keeps what others have put there", async () => {
  const intake = await createIntake();
  const fill = "for index = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'x', index) end";
  await redis.eval(fill, 1, stream, MAX_STREAM_LENGTH - 1_000);
  expect(await intake.publish(projectId, drafts(1_001))).toBe("full");
  expect(await redis.xlen(stream)).toBe(MAX_STREAM_LENGTH - 1_000);
  expect(await intake.publish(projectId, drafts(999))).toBe("taken");
  expect(await redis.xlen(stream)).toBe(MAX_STREAM_LENGTH);
  await redis.xtrim(stream, "MAXLEN", 0);
  expect(await intake.publish(projectId, drafts(1_001))).toBe("taken");
});

function drafts(count: number): readonly DraftEvent[] {
  return Array.from({ length: count }, () => ({
    id: uuidv7(),
    type: "trace.start",
    body: JSON.stringify({ trace_id: uuidv7(), name: "t", started_at: "2026-11-21T10:00:00Z" }),
  }));
}

async function createIntake(url = server.url, clock: Clock = systemClock): Promise<StreamPublisher> {
  return createStreamPublisher({ redis: await connect(url), stream, partitions: 1, clock, log: silentLog, version: "1.2.3" });
}

async function connect(url: string): Promise<Redis> {
  const { client, close } = createRedis({ url, name: "test", log: silentLog });
  await client.connect();
  opened.push(close);
  return client;
}

async function streamed(): Promise<readonly StreamEvent[]> {
  return (await redis.xrange(stream, "-", "+")).flatMap(([, fields]) => {
    const decoded = decodeEntry(fields);
    return decoded.ok ? [decoded.event] : [];
  });
}
