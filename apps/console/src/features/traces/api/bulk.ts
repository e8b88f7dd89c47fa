import { type ScoreTracesRequest, type TagTracesRequest, bulkAnswerSchema } from "@sightline/observability/contract";
import { encoded, observability } from "#http/calls.ts";

const tracesOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/traces`;

export const tagTraces = (projectId: string, body: TagTracesRequest) =>
  observability.post(`${tracesOf(projectId)}/tag`, { body, answer: bulkAnswerSchema });

export const scoreTraces = (projectId: string, body: ScoreTracesRequest) =>
  observability.post(`${tracesOf(projectId)}/score`, { body, answer: bulkAnswerSchema });

export const deleteTraces = (projectId: string, ids: readonly string[]) =>
  observability.post(`${tracesOf(projectId)}/delete`, { body: { trace_ids: ids }, answer: bulkAnswerSchema });

/** What a change of many traces makes out of date. */
export const keysOfTraces = (projectId: string) =>
  ["traces", "trace histogram", "facets", "trace figures", "metrics"].map((name) => [name, projectId]);
