import { networkOf, type Counter } from "./throttle.ts";

/** Codes tried at the second step of the login from one place, at any account; what one account allows is counted apart. */
export function secondFactorCounters(ip: string): readonly Counter[] {
  return [{ name: "second-factor-network", subject: networkOf(ip), limit: { tries: 30, windowSeconds: 600 }, forgottenBySuccess: false }];
}
