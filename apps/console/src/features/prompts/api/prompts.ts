import {
  promptPageSchema,
  promptSchema,
  promptUsageListSchema,
  promptVersionPageSchema,
  promptVersionSchema,
  type WritePromptRequest,
  writtenPromptSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, readAllPages } from "#http/queries.ts";

const promptsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/prompts`;
const pathOf = (projectId: string, id: string) => promptsOf(projectId) + encoded`/${id}`;

export const promptsKey = (projectId: string) => ["projects", projectId, "prompts"] as const;

export function promptsQuery(projectId: string) {
  return queryOptions({
    queryKey: [...promptsKey(projectId), "all"],
    queryFn: readAllPages(observability.get(promptsOf(projectId), { answer: promptPageSchema })),
  });
}

export function promptQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...promptsKey(projectId), id],
    queryFn: answerTo(observability.get(pathOf(projectId, id), { answer: promptSchema })),
  });
}

export function promptVersionsQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...promptsKey(projectId), id, "versions"],
    queryFn: answerTo(observability.get(`${pathOf(projectId, id)}/versions`, { answer: promptVersionPageSchema })),
  });
}

export function promptVersionQuery(projectId: string, name: string, version: number) {
  const call = observability.get(`${promptsOf(projectId)}/resolve`, { query: { name, version }, answer: promptVersionSchema });
  return queryOptions({ queryKey: [...promptsKey(projectId), "version", name, version], queryFn: answerTo(call) });
}

export function promptUsageQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...promptsKey(projectId), id, "usage"],
    queryFn: answerTo(observability.get(`${pathOf(projectId, id)}/usage`, { answer: promptUsageListSchema })),
  });
}

export const writePrompt = (projectId: string, body: WritePromptRequest) =>
  observability.post(promptsOf(projectId), { body, answer: writtenPromptSchema });

export type LabelMove = { readonly label: string; readonly version: number | null };
export const moveLabel = (projectId: string, id: string, body: LabelMove) =>
  observability.put(`${pathOf(projectId, id)}/labels`, { body, answer: promptSchema });

export const deletePrompt = (projectId: string, id: string) => observability.delete(pathOf(projectId, id));
