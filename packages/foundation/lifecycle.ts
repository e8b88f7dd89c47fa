import { LATE, within } from "./deadline.ts";
import { errorMessage } from "./errors.ts";
import type { Logger } from "./log.ts";

/** A service: it is started once and stopped once. */
export type Service = {
  readonly name: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type Lifecycle = ReturnType<typeof createLifecycle>;

type LifecycleOptions = {
  readonly log: Logger;
  readonly services: readonly Service[];
  /** Milliseconds that stopping everything may take. */
  readonly drainMs?: number;
};

const DRAIN_MS = 10_000;

export function createLifecycle({ log, services, drainMs = DRAIN_MS }: LifecycleOptions) {
  const started: Service[] = [];
  let starting: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    const deadline = Date.now() + drainMs;
    const left = () => Math.max(deadline - Date.now(), 1);
    await endWithin(() => starting, left());
    for (const service of started.toReversed()) {
      const reason = await endWithin(service.stop, left());
      if (reason !== undefined) {
        log.warn({ service: service.name, reason }, "a service did not stop cleanly");
      }
    }
    started.length = 0;
  }

  /**
   * Stops the services in reverse order, each within what is left of the drain time. Safe to call twice, and during the
   * start: the service that is just starting is waited for, those after it are not started any more.
   */
  const stop = () => (stopping ??= stopAll());

  return {
    stop,
    /** Starts the services in order; when one fails, those already started are stopped and the failure is thrown. */
    start: async (): Promise<void> => {
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

/** @returns what went wrong, if anything did. */
async function endWithin(work: () => Promise<void>, milliseconds: number): Promise<string | undefined> {
  try {
    return (await within(work, milliseconds)) === LATE ? `still running after ${milliseconds} ms` : undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
