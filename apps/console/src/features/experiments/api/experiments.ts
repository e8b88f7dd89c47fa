import {
  type Experiment,
  experimentComparisonSchema,
  experimentItemPageSchema,
  experimentPageSchema,
  experimentSchema,
  gateSchema,
  nextPairSchema,
  nodesSchema,
  type PreferRequest,
  preferencesSchema,
} from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

const PAGE = 50;
/** How soon runs that are reported are seen. */
export const REFRESH_MS = 5_000;

const experimentsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/experiments`;
const pathOf = (projectId: string, id: string) => experimentsOf(projectId) + encoded`/${id}`;
export const experimentsKey = (projectId: string) => ["projects", projectId, "experiments"] as const;

export function experimentsQuery(projectId: string, asked: { readonly dataset_id?: string; readonly branch?: string }) {
  return {
    ...pageByPage(
      [...experimentsKey(projectId), asked],
      observability.get(experimentsOf(projectId), { query: { ...asked, limit: PAGE }, answer: experimentPageSchema }),
    ),
    refetchInterval: REFRESH_MS,
  };
}

/** What it is compared with: an experiment, a branch, or what the server chooses. */
type Compared = { readonly baseline?: string; readonly margin?: string };

export function comparisonQuery(projectId: string, id: string, compared: Compared) {
  return queryOptions({
    queryKey: [...experimentsKey(projectId), id, "comparison", compared],
    queryFn: answerTo(
      observability.get(`${pathOf(projectId, id)}/comparison`, { query: { ...compared }, answer: experimentComparisonSchema }),
    ),
    // Another baseline does not take the page away.
    placeholderData: keepPreviousData,
  });
}

export function nodesQuery(projectId: string, id: string, baseline: string) {
  return queryOptions({
    queryKey: [...experimentsKey(projectId), id, "nodes", baseline],
    queryFn: answerTo(observability.get(`${pathOf(projectId, id)}/nodes`, { query: { baseline }, answer: nodesSchema })),
  });
}

export function gateQuery(projectId: string, id: string, compared: Compared) {
  return queryOptions({
    queryKey: [...experimentsKey(projectId), id, "gate", compared],
    queryFn: answerTo(observability.get(`${pathOf(projectId, id)}/gate`, { query: { ...compared }, answer: gateSchema })),
  });
}

export const cancelExperiment = (projectId: string, id: string) =>
  observability.post(`${pathOf(projectId, id)}/finish`, { body: { state: "cancelled" }, answer: experimentSchema });

export type ItemsAsked = { readonly baseline?: string; readonly score?: string; readonly only: string };

const itemsCall = (projectId: string, id: string, asked: ItemsAsked) =>
  observability.get(`${pathOf(projectId, id)}/items`, { query: { ...asked, limit: PAGE }, answer: experimentItemPageSchema });

/** `runs`: how far the experiment is; with more of them the items are asked for again, and those that are shown stay until they are there. */
export function comparedItemsQuery(projectId: string, id: string, asked: ItemsAsked, runs: Experiment["runs"]) {
  const items = pageByPage([...experimentsKey(projectId), id, "items", asked, runs], itemsCall(projectId, id, asked));
  return { ...items, placeholderData: keepPreviousData };
}

/** The same items as CSV. */
export const itemsFile = (projectId: string, id: string, asked: ItemsAsked) =>
  ({
    part: "observability",
    path: `${pathOf(projectId, id)}/items/export`,
    query: { ...asked, format: "csv" },
    accept: "text/csv",
  }) as const;

/** Two experiments of which outputs are preferred. */
export type PairOf = { readonly projectId: string; readonly id: string; readonly baseline: string };

const preferencesPath = ({ projectId, id }: PairOf) => `${pathOf(projectId, id)}/preferences`;
export const preferencesKey = ({ projectId, id, baseline }: PairOf) => [...experimentsKey(projectId), id, "preferences", baseline] as const;

export function preferencesQuery(pair: PairOf) {
  const call = observability.get(preferencesPath(pair), { query: { baseline: pair.baseline }, answer: preferencesSchema });
  return queryOptions({ queryKey: preferencesKey(pair), queryFn: answerTo(call) });
}

export function nextPairQuery(pair: PairOf) {
  const call = observability.get(`${preferencesPath(pair)}/next`, { query: { baseline: pair.baseline }, answer: nextPairSchema });
  return queryOptions({ queryKey: [...preferencesKey(pair), "next"], queryFn: answerTo(call) });
}

export const prefer = (pair: PairOf, itemId: string, body: PreferRequest) =>
  observability.put(preferencesPath(pair) + encoded`/${itemId}`, { query: { baseline: pair.baseline }, body });
