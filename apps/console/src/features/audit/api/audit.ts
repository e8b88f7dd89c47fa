import { type AuditVerification, auditPageSchema, auditVerificationSchema } from "@sightline/identity/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import { type AuditFilter, queryOf } from "#features/audit/audit-filter.ts";

const PAGE_SIZE = 50;

export function auditQuery(api: Api, filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ["audit", queryOf(filter)],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "identity",
        path: "/admin/audit",
        query: { ...queryOf(filter), cursor: pageParam, limit: PAGE_SIZE },
        answer: auditPageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

const VERIFICATION_MS = 5 * 60_000;

/** Recomputes the chain of the whole system; the more rows, the longer it takes. */
export function verifyChain(api: Api): Promise<AuditVerification> {
  return api.request({
    part: "identity",
    path: "/admin/audit/verification",
    answer: auditVerificationSchema,
    deadlineMs: VERIFICATION_MS,
  });
}
