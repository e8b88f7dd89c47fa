import type { Clock } from "@sightline/foundation/clock";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Queries } from "./schema.ts";
import { deleteExpiredSessions } from "./session/session.store.ts";
import { deleteExpiredThrottles } from "./throttle/throttle.store.ts";
import { deleteDeadPartialTokens } from "./totp/partial-token.store.ts";
import { deleteOldTries } from "./totp/second-factor.store.ts";
import { deleteExpiredSetupTries } from "./totp/setup.store.ts";

const EVERY_MS = 600_000;

/** Deletes what has no meaning any more. Replicas may do it at the same time. */
export function createHousekeeping({ queries, log, clock }: { readonly queries: Queries; readonly log: Logger; readonly clock: Clock }) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    try {
      const now = clock.now();
      await deleteExpiredThrottles(queries, now);
      await deleteExpiredSessions(queries, now);
      await deleteDeadPartialTokens(queries, now);
      await deleteExpiredSetupTries(queries, now);
      await deleteOldTries(queries, now);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "expired rows of identity were not deleted; trying again in ten minutes");
    }
  }

  return {
    start: (): void => {
      timer = setInterval(() => {
        running = run();
      }, EVERY_MS).unref();
    },
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
}
