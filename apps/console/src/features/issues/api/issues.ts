import {
  type ChangeIssueRequest,
  type ListIssuesRequest,
  issueDetailSchema,
  issuePageSchema,
  issueTracePageSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

const PAGE = 50;
const REFRESH_MS = 30_000;

const issuesOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/issues`;
const pathOf = (projectId: string, id: string) => issuesOf(projectId) + encoded`/${id}`;

export const issuesKey = (projectId: string) => ["projects", projectId, "issues"] as const;

export function issuesQuery(projectId: string, asked: Pick<ListIssuesRequest, "state" | "sort">) {
  return {
    ...pageByPage(
      [...issuesKey(projectId), asked],
      observability.get(issuesOf(projectId), { query: { ...asked, limit: PAGE }, answer: issuePageSchema }),
    ),
    refetchInterval: REFRESH_MS,
  };
}

export function issueQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...issuesKey(projectId), id],
    queryFn: answerTo(observability.get(pathOf(projectId, id), { answer: issueDetailSchema })),
  });
}

export function issueTracesQuery(projectId: string, id: string) {
  return pageByPage(
    [...issuesKey(projectId), id, "traces"],
    observability.get(`${pathOf(projectId, id)}/traces`, { query: { limit: PAGE }, answer: issueTracePageSchema }),
  );
}

/** @returns the issue that the trace is of then. */
export const splitIssue = (projectId: string, id: string, traceId: string) =>
  observability.post(`${pathOf(projectId, id)}/split`, { body: { trace_id: traceId }, answer: issueDetailSchema });

export const changeIssue = (projectId: string, id: string, body: ChangeIssueRequest) =>
  observability.patch(pathOf(projectId, id), { body, answer: issueDetailSchema });
