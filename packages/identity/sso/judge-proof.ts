import type { AuditEventName, DomainProof } from "#contract.ts";
import type { StoredDomain } from "./domain.store.ts";
import { toRecordName, type DnsAnswer } from "./look-up-proof.ts";

/** How long a domain goes on counting without its record, so that a mistake in DNS locks no company out. */
const KEPT_WITHOUT_RECORD_MS = 7 * 24 * 3600_000;
const CHECK_AGAIN_MS = 24 * 3600_000;
const CHECK_SOON_MS = 3600_000;

const SHOWN_VALUES = 3;
const SHOWN_CHARACTERS = 100;

type Judged = Pick<StoredDomain, "verifiedAt" | "missingSince" | "checkAt" | "problem"> & { readonly event: AuditEventName | undefined };

export function isProven({ token }: StoredDomain, answer: DnsAnswer): boolean {
  return "values" in answer && answer.values.some((value) => value.trim() === token);
}

/**
 * Decides what a domain is after an answer of DNS. Only an answer without the record counts against it: name servers that can't be
 * reached say nothing of whose it is.
 */
export function judgeProof(domain: StoredDomain, answer: DnsAnswer, now: Date): Judged {
  const { verifiedAt, missingSince } = domain;
  if (isProven(domain, answer)) {
    const isNews = verifiedAt === null || missingSince !== null;
    const proven = { verifiedAt: verifiedAt ?? now, missingSince: null, checkAt: after(now, CHECK_AGAIN_MS), problem: null };
    return { ...proven, event: isNews ? "sso_domain_verified" : undefined };
  }
  const problem = inWords(domain, answer);
  if (verifiedAt === null) {
    return { verifiedAt, missingSince, checkAt: null, problem, event: undefined };
  }
  const checkAt = after(now, CHECK_SOON_MS);
  if (!("values" in answer)) {
    return { verifiedAt, missingSince, checkAt, problem, event: undefined };
  }
  if (missingSince !== null && findProofEnd(missingSince) <= now) {
    return { verifiedAt: null, missingSince: null, checkAt: null, problem, event: "sso_domain_lost" };
  }
  return {
    verifiedAt,
    missingSince: missingSince ?? now,
    checkAt,
    problem,
    event: missingSince === null ? "sso_domain_proof_gone" : undefined,
  };
}

/** When a domain whose record is gone stops to count. */
export function findProofEnd(missingSince: Date): Date {
  return after(missingSince, KEPT_WITHOUT_RECORD_MS);
}

export function describeProof({ domain, token, verifiedAt, missingSince, checkedAt, problem }: StoredDomain): DomainProof {
  return {
    domain,
    state: verifiedAt === null ? "waiting" : missingSince === null ? "verified" : "proof_gone",
    record: { name: toRecordName(domain), value: token },
    verified_at: verifiedAt?.toISOString() ?? null,
    checked_at: checkedAt?.toISOString() ?? null,
    ends_at: missingSince === null ? null : findProofEnd(missingSince).toISOString(),
    problem,
  };
}

function inWords({ domain }: StoredDomain, answer: DnsAnswer): string {
  const name = toRecordName(domain);
  if ("failure" in answer) {
    return `DNS did not say what ${name} has (${answer.failure}). Try again in a few minutes.`;
  }
  const [first, ...others] = answer.values;
  if (first === undefined) {
    return `DNS has no TXT record at ${name}. A new record can take an hour until it is seen.`;
  }
  const shown = [first, ...others].slice(0, SHOWN_VALUES).map((value) => `“${plain(value)}”`);
  return `DNS has other TXT records at ${name}, and not this one: ${shown.join(", ")}${answer.values.length > SHOWN_VALUES ? ", …" : ""}.`;
}

/** Anybody may have written it. */
function plain(value: string): string {
  return value
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .slice(0, SHOWN_CHARACTERS)
    .toWellFormed();
}

function after(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() + milliseconds);
}
