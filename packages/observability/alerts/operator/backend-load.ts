import { totalmem } from "node:os";
import type { Clock } from "@sightline/foundation/clock";
import { createGauge, type Metrics } from "@sightline/foundation/http/metrics";

export type BackendLoad = { readonly start: () => void; readonly stop: () => void };

type Sample = { readonly at: number; readonly microseconds: number };

const EVERY_MS = 5_000;
const WINDOW_MS = 60_000;

/**
 * Measures this process' load: the share of one processor over the last minute, and of the memory that its container or
 * machine has. The first is unknown until the process has run for some seconds.
 */
export function createBackendLoad({ metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock }): BackendLoad {
  let samples: readonly Sample[] = [];
  let timer: NodeJS.Timeout | undefined;

  function sample(): void {
    const { user, system } = process.cpuUsage();
    const now = { at: clock.now().getTime(), microseconds: user + system };
    samples = [...samples.filter(({ at }) => at >= now.at - WINDOW_MS), now];
  }

  createGauge(metrics, {
    name: "studio_backend_cpu_ratio",
    help: "Part of one processor that this process used in the last minute.",
    labels: [],
    read: async () => {
      const [first, last] = [samples[0], samples.at(-1)];
      const passed = first === undefined || last === undefined ? 0 : last.at - first.at;
      return passed <= 0 || first === undefined || last === undefined
        ? []
        : [{ labels: {}, value: (last.microseconds - first.microseconds) / 1_000 / passed }];
    },
  });
  createGauge(metrics, {
    name: "studio_backend_memory_ratio",
    help: "Part of the memory it may have that this process uses.",
    labels: [],
    read: async () => [{ labels: {}, value: process.memoryUsage.rss() / memoryLimit() }],
  });

  return {
    start: () => {
      sample();
      timer = setInterval(sample, EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}

/** The memory that the process may use. Without a limit the system reports 0, or more than the machine has. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
