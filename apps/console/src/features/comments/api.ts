import { type CommentSubject, commentPageSchema, commentSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { readAllPages } from "#http/queries.ts";

const commentsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/comments`;
const commentOf = (projectId: string, id: string) => commentsOf(projectId) + encoded`/${id}`;
const commentsKey = (projectId: string, within: string) => ["projects", projectId, "comments", within] as const;

const REFRESH_MS = 30_000;

/** All on a trace with its steps and scores, on a dataset's items or on an experiment's runs, the newest first. */
export function commentsQuery(projectId: string, within: string) {
  const call = observability.get(commentsOf(projectId), { query: { within_id: within }, answer: commentPageSchema });
  return queryOptions({ queryKey: commentsKey(projectId, within), queryFn: readAllPages(call), refetchInterval: REFRESH_MS });
}

export const writeComment = (projectId: string, body: CommentSubject & { readonly text: string }) =>
  observability.post(commentsOf(projectId), { body, answer: commentSchema });
export const changeComment = (projectId: string, id: string, text: string) =>
  observability.patch(commentOf(projectId, id), { body: { text }, answer: commentSchema });
export const deleteComment = (projectId: string, id: string) => observability.delete(commentOf(projectId, id));
