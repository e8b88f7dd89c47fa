import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countDropped, createMetrics } from "../settings/metrics.ts";
import type { EventQueue } from "./event-queue.ts";
import { startHeartbeat } from "./heartbeat.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("A heartbeat", () => {
  it("says hello, beats every ten seconds with its own number and what was dropped, and says goodbye", () => {
    const metrics = createMetrics();
    const said: unknown[] = [];
    let beats = 0;
    const enqueue: EventQueue["add"] = (type, body, size) => {
      expect(size).toBe(0);
      said.push([type, typeof body === "function" ? body(said.length + 1) : body]);
    };
    const heartbeat = startHeartbeat(enqueue, metrics, () => {
      beats += 1;
    });
    vi.advanceTimersByTime(10_000);
    countDropped(metrics, "buffer_full", 3);
    vi.advanceTimersByTime(10_000);
    heartbeat.stop();
    vi.advanceTimersByTime(60_000);
    expect(beats).toBe(2);
    expect(said).toEqual([
      [
        "producer.hello",
        {
          sdk: expect.stringMatching(/^@sightline\/sdk \d/),
          runtime: `node ${process.versions.node}`,
          host: expect.any(String),
          pid: process.pid,
        },
      ],
      ["producer.heartbeat", { last_seq: 2 }],
      ["producer.heartbeat", { last_seq: 3, dropped: { buffer_full: 3 } }],
      ["producer.bye", { last_seq: 4, dropped: { buffer_full: 3 } }],
    ]);
  });

  it("does not keep the process alive", () => {
    vi.useRealTimers();
    const started = vi.spyOn(globalThis, "setInterval");
    startHeartbeat(
      () => undefined,
      createMetrics(),
      () => undefined,
    ).stop();
    const timer = started.mock.results[0]?.value as NodeJS.Timeout;
    started.mockRestore();
    expect(timer.hasRef()).toBe(false);
  });
});
