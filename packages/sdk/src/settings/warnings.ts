import type { Logger } from "./settings.ts";

export type Warnings = { say(reason: string, message: string): void };

const INTERVAL = 60_000;
/** Reasons that name what an application gave have no end; those beyond are one together. */
const MAX_REASONS = 200;

/** Says each reason at most once a minute, and never lets a failure of the application's logger or clock out. */
export function createWarnings(logger: Logger): Warnings {
  const lastLogged = new Map<string, number>();
  return {
    say(given, message) {
      try {
        const now = Date.now();
        const reason = lastLogged.has(given) || lastLogged.size < MAX_REASONS ? given : "others";
        if (now - (lastLogged.get(reason) ?? -INTERVAL) < INTERVAL) {
          return;
        }
        lastLogged.set(reason, now);
        logger.warn(`[sightline] ${message}`);
      } catch {
        // Their failing is not a reason to disturb the application.
      }
    },
  };
}
