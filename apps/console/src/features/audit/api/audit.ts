import { auditPageSchema, auditVerificationSchema } from "@sightline/identity/contract";
import { keepPreviousData } from "@tanstack/react-query";
import { type AuditFilter, toQuery } from "#features/audit/audit-filter.ts";
import { identity } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";

const PAGE_SIZE = 50;

export function auditQuery(filter: AuditFilter) {
  const query = toQuery(filter);
  const call = identity.get("/admin/audit", { query: { ...query, limit: PAGE_SIZE }, answer: auditPageSchema });
  return { ...pageByPage(["audit", query], call), placeholderData: keepPreviousData };
}

const VERIFICATION_MS = 5 * 60_000;

/** Recomputes the chain of the whole system; the more rows, the longer it takes. */
export const verifyChain = identity.get("/admin/audit/verification", { answer: auditVerificationSchema, deadlineMs: VERIFICATION_MS });
