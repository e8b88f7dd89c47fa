import type { Clock } from "@sightline/foundation/clock";

/** Which hosts are left alone for a while because they do not answer. */
export type HostPauses = {
  readonly paused: () => readonly string[];
  readonly failed: (host: string) => void;
  readonly answered: (host: string) => void;
};

const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;

/** Each failure doubles the pause, and a fifth of it is left to chance, so that processes don't come back at once. */
export function createHostPauses(clock: Clock): HostPauses {
  const pauses = new Map<string, { readonly failures: number; readonly until: number }>();
  return {
    paused: () => [...pauses].flatMap(([host, { until }]) => (until > clock.now().getTime() ? [host] : [])),
    failed: (host) => {
      // Without a host it is this machine.
      if (host !== "") {
        const failures = (pauses.get(host)?.failures ?? 0) + 1;
        const pauseMs = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
        pauses.set(host, { failures, until: clock.now().getTime() + pauseMs * (0.8 + Math.random() * 0.4) });
      }
    },
    answered: (host) => void pauses.delete(host),
  };
}
