import {
  type ChangeAlertRuleRequest,
  type CreateAlertChannelRequest,
  type CreateAlertRuleRequest,
  alertChannelListSchema,
  alertEventPageSchema,
  alertRuleListSchema,
  alertRuleSchema,
  createdAlertChannelSchema,
  projectSchema,
  testedAlertChannelSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems, pageByPage } from "#http/queries.ts";

const REFRESH_MS = 15_000;
const PAGE = 20;

const rulesOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/alert-rules`;
const channelsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/alert-channels`;

export const alertsKey = (projectId: string) => ["projects", projectId, "alerts"] as const;

export function alertRulesQuery(projectId: string) {
  return queryOptions({
    queryKey: [...alertsKey(projectId), "rules"],
    queryFn: answerTo(observability.get(rulesOf(projectId), { answer: onlyItems(alertRuleListSchema) })),
    refetchInterval: REFRESH_MS,
  });
}

export function alertChannelsQuery(projectId: string) {
  return queryOptions({
    queryKey: [...alertsKey(projectId), "channels"],
    queryFn: answerTo(observability.get(channelsOf(projectId), { answer: onlyItems(alertChannelListSchema) })),
  });
}

export function alertEventsQuery(projectId: string) {
  const path = encoded`/api/v1/projects/${projectId}/alert-events`;
  return {
    ...pageByPage([...alertsKey(projectId), "events"], observability.get(path, { query: { limit: PAGE }, answer: alertEventPageSchema })),
    refetchInterval: REFRESH_MS,
  };
}

/** What the viewer may do here. */
export function alertProjectQuery(projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId],
    queryFn: answerTo(observability.get(encoded`/api/v1/projects/${projectId}`, { answer: projectSchema })),
  });
}

export const createRule = (projectId: string, body: CreateAlertRuleRequest) =>
  observability.post(rulesOf(projectId), { body, answer: alertRuleSchema });

export const changeRule = (projectId: string, id: string, body: ChangeAlertRuleRequest) =>
  observability.patch(rulesOf(projectId) + encoded`/${id}`, { body, answer: alertRuleSchema });

export const deleteRule = (projectId: string, id: string) => observability.delete(rulesOf(projectId) + encoded`/${id}`);

/** The answer is not kept in any cache: it is the only one with the secret. */
export const createChannel = (projectId: string, body: CreateAlertChannelRequest) =>
  observability.post(channelsOf(projectId), { body, answer: createdAlertChannelSchema });

export const deleteChannel = (projectId: string, id: string) => observability.delete(channelsOf(projectId) + encoded`/${id}`);

export const testChannel = (projectId: string, id: string) =>
  observability.post(channelsOf(projectId) + encoded`/${id}/test`, { body: {}, answer: testedAlertChannelSchema });
