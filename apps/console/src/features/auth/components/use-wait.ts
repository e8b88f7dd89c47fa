import { useEffect, useState } from "react";
import { hasStatus, waitOf } from "#http/api-error.ts";

const TICK_MS = 500;

/** Counts down the seconds that a refused call has to wait; 0 when there is nothing to wait for. */
export function useWait(): { readonly seconds: number; readonly waitAfter: (error: Error) => void } {
  const [{ until, now }, setClock] = useState({ until: 0, now: 0 });
  const waiting = now < until;
  useEffect(() => {
    if (!waiting) {
      return undefined;
    }
    const timer = setInterval(() => setClock((clock) => ({ ...clock, now: Date.now() })), TICK_MS);
    return () => clearInterval(timer);
  }, [waiting]);
  return {
    seconds: Math.max(0, Math.ceil((until - now) / 1000)),
    waitAfter(error) {
      if (hasStatus(error, 429)) {
        setClock({ until: Date.now() + waitOf(error) * 1000, now: Date.now() });
      }
    },
  };
}
