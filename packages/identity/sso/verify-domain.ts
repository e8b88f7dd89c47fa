import { orRefuse } from "@sightline/foundation/errors";
import { keepsEmergencyAdmin } from "#accounts/emergency.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import type { Queries, Transaction } from "#schema.ts";
import type { Counter, Throttle } from "#throttle/throttle.ts";
import { beginChange, endSessionsOf, tellOthers, type ConfigureDependencies } from "./change-settings.ts";
import { findDomain, findVerified, lockDomain, type StoredDomain } from "./domain.store.ts";
import { isProven } from "./judge-proof.ts";
import type { LookUpProof } from "./look-up-proof.ts";
import { noteAnswer } from "./note-answer.ts";

export type VerifyDependencies = ConfigureDependencies & { readonly throttle: Throttle; readonly lookUpProof: LookUpProof };

/** Each is a question to name servers. */
function verifyCounters(tenantId: string): readonly Counter[] {
  return [{ name: "sso-domain-tenant", subject: tenantId, limit: { tries: 30, windowSeconds: 600 }, forgottenBySuccess: false }];
}

/**
 * Looks the record of a listed domain up, and notes what DNS answered. A domain that is proven counts from now on; where company sign-in is
 * demanded, sessions end that it would not open any more.
 *
 * @throws {AppError} 403 `second_factor_needed`, 404 `sso_domain_unknown`, 409 `sso_domain_taken` or `break_glass_needed`,
 * 429 `too_many_tries`.
 */
export async function verifyDomain(dependencies: VerifyDependencies, caller: Caller, name: string): Promise<void> {
  const { queries, notices, throttle, clock, lookUpProof } = dependencies;
  await findListed(queries, caller, name);
  await throttle.take(verifyCounters(caller.tenantId));
  const answer = await lookUpProof(name);
  const isTaken = await queries.transaction().execute(async (transaction) => {
    await beginChange(transaction, caller);
    await lockDomain(transaction, name);
    const now = clock.now();
    const domain = await findListed(transaction, caller, name);
    const holder = isProven(domain, answer) ? await findVerified(transaction, name) : undefined;
    const isAnothers = holder !== undefined && holder.tenantId !== caller.tenantId;
    // One answer of DNS also says whether the holder's record is still there.
    const held = isAnothers ? await noteAnswer(transaction, { domain: holder, answer, notices, now }) : { counts: false, events: [] };
    if (held.counts) {
      await appendAudit(transaction, ...held.events);
      return true;
    }
    const { counts, events } = await noteAnswer(transaction, { domain, answer, notices, now });
    if (counts && domain.verifiedAt === null) {
      await beginToCount(dependencies, transaction, caller, domain);
    }
    await appendAudit(transaction, ...held.events, ...events.map((event) => ({ ...event, ...ownAction(caller, now) })));
    return false;
  });
  if (isTaken) {
    throw refusal("sso_domain_taken");
  }
}

/** @throws {AppError} 409 `break_glass_needed`: nobody would get in without the provider. */
async function beginToCount(
  dependencies: VerifyDependencies,
  transaction: Transaction,
  caller: Caller,
  { domain, enforced }: StoredDomain,
): Promise<void> {
  if (!(await keepsEmergencyAdmin(transaction, caller.tenantId))) {
    throw refusal("break_glass_needed");
  }
  await tellOthers(dependencies, transaction, caller, `${domain} verified`);
  if (enforced) {
    await endSessionsOf(transaction, caller, { kind: "against_sso", reason: "sso_required", now: dependencies.clock.now() });
  }
}

/** @throws {AppError} 404 `sso_domain_unknown`. */
async function findListed(queries: Queries, { tenantId }: Caller, name: string): Promise<StoredDomain> {
  return orRefuse(await findDomain(queries, tenantId, name), () => refusal("sso_domain_unknown"));
}
