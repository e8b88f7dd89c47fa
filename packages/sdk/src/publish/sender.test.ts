import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFakeConnection, OUTAGE } from "#testing/fake-connection.ts";
import { createMetrics } from "../settings/metrics.ts";
import { createConnector } from "./connector.ts";
import { createEventQueue } from "./event-queue.ts";
import { createInspection } from "./inspection.ts";
import { createSender } from "./sender.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createTestSender() {
  const connection = createFakeConnection();
  const metrics = createMetrics();
  const dropped: Record<string, number> = {};
  const queue = createEventQueue({ bytes: 1e9, events: 10_000 }, (reason, count) => {
    dropped[reason] = (dropped[reason] ?? 0) + count;
  });
  const connector = createConnector(
    async () => connection,
    () => queue.reconnected(),
    { say: () => undefined },
  );
  const inspection = createInspection(connector, metrics);
  const sender = createSender("producer", queue, connector, inspection, metrics);
  const add = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      queue.add("producer.heartbeat", { last_seq: index }, 0);
    }
  };
  return { connection, metrics, dropped, queue, connector, inspection, sender, add };
}

type TestSender = ReturnType<typeof createTestSender>;
const sizes = ({ connection }: TestSender) => connection.batches.map((batch) => batch.length);
const sequences = ({ connection }: TestSender) => connection.batches.flat().map(({ seq }) => seq);

describe("The sender", () => {
  it("empties the queue in order, in batches", async () => {
    const test = createTestSender();
    test.add(600);
    await test.sender.send();
    expect(sizes(test)).toEqual([256, 256, 88]);
    expect(sequences(test)).toEqual(Array.from({ length: 600 }, (_value, index) => index + 1));
    expect([test.metrics.published, test.metrics.roundTripSeconds.count, test.queue.size]).toEqual([600, 3, 0]);
  });

  it("sends by itself a moment after it was asked to, and holds the process with no timer", async () => {
    const test = createTestSender();
    test.add(1);
    test.sender.schedule();
    test.sender.schedule();
    await vi.advanceTimersByTimeAsync(99);
    expect(sizes(test)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sizes(test)).toEqual([1]);
    vi.useRealTimers();
    const started = vi.spyOn(globalThis, "setTimeout");
    test.sender.schedule();
    const timer = started.mock.results[0]?.value as NodeJS.Timeout;
    started.mockRestore();
    expect(timer.hasRef()).toBe(false);
    test.sender.stop();
  });

  it("has one batch in flight, whoever asks for more", async () => {
    const test = createTestSender();
    test.add(2);
    await Promise.all([test.sender.send(), test.sender.send()]);
    expect(sizes(test)).toEqual([2]);
  });

  it("sends again what did not arrive, under the same ids and numbers, once the back-off is over, one event first", async () => {
    const test = createTestSender();
    test.add(3);
    test.connection.takes = 1;
    await test.sender.send();
    expect([test.metrics.published, test.queue.size, test.connector.failure]).toEqual([1, 2, OUTAGE]);
    test.connection.takes = Infinity;
    await vi.advanceTimersByTimeAsync(124);
    expect(sizes(test)).toEqual([3]);
    await vi.advanceTimersByTimeAsync(126);
    expect(sizes(test)).toEqual([3, 1, 1]);
    const [first = [], ...again] = test.connection.batches;
    expect(again.flat().map(({ id, seq }) => [id, seq])).toEqual(first.slice(1).map(({ id, seq }) => [id, seq]));
    expect([test.metrics.published, test.dropped, test.connector.failure]).toEqual([3, {}, undefined]);
  });

  it("inspects the stream after the queue is empty, but not while Redis refuses", async () => {
    const test = createTestSender();
    test.inspection.request();
    test.add(1);
    test.connection.takes = 0;
    await test.sender.send();
    expect([test.metrics.streamLength, test.inspection.isDue]).toEqual([undefined, true]);
    test.connection.takes = Infinity;
    await vi.advanceTimersByTimeAsync(250);
    expect([test.metrics.streamLength, test.inspection.isDue]).toEqual([7, false]);
  });

  it("flushes until nothing is left, trying again without waiting for the back-off", async () => {
    const test = createTestSender();
    test.add(2);
    test.connection.takes = 0;
    test.connector.failed(OUTAGE);
    test.connector.failed(OUTAGE);
    test.connector.failed(OUTAGE);
    const flushed = test.sender.flush(2000);
    await vi.advanceTimersByTimeAsync(200);
    test.connection.takes = Infinity;
    await vi.advanceTimersByTimeAsync(200);
    expect(await flushed).toBe(true);
    expect(sizes(test)).toEqual([1, 1, 1, 1]);
  });

  it("gives a flush up at its deadline, also when Redis says nothing at all", async () => {
    const test = createTestSender();
    test.add(1);
    test.connection.answer = new Promise(() => undefined);
    const flushed = test.sender.flush(2000);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await flushed).toBe(false);
  });

  it("counts as dropped what is left when it is released, and what comes back later", async () => {
    const test = createTestSender();
    let answer = () => {};
    test.connection.answer = new Promise((resolve) => {
      answer = resolve;
    });
    test.connection.takes = 1;
    test.add(262);
    void test.sender.send();
    await vi.advanceTimersByTimeAsync(0);
    test.sender.stop();
    const released = test.sender.release();
    await vi.advanceTimersByTimeAsync(200);
    await released;
    expect(test.dropped).toEqual({ closed: 6 });
    answer();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(test.dropped).toEqual({ closed: 261 });
    expect([test.metrics.published, test.queue.size, test.queue.lastSequence, sizes(test)]).toEqual([1, 0, 262, [256]]);
  });
});
