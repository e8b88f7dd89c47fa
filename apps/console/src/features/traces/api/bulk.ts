import {
  MAX_BULK_TRACES,
  type ScoreTracesRequest,
  type TagTracesRequest,
  bulkAnswerSchema,
  tracePageSchema,
} from "@sightline/observability/contract";
import type { Api } from "#http/api.ts";
import { encoded, observability } from "#http/calls.ts";

/** Traces of the list: those that were ticked, or the newest that a query finds. */
export type Choice = { readonly count: number } & ({ readonly ids: readonly string[] } | { readonly q: string });

/** The most of those that a query finds; they are changed batch by batch while somebody waits. */
export const MAX_MATCHING = 10_000;

/** The ids of a choice, as many at a time as can be changed at once. Those that begin meanwhile are not among them. */
export async function* readBatches(api: Pick<Api, "request">, projectId: string, choice: Choice): AsyncGenerator<readonly string[]> {
  if ("ids" in choice) {
    yield choice.ids;
    return;
  }
  const q = `${choice.q} started:<${new Date().toISOString()}`.trim();
  let cursor: string | null | undefined;
  for (let left = choice.count; left > 0 && cursor !== null;) {
    const query = { q, cursor, limit: Math.min(left, MAX_BULK_TRACES) };
    const page = await api.request(observability.get(tracesOf(projectId), { query, answer: tracePageSchema }));
    if (page.items.length > 0) {
      yield page.items.map(({ id }) => id);
    }
    left -= page.items.length;
    cursor = page.next_cursor;
  }
}

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

/** The queries that are out of date once traces that stay were changed. */
export const keysOfKept = (projectId: string) => [
  ...keysOfTraces(projectId),
  ...["trace digest", "scores", "score names"].map((name) => [name, projectId]),
];
