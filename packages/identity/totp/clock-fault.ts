import { STEP_SECONDS, stepAt, stepOfCode } from "./totp-code.ts";

const STEPS = 10;

/**
 * Whether a code that was refused is one of another time, up to five minutes away: then the device's clock is wrong, and
 * that is what to say. For a secret that is just being set up; such a code is never accepted.
 */
export async function describeClockFault(secret: string, code: string, now: Date): Promise<string | undefined> {
  const step = await stepOfCode({ secret, code, now, window: STEPS });
  if (step === undefined) {
    return undefined;
  }
  const seconds = (step - stepAt(now)) * STEP_SECONDS;
  return `The code is of another time: your phone's clock is about ${Math.abs(seconds)} s ${seconds < 0 ? "slow" : "fast"}. Let the phone set its time automatically, then enter the code that it shows next.`;
}
