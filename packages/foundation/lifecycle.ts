import { messageOf } from "./errors.ts";
import type { Logger } from "./log.ts";

/** Something that lives: it is started once and stopped once. */
export type Service = {
  readonly name: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type Lifecycle = {
  /** Starts the services in order; when one fails, those already started are stopped and the failure is thrown. */
  readonly start: () => Promise<void>;
  /** Stops the services in reverse order, each within what is left of the drain time. Safe to call twice. */
  readonly stop: () => Promise<void>;
};

type LifecycleOptions = {
  readonly log: Logger;
  readonly services: readonly Service[];
  /** Milliseconds that stopping everything may take. */
  readonly drainMs?: number;
};

const DRAIN_MS = 10_000;

export function createLifecycle({ log, services, drainMs = DRAIN_MS }: LifecycleOptions): Lifecycle {
  const started: Service[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    const deadline = Date.now() + drainMs;
    for (const service of started.toReversed()) {
      const outcome = await within(service.stop(), Math.max(deadline - Date.now(), 1));
      if (outcome !== "done") {
        log.warn({ service: service.name, reason: outcome }, "a service did not stop cleanly");
      }
    }
    started.length = 0;
  }

  const stop = () => (stopping ??= stopAll());

  return {
    stop,
    start: async () => {
      for (const service of services) {
        try {
          await service.start();
          started.push(service);
        } catch (error) {
          await stop();
          throw error;
        }
      }
    },
  };
}

async function within(work: Promise<void>, milliseconds: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`still running after ${milliseconds} ms`), milliseconds);
  });
  const done = work.then(() => "done", messageOf);
  const outcome = await Promise.race([done, late]);
  clearTimeout(timer);
  return outcome;
}
