import {
  type AlertRule,
  type ChangeAlertRuleRequest,
  type CreateAlertChannelRequest,
  type CreatedAlertChannel,
  type CreateAlertRuleRequest,
  type TestedAlertChannel,
  alertChannelListSchema,
  alertEventPageSchema,
  alertRuleListSchema,
  alertRuleSchema,
  createdAlertChannelSchema,
  projectSchema,
  testedAlertChannelSchema,
} from "@sightline/observability/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";

const REFRESH_MS = 15_000;
const PAGE = 20;

export function alertsKey(projectId: string) {
  return ["projects", projectId, "alerts"] as const;
}

export function alertRulesQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: [...alertsKey(projectId), "rules"],
    queryFn: async ({ signal }) =>
      (await api.request({ part: "observability", path: pathOf(projectId, "alert-rules"), answer: alertRuleListSchema, signal })).items,
    refetchInterval: REFRESH_MS,
  });
}

export function alertChannelsQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: [...alertsKey(projectId), "channels"],
    queryFn: async ({ signal }) =>
      (await api.request({ part: "observability", path: pathOf(projectId, "alert-channels"), answer: alertChannelListSchema, signal }))
        .items,
  });
}

export function alertEventsQuery(api: Api, projectId: string) {
  return infiniteQueryOptions({
    queryKey: [...alertsKey(projectId), "events"],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "observability",
        path: pathOf(projectId, "alert-events"),
        query: { cursor: pageParam, limit: PAGE },
        answer: alertEventPageSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
  });
}

/** What the viewer may do here. */
export function alertProjectQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId],
    queryFn: ({ signal }) =>
      api.request({ part: "observability", path: `/api/v1/projects/${encodeURIComponent(projectId)}`, answer: projectSchema, signal }),
  });
}

/** Made without an id, changed with one. */
export function saveRule(api: Api, projectId: string, id: string | undefined, body: CreateAlertRuleRequest): Promise<AlertRule> {
  const path = pathOf(projectId, "alert-rules", id);
  return api.request({ part: "observability", method: id === undefined ? "POST" : "PATCH", path, body, answer: alertRuleSchema });
}

export async function changeRule(api: Api, projectId: string, id: string, body: ChangeAlertRuleRequest): Promise<void> {
  await api.request({
    part: "observability",
    method: "PATCH",
    path: pathOf(projectId, "alert-rules", id),
    body,
    answer: alertRuleSchema,
  });
}

export async function deleteRule(api: Api, projectId: string, id: string): Promise<void> {
  await api.request({ part: "observability", method: "DELETE", path: pathOf(projectId, "alert-rules", id), answer: z.unknown() });
}

/** The answer is not kept in any cache: it is the only one with the secret. */
export function createChannel(api: Api, projectId: string, body: CreateAlertChannelRequest): Promise<CreatedAlertChannel> {
  return api.request({
    part: "observability",
    method: "POST",
    path: pathOf(projectId, "alert-channels"),
    body,
    answer: createdAlertChannelSchema,
  });
}

export async function deleteChannel(api: Api, projectId: string, id: string): Promise<void> {
  await api.request({ part: "observability", method: "DELETE", path: pathOf(projectId, "alert-channels", id), answer: z.unknown() });
}

export function testChannel(api: Api, projectId: string, id: string): Promise<TestedAlertChannel> {
  const path = `${pathOf(projectId, "alert-channels", id)}/test`;
  return api.request({ part: "observability", method: "POST", path, body: {}, answer: testedAlertChannelSchema });
}

function pathOf(projectId: string, list: string, id?: string): string {
  return `/api/v1/projects/${encodeURIComponent(projectId)}/${list}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
}
