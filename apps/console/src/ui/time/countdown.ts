import { useSyncExternalStore } from "react";

const TICK_MS = 250;

/** Whole seconds from `now` to `until`, both in milliseconds; 0 when it is over. */
export function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000));
}

/** `4:05`, `0:09`, `1:02:00`. */
export function toClock(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const padded = (part: number) => String(part).padStart(2, "0");
  return hours === 0 ? `${minutes}:${padded(rest)}` : `${hours}:${padded(minutes)}:${padded(rest)}`;
}

/** Counts down to a time of this machine's clock, so that it is right after the machine slept; 0 when it is over. */
export function useSecondsLeft(until: number): number {
  return useSyncExternalStore(everyTick, () => secondsLeft(until, Date.now()));
}

function everyTick(tell: () => void): () => void {
  const timer = setInterval(tell, TICK_MS);
  return () => clearInterval(timer);
}
