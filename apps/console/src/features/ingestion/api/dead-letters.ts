import {
  type DeadLetter,
  type FixDeadLetterRequest,
  type listDeadLettersRequestSchema,
  deadLetterPageSchema,
  deadLetterSchema,
} from "@sightline/observability/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { Api } from "#http/api.ts";

export type LetterState = z.output<typeof listDeadLettersRequestSchema>["state"];

/** The beginning of the key of everything that is known of a project's dead letters. */
export const lettersKey = (projectId: string) => ["projects", projectId, "dead letters"] as const;

const LETTERS = "/api/v1/dead-letters";
const PAGE_SIZE = 50;
const EVERY_MS = 15_000;

/** Newest first. */
export function deadLettersQuery(api: Api, projectId: string, state: LetterState) {
  return infiniteQueryOptions({
    queryKey: [...lettersKey(projectId), "list", state],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: LETTERS,
        query: { project_id: projectId, state, cursor: pageParam, limit: PAGE_SIZE },
        answer: deadLetterPageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}

/** One of them, with up to a million characters of its entry. */
export function deadLetterQuery(api: Api, projectId: string, id: string) {
  return queryOptions({
    queryKey: [...lettersKey(projectId), "one", id],
    queryFn: ({ signal }) => api.request({ part: "observability", path: pathOf(id), answer: deadLetterSchema, signal }),
  });
}

export function fixDeadLetter(api: Api, id: string, fields: FixDeadLetterRequest["fields"]): Promise<DeadLetter> {
  return api.request({ part: "observability", method: "PATCH", path: pathOf(id), body: { fields }, answer: deadLetterSchema });
}

export function replayDeadLetter(api: Api, id: string): Promise<DeadLetter> {
  return api.request({ part: "observability", method: "POST", path: `${pathOf(id)}/replay`, answer: deadLetterSchema });
}

export function deleteDeadLetter(api: Api, id: string): Promise<DeadLetter> {
  return api.request({ part: "observability", method: "DELETE", path: pathOf(id), answer: deadLetterSchema });
}

function pathOf(id: string): string {
  return `${LETTERS}/${encodeURIComponent(id)}`;
}
