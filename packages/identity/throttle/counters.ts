import { toNetwork, toSite } from "@sightline/foundation/http/client-network";
import type { Limit } from "./throttle.store.ts";
import type { Counter } from "./throttle.ts";

/** Failures of one subject: five, then pauses of a minute that double to a quarter of an hour. */
const FIVE_THEN_PAUSES: Limit = { tries: 5, windowSeconds: 900, pause: { firstSeconds: 60, mostSeconds: 900 } };

/**
 * Counters of a stranger's password: guesses at any account from one place, at one account from one place, and at one account
 * from everywhere. The last only slows down: nobody shuts an owner out by guessing. The first is the one that a flood meets most, so it
 * costs the least.
 */
export function strangersPasswordCounters(foldedEmail: string, ip: string): readonly Counter[] {
  const [network, site] = [toNetwork(ip), toSite(ip)];
  return [
    {
      name: "password-account-network",
      subject: `${foldedEmail}|${network}`,
      limit: FIVE_THEN_PAUSES,
      forgottenBySuccess: true,
      network: site,
    },
    ...(site === network
      ? []
      : [
          {
            name: "password-account-site",
            subject: `${foldedEmail}|${site}`,
            limit: { ...FIVE_THEN_PAUSES, tries: 20 },
            forgottenBySuccess: true,
          },
        ]),
    { name: "password-network", subject: network, limit: { tries: 50, windowSeconds: 600 }, forgottenBySuccess: false },
    {
      name: "password-account",
      subject: foldedEmail,
      limit: { tries: 100, windowSeconds: 3600, delay: { firstSeconds: 1, mostSeconds: 4 } },
      forgottenBySuccess: false,
    },
  ];
}

/** A browser that the account was logged in with has tries of its own: what strangers do does not touch it. */
export function knownDevicePasswordCounters(device: string): readonly Counter[] {
  return [{ name: "password-device", subject: device, limit: FIVE_THEN_PAUSES, forgottenBySuccess: true }];
}

/** So has a session: whoever guesses from a stolen one is slowed down there. */
export function sessionPasswordCounters(sessionId: string): readonly Counter[] {
  return [{ name: "password-session", subject: sessionId, limit: FIVE_THEN_PAUSES, forgottenBySuccess: true }];
}

/** Limits what anybody may do from one network, and ten times as much from the site of an IPv6 network, which has 65,536 of them. */
export function placeCounters(name: string, ip: string, limit: Limit): readonly Counter[] {
  const [network, site] = [toNetwork(ip), toSite(ip)];
  const ofSite = { name: `${name}-site`, subject: site, limit: { ...limit, tries: 10 * limit.tries }, forgottenBySuccess: false };
  return [{ name: `${name}-network`, subject: network, limit, forgottenBySuccess: false }, ...(site === network ? [] : [ofSite])];
}

/** Limits registrations, since each costs a password hash. */
export function registrationCounters(ip: string): readonly Counter[] {
  return placeCounters("registration", ip, { tries: 50, windowSeconds: 600 });
}

const SECOND_FACTORS = { limit: { tries: 30, windowSeconds: 600 }, forgottenBySuccess: false };

/** Limits codes tried at the second step of the login from one place, at any account. What one account allows is counted apart. */
export function secondFactorCounters(ip: string): readonly Counter[] {
  return [{ name: "second-factor-network", subject: toNetwork(ip), ...SECOND_FACTORS }];
}

/** So are those of a session, or of an account in the browsers that it knows: by a name that no login renews. */
export function ownSecondFactorCounters(owner: string): readonly Counter[] {
  return [{ name: "second-factor-own", subject: owner, ...SECOND_FACTORS }];
}

/** Limits how often a passkey is asked for something from one place, since each time leaves a row for five minutes. */
export function passkeyOptionsCounters(ip: string): readonly Counter[] {
  return placeCounters("passkey-options", ip, { tries: 300, windowSeconds: 600 });
}

/**
 * Limits password resets, since each may send a mail. Addresses without an account are counted alike. Strangers who ask for resets
 * of one account from one place do not use up those of its owner.
 */
export function resetRequestCounters(foldedEmail: string, ip: string): readonly Counter[] {
  const hour = { windowSeconds: 3600 };
  return [
    { name: "password-reset-network", subject: toNetwork(ip), limit: { tries: 20, windowSeconds: 600 }, forgottenBySuccess: false },
    {
      name: "password-reset-account-site",
      subject: `${foldedEmail}|${toSite(ip)}`,
      limit: { tries: 3, ...hour },
      forgottenBySuccess: false,
    },
    { name: "password-reset-account", subject: foldedEmail, limit: { tries: 30, ...hour }, forgottenBySuccess: false },
  ];
}

/** A browser that the account was logged in with has some of its own, here, too. */
export function knownDeviceResetCounters(owner: string): readonly Counter[] {
  return [{ name: "password-reset-own", subject: owner, limit: { tries: 5, windowSeconds: 3600 }, forgottenBySuccess: false }];
}

/** Limits confirmations, since each may cost a password hash. */
export function confirmationCounters(ip: string): readonly Counter[] {
  return [{ name: "password-reset-confirm", subject: toNetwork(ip), limit: { tries: 30, windowSeconds: 600 }, forgottenBySuccess: false }];
}
