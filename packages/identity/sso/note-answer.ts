import { listActiveAdmins } from "#administration/policy.store.ts";
import type { AuditEvent } from "#audit/audit.store.ts";
import type { Notices } from "#notices/notices.ts";
import type { Transaction } from "#schema.ts";
import { updateProof, type StoredDomain } from "./domain.store.ts";
import { findProofEnd, judgeProof } from "./judge-proof.ts";
import type { DnsAnswer } from "./look-up-proof.ts";

/**
 * Stores what an answer of DNS makes of a domain, under the domain's lock. The admins of its tenant are told when its record is gone, and
 * when it stops to count.
 *
 * @returns whether it counts from now on, and what the audit is told, which comes last.
 */
export async function noteAnswer(
  transaction: Transaction,
  {
    domain,
    answer,
    notices,
    now,
  }: { readonly domain: StoredDomain; readonly answer: DnsAnswer; readonly notices: Notices; readonly now: Date },
): Promise<{ readonly counts: boolean; readonly events: readonly AuditEvent[] }> {
  const { tenantId, domain: name } = domain;
  const { event, ...judged } = judgeProof(domain, answer, now);
  await updateProof(transaction, { ...domain, ...judged }, now);
  const details = {
    domain: name,
    ...(judged.missingSince === null ? {} : { until: findProofEnd(judged.missingSince).toISOString().slice(0, 10) }),
  };
  if (event === "sso_domain_proof_gone" || event === "sso_domain_lost") {
    for (const { id: userId } of await listActiveAdmins(transaction, tenantId)) {
      await notices.append(transaction, { userId, kind: event, at: now, details });
    }
  }
  return { counts: judged.verifiedAt !== null, events: event === undefined ? [] : [{ event, at: now, tenantId, details }] };
}
