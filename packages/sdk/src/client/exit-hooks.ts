import type { Publisher } from "../publish/publisher.ts";

const FLUSH_DEADLINE = 2000;

let remove: (() => void) | undefined;

/**
 * Sends what is left when the process runs out of work or is asked to end. The application's own handling of SIGTERM stays as it was:
 * with other listeners they decide; without one the process ends by the signal, a flush later.
 */
export function installExitHooks(publisher: Publisher, close: () => Promise<void>): void {
  removeExitHooks();
  const onBeforeExit = () => void close();
  const onTerminate = () => {
    if (process.listenerCount("SIGTERM") > 1) {
      void publisher.flush(FLUSH_DEADLINE);
      return;
    }
    void close().finally(() => {
      removeExitHooks();
      process.kill(process.pid, "SIGTERM");
    });
  };
  process.once("beforeExit", onBeforeExit);
  process.on("SIGTERM", onTerminate);
  remove = () => {
    process.off("beforeExit", onBeforeExit);
    process.off("SIGTERM", onTerminate);
  };
}

export function removeExitHooks(): void {
  remove?.();
  remove = undefined;
}
