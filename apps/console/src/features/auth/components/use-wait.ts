import { useState } from "react";
import { hasStatus, secondsToWait } from "#http/api-error.ts";
import { useSecondsLeft } from "#ui/time/countdown.ts";

export type Wait = { readonly seconds: number; readonly waitAfter: (error: Error) => void };

/** Counts down the seconds that a refused call has to wait; 0 when there is nothing to wait for. */
export function useWait(): Wait {
  const [until, setUntil] = useState(0);
  return {
    seconds: useSecondsLeft(until),
    waitAfter(error) {
      if (hasStatus(error, 429)) {
        setUntil(Date.now() + secondsToWait(error) * 1000);
      }
    },
  };
}
