import { type listDeadLettersRequestSchema, deadLetterPageSchema, deadLetterSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

export type DeadLetterState = z.output<typeof listDeadLettersRequestSchema>["state"];

/** The beginning of the key of everything that is known of a project's dead letters. */
export const deadLettersKey = (projectId: string) => ["projects", projectId, "dead letters"] as const;

const DEAD_LETTERS = "/api/v1/dead-letters";
const PAGE_SIZE = 50;
const EVERY_MS = 15_000;
const pathOf = (id: string) => DEAD_LETTERS + encoded`/${id}`;

/** Newest first. */
export function deadLettersQuery(projectId: string, state: DeadLetterState) {
  const query = { project_id: projectId, state, limit: PAGE_SIZE };
  return {
    ...pageByPage([...deadLettersKey(projectId), "list", state], observability.get(DEAD_LETTERS, { query, answer: deadLetterPageSchema })),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  };
}

/** One of them, with up to a million characters of its entry. */
export function deadLetterQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...deadLettersKey(projectId), "one", id],
    queryFn: answerTo(observability.get(pathOf(id), { answer: deadLetterSchema })),
  });
}

export const replayDeadLetter = (id: string) => observability.post(`${pathOf(id)}/replay`, { answer: deadLetterSchema });

export const deleteDeadLetter = (id: string) => observability.delete(pathOf(id), { answer: deadLetterSchema });
