import type { Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { repeat } from "@sightline/foundation/repeat";
import { retireSigningKeys, rotateSigningKeyWhenDue } from "./keys/rotate-signing-key.ts";
import type { Sealer } from "./keys/sealed-values.ts";
import { deleteNoticesBefore } from "./notices/notice.store.ts";
import { deleteExpiredChallenges } from "./factors/passkey/challenge.store.ts";
import { deleteExpiredMailTickets } from "./recovery/mail-ticket.store.ts";
import { deleteExpiredClients } from "./oauth/client.store.ts";
import { deleteGrantsEndedBefore } from "./oauth/grant.store.ts";
import { deleteExpiredStates } from "./oauth/state.store.ts";
import type { Queries } from "./schema.ts";
import { TOLD_BACK_MS } from "./session/credential-epochs.ts";
import { deleteExpiredAttempts } from "./sso/attempt.store.ts";
import { deleteExpiredDevices } from "./session/known-device.store.ts";
import { deleteSessionsExpiredBefore } from "./session/session.store.ts";
import { deleteExpiredThrottles } from "./throttle/throttle.store.ts";
import { deleteDeadPartialTokens } from "./factors/kit/partial-token.store.ts";
import { deleteOldTries } from "./factors/kit/code-tries.store.ts";
import { deleteExpiredSetupTries } from "./factors/totp/setup.store.ts";

const EVERY_MS = 600_000;
/** 90 days. */
const NOTICES_MS = 90 * 24 * 3600_000;

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly log: Logger; readonly clock: Clock };

/** Deletes what has no meaning any more, and sees to it that signing keys change. Replicas may do it at the same time. */
export function createHousekeeping({ queries, sealer, log, clock }: Dependencies) {
  const eachPart = createEachOwner({ log, clock, name: "a part of identity's housekeeping" });

  const rotate = async () => {
    const rotation = await rotateSigningKeyWhenDue({ queries, sealer, clock });
    if (rotation?.isNew === true) {
      log.info({ kid: rotation.kid, activeFrom: rotation.activeFrom }, "a new signing key is published");
    }
  };

  /** One part that fails, such as a table that is locked for long, keeps no other from being done: least of all the keys from changing. */
  async function run(): Promise<void> {
    const now = clock.now();
    // Revoked sessions are told of until the last of their access tokens is over.
    const toldUntil = new Date(now.getTime() - TOLD_BACK_MS);
    const parts: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
      ["rotating the signing key", rotate],
      ["retiring signing keys", () => retireSigningKeys(queries, now)],
      ["throttles", () => deleteExpiredThrottles(queries, now)],
      ["partial tokens", () => deleteDeadPartialTokens(queries, now)],
      ["set-up tries", () => deleteExpiredSetupTries(queries, now)],
      ["challenges", () => deleteExpiredChallenges(queries, now)],
      ["code tries", () => deleteOldTries(queries, now)],
      ["sessions", () => deleteSessionsExpiredBefore(queries, toldUntil)],
      ["grants", () => deleteGrantsEndedBefore(queries, toldUntil)],
      ["sign-in states", () => deleteExpiredStates(queries, now)],
      ["clients", () => deleteExpiredClients(queries, now)],
      ["attempts", () => deleteExpiredAttempts(queries, now)],
      ["devices", () => deleteExpiredDevices(queries, now)],
      ["mail tickets", () => deleteExpiredMailTickets(queries, now)],
      ["notices", () => deleteNoticesBefore(queries, new Date(now.getTime() - NOTICES_MS))],
    ];
    await eachPart(parts, { idOf: ([name]) => name, work: ([, runPart]) => runPart() });
  }

  return { run, ...repeat({ log, tasks: [{ name: "housekeeping of identity", everyMs: EVERY_MS, firstInMs: EVERY_MS, run }] }) };
}
