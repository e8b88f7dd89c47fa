import { type ChartMeasure, metricsSchema, traceFiguresSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";
import type { AskedRange } from "./asked-range.ts";

const REFRESH_MS = 30_000;

export type GroupsQuestion = { readonly by?: "kind" | "name" | "model" | "status" | "trace"; readonly kind?: "node" | "tool" | "llm" };

/** A project's figures over a time, and groups of them where asked for. */
export function metricsQuery(projectId: string, { from, to, step }: AskedRange, { by, kind }: GroupsQuestion = {}) {
  const query = { from, to, step, by, kind };
  return queryOptions({
    queryKey: ["metrics", projectId, from, to, step, by, kind],
    queryFn: answerTo(observability.get(encoded`/api/v1/projects/${projectId}/metrics`, { query, answer: metricsSchema })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

type FiguresQuestion = {
  readonly q: string;
  /** A field of the query. */
  readonly by?: string | undefined;
  readonly top?: ChartMeasure;
  readonly groups?: number;
};

/** Figures of the traces that a query finds, and of groups of them. */
export function traceFiguresQuery(projectId: string, { from, to, step }: AskedRange, { q, by, top, groups }: FiguresQuestion) {
  const query = { from, to, step, q, by, top, groups };
  return queryOptions({
    queryKey: ["trace figures", projectId, from, to, step, q, by, top, groups],
    queryFn: answerTo(observability.get(encoded`/api/v1/projects/${projectId}/traces/figures`, { query, answer: traceFiguresSchema })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}
