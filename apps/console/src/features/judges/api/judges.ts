import {
  type CreateJudgeRuleRequest,
  type CreateModelConnectionRequest,
  type EvaluatorDefinition,
  type JudgeDetail,
  type JudgementState,
  calibrationSchema,
  estimatedJudgingSchema,
  experimentPageSchema,
  judgeDetailSchema,
  judgeListSchema,
  judgementPageSchema,
  modelConnectionListSchema,
  modelConnectionSchema,
  testedModelConnectionSchema,
  triedEvaluatorSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems, pageByPage } from "#http/queries.ts";

const PAGE = 50;
const BUSY_MS = 3_000;
const QUIET_MS = 30_000;

const connectionsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/model-connections`;
const judgesOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/evaluators`;
const pathOf = (projectId: string, id: string) => judgesOf(projectId) + encoded`/${id}`;

export const connectionsKey = (projectId: string) => ["projects", projectId, "model-connections"] as const;
export const judgesKey = (projectId: string) => ["projects", projectId, "evaluators"] as const;

export function connectionsQuery(projectId: string) {
  return queryOptions({
    queryKey: connectionsKey(projectId),
    queryFn: answerTo(observability.get(connectionsOf(projectId), { answer: onlyItems(modelConnectionListSchema) })),
  });
}

export const createConnection = (projectId: string, body: CreateModelConnectionRequest) =>
  observability.post(connectionsOf(projectId), { body, answer: modelConnectionSchema });
export const deleteConnection = (projectId: string, id: string) => observability.delete(connectionsOf(projectId) + encoded`/${id}`);
export const testConnection = (projectId: string, id: string, model: string) =>
  observability.post(`${connectionsOf(projectId)}${encoded`/${id}`}/test`, { body: { model }, answer: testedModelConnectionSchema });

export function judgesQuery(projectId: string) {
  return queryOptions({
    queryKey: judgesKey(projectId),
    queryFn: answerTo(observability.get(judgesOf(projectId), { answer: onlyItems(judgeListSchema) })),
    refetchInterval: QUIET_MS,
  });
}

/** Asked often as long as something waits to be judged. */
export function judgeQuery(projectId: string, id: string) {
  return queryOptions<JudgeDetail>({
    queryKey: [...judgesKey(projectId), id],
    queryFn: answerTo(observability.get(pathOf(projectId, id), { answer: judgeDetailSchema })),
    refetchInterval: ({ state }) => ((state.data?.counts.waiting ?? 0) > 0 ? BUSY_MS : QUIET_MS),
  });
}

export function calibrationQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...judgesKey(projectId), id, "calibration"],
    queryFn: answerTo(observability.get(`${pathOf(projectId, id)}/calibration`, { answer: calibrationSchema })),
  });
}

export function judgementsQuery(projectId: string, id: string, state: JudgementState | undefined) {
  return {
    ...pageByPage(
      [...judgesKey(projectId), id, "judgements", state],
      observability.get(`${pathOf(projectId, id)}/judgements`, { query: { state, limit: PAGE }, answer: judgementPageSchema }),
    ),
    refetchInterval: QUIET_MS,
  };
}

/** The newest, of which one is to be judged. */
export function newestExperimentsQuery(projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "experiments", "to judge"],
    queryFn: answerTo(
      observability.get(encoded`/api/v1/projects/${projectId}/experiments`, {
        query: { limit: PAGE },
        answer: onlyItems(experimentPageSchema),
      }),
    ),
  });
}

type Draft = { readonly name: string; readonly definition: EvaluatorDefinition };

/** Makes an evaluator, or a version of the one that there is. */
export const saveJudge = (projectId: string, id: string | undefined, { name, definition }: Draft) =>
  id === undefined
    ? observability.post(judgesOf(projectId), { body: { name, definition }, answer: judgeDetailSchema })
    : observability.post(`${pathOf(projectId, id)}/versions`, { body: { definition }, answer: judgeDetailSchema });
export const deleteJudge = (projectId: string, id: string) => observability.delete(pathOf(projectId, id));
export const createRule = (projectId: string, id: string, body: CreateJudgeRuleRequest) =>
  observability.post(`${pathOf(projectId, id)}/rules`, { body });
export const switchRule = (projectId: string, id: string, rule: { readonly id: string; readonly is_active: boolean }) =>
  observability.patch(`${pathOf(projectId, id)}/rules${encoded`/${rule.id}`}`, { body: { is_active: rule.is_active } });
export const makeUp = (projectId: string, id: string, ruleId: string) =>
  observability.post(`${pathOf(projectId, id)}/rules${encoded`/${ruleId}`}/make-up`);
export const estimateJudging = (
  projectId: string,
  body: { readonly definition: EvaluatorDefinition; readonly q: string; readonly size?: number },
) => observability.post(`${judgesOf(projectId)}/estimate`, { body, answer: estimatedJudgingSchema });
export const tryJudge = (projectId: string, definition: EvaluatorDefinition, traceId: string) =>
  observability.post(`${judgesOf(projectId)}/try`, { body: { definition, trace_id: traceId }, answer: triedEvaluatorSchema });
