import { type PutScoreConfigRequest, scoreConfigListSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";

const configsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/score-configs`;

/** The project's score configs, by name. */
export function scoreConfigsQuery(projectId: string) {
  return queryOptions({
    queryKey: ["score configs", projectId],
    queryFn: answerTo(observability.get(configsOf(projectId), { answer: onlyItems(scoreConfigListSchema) })),
    staleTime: 60_000,
  });
}

export const putScoreConfig = (projectId: string, body: PutScoreConfigRequest) => observability.put(configsOf(projectId), { body });
export const deleteScoreConfig = (projectId: string, name: string) => observability.delete(configsOf(projectId), { query: { name } });
