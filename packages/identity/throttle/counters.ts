import { networkOf, type Counter } from "./throttle.ts";

/**
 * Counters of a password: guesses at any account from one place, at one account from one place, and at one account from
 * everywhere. The last only slows down: nobody shuts an owner out by guessing.
 */
export function passwordCounters(foldedEmail: string, ip: string): readonly Counter[] {
  const network = networkOf(ip);
  return [
    { name: "password-network", subject: network, limit: { tries: 50, windowSeconds: 600 }, forgottenBySuccess: false },
    {
      name: "password-account-network",
      subject: `${foldedEmail}|${network}`,
      limit: { tries: 5, windowSeconds: 900, pause: { firstSeconds: 60, mostSeconds: 900 } },
      forgottenBySuccess: true,
    },
    {
      name: "password-account",
      subject: foldedEmail,
      limit: { tries: 100, windowSeconds: 3600, delay: { firstSeconds: 1, mostSeconds: 8 } },
      forgottenBySuccess: false,
    },
  ];
}

/** Limits registrations, since each costs a password hash. */
export function registrationCounters(ip: string): readonly Counter[] {
  return [{ name: "registration-network", subject: networkOf(ip), limit: { tries: 50, windowSeconds: 600 }, forgottenBySuccess: false }];
}

/** Limits codes tried at the second step of the login from one network, at any account. What one account allows is counted apart. */
export function secondFactorCounters(ip: string): readonly Counter[] {
  return [{ name: "second-factor-network", subject: networkOf(ip), limit: { tries: 30, windowSeconds: 600 }, forgottenBySuccess: false }];
}

/** Limits password resets, since each may send a mail. Addresses without an account are counted alike. */
export function resetRequestCounters(foldedEmail: string, ip: string): readonly Counter[] {
  return [
    { name: "password-reset-network", subject: networkOf(ip), limit: { tries: 20, windowSeconds: 600 }, forgottenBySuccess: false },
    { name: "password-reset-account", subject: foldedEmail, limit: { tries: 5, windowSeconds: 3600 }, forgottenBySuccess: false },
  ];
}

/** Limits confirmations, since each may cost a password hash. */
export function confirmationCounters(ip: string): readonly Counter[] {
  return [{ name: "password-reset-confirm", subject: networkOf(ip), limit: { tries: 30, windowSeconds: 600 }, forgottenBySuccess: false }];
}
