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
  /**
   * Stops the services in reverse order, each within what is left of the drain time. Safe to call twice, and during the
   * start: the service that is just starting is waited for, those after it are not started any more.
   */
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
  let starting: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    const deadline = Date.now() + drainMs;
    const left = () => Math.max(deadline - Date.now(), 1);
    await within(() => starting, left());
    for (const service of started.toReversed()) {
      const outcome = await within(service.stop, left());
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
        if (stopping !== undefined) {
          return;
        }
        try {
          starting = service.start();
          await starting;
          started.push(service);
        } catch (error) {
          await stop();
          throw error;
        }
      }
    },
  };
}

async function within(work: () => Promise<void>, milliseconds: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`still running after ${milliseconds} ms`), milliseconds);
  });
  const done = attempt(work).then(() => "done", messageOf);
  const outcome = await Promise.race([done, late]);
  clearTimeout(timer);
  return outcome;
}

/** A throw of a function that should have returned a promise is a rejection like any other. */
async function attempt(work: () => Promise<void>): Promise<void> {
  await work();
}
