import { hostname } from "node:os";
import type { PublisherMetrics } from "../settings/metrics.ts";
import { SDK_VERSION } from "../settings/version.ts";
import type { EventQueue } from "./event-queue.ts";

const INTERVAL = 10_000;

/** Announces the producer, says every ten seconds that it is alive and what it has lost, and goodbye when it is stopped. */
export function startHeartbeat(enqueue: EventQueue["add"], metrics: PublisherMetrics, onBeat: () => void) {
  /** The report's own number is the last that was given. */
  const report = (sequence: number) => ({
    last_seq: sequence,
    ...(metrics.dropped.size > 0 ? { dropped: Object.fromEntries(metrics.dropped) } : {}),
  });
  const timer = setInterval(() => {
    onBeat();
    enqueue("producer.heartbeat", report, 0);
  }, INTERVAL);
  timer.unref();
  const runtime = `node ${process.versions.node}`;
  enqueue("producer.hello", { sdk: `@sightline/sdk ${SDK_VERSION}`, runtime, host: hostname().slice(0, 300), pid: process.pid }, 0);
  return {
    report,
    stop() {
      clearInterval(timer);
      enqueue("producer.bye", report, 0);
    },
  };
}
