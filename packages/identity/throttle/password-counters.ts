import { networkOf, type Counter } from "./throttle.ts";

/** Counters of a password: guesses at one account from one place, and guesses at any account from one place. */
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
  ];
}

/** Every registration costs a password hash. */
export function registrationCounters(ip: string): readonly Counter[] {
  return [{ name: "registration-network", subject: networkOf(ip), limit: { tries: 50, windowSeconds: 600 }, forgottenBySuccess: false }];
}
