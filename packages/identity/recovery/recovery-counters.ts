import { networkOf, type Counter } from "#throttle/throttle.ts";

/** Every request may send a mail to someone; addresses without an account are counted alike. */
export function resetRequestCounters(foldedEmail: string, ip: string): readonly Counter[] {
  return [
    { name: "password-reset-network", subject: networkOf(ip), limit: { tries: 20, windowSeconds: 600 }, forgottenBySuccess: false },
    { name: "password-reset-account", subject: foldedEmail, limit: { tries: 5, windowSeconds: 3600 }, forgottenBySuccess: false },
  ];
}

/** Every confirmation may cost a password hash. */
export function confirmationCounters(ip: string): readonly Counter[] {
  return [{ name: "password-reset-confirm", subject: networkOf(ip), limit: { tries: 30, windowSeconds: 600 }, forgottenBySuccess: false }];
}
