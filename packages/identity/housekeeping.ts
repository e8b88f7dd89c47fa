import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { repeat } from "@sightline/foundation/repeat";
import { retireSigningKeys, rotateSigningKeyWhenDue } from "./keys/rotate-signing-key.ts";
import type { Sealer } from "./keys/sealed-values.ts";
import { deleteNoticesBefore } from "./notices/notice.store.ts";
import { deleteExpiredChallenges } from "./passkeys/challenge.store.ts";
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
import { deleteDeadPartialTokens } from "./totp/partial-token.store.ts";
import { deleteOldTries } from "./totp/code-tries.store.ts";
import { deleteExpiredSetupTries } from "./totp/setup.store.ts";

const EVERY_MS = 600_000;
/** 90 days. */
const NOTICES_MS = 90 * 24 * 3600_000;

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly log: Logger; readonly clock: Clock };

/** Deletes what has no meaning any more, and sees to it that signing keys change. Replicas may do it at the same time. */
export function createHousekeeping({ queries, sealer, log, clock }: Dependencies) {
  async function run(): Promise<void> {
    const now = clock.now();
    await deleteExpiredThrottles(queries, now);
    await deleteDeadPartialTokens(queries, now);
    await deleteExpiredSetupTries(queries, now);
    await deleteExpiredChallenges(queries, now);
    await deleteOldTries(queries, now);
    // One that was revoked is told of until the last of its access tokens is over.
    await deleteSessionsExpiredBefore(queries, new Date(now.getTime() - TOLD_BACK_MS));
    await deleteGrantsEndedBefore(queries, new Date(now.getTime() - TOLD_BACK_MS));
    await deleteExpiredStates(queries, now);
    await deleteExpiredClients(queries, now);
    await deleteExpiredAttempts(queries, now);
    await deleteExpiredDevices(queries, now);
    await deleteExpiredMailTickets(queries, now);
    await deleteNoticesBefore(queries, new Date(now.getTime() - NOTICES_MS));
    const rotation = await rotateSigningKeyWhenDue({ queries, sealer, clock });
    if (rotation?.isNew === true) {
      log.info({ kid: rotation.kid, activeFrom: rotation.activeFrom }, "a new signing key is published");
    }
    await retireSigningKeys(queries, now);
  }

  return { run, ...repeat({ log, tasks: [{ name: "housekeeping of identity", everyMs: EVERY_MS, firstInMs: EVERY_MS, run }] }) };
}
