import type { Factor } from "@sightline/identity/contract";
import { useQueries, useQuery, queryOptions } from "@tanstack/react-query";
import { alertChannelsQuery, alertRulesQuery } from "#features/alerts/api/alerts.ts";
import { secondFactorQuery } from "#features/auth/api/second-factor.ts";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { newestTracesQuery } from "#features/traces/api/list-traces.ts";
import { useNow } from "#ui/time/use-now.ts";
import type { QueryResult } from "./steps.ts";
import {
  LATELY,
  alertItems,
  channelItems,
  deadLetterItems,
  gapItems,
  inOrder,
  repositoryItems,
  secondFactorItems,
  traceItems,
} from "./attention-items.ts";
import { pickWatched } from "./watched.ts";
import { deadLetterPageSchema, gapPageSchema } from "@sightline/observability/contract";
import { observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** The newest of a project. */
const FAILURES = { q: `status:failure started:>-${LATELY}`, limit: 20, everyMs: 15_000 };
/** The server evaluates the rules this often. */
const RULES_MS = 60_000;

export type AttentionItems = ReturnType<typeof useAttentionItems>;

type Looking = { readonly isAdmin: boolean; readonly factors: readonly Factor[]; readonly isSecondFactorStep: boolean };

export function useAttentionItems({ isAdmin, factors, isSecondFactorStep }: Looking) {
  const now = useNow();
  const secondFactor = useQuery({ ...secondFactorQuery, enabled: isAdmin });
  const repositories = useQuery(repositoriesQuery);
  const projects = useQuery(projectsQuery);
  const gaps = useQuery(allGapsQuery);
  const deadLetters = useQuery(allDeadLettersQuery);
  const named = projects.data ?? [];
  const watched = pickWatched(named);
  const failures = useQueries({ queries: watched.map(({ id }) => newestTracesQuery(id, FAILURES)) });
  const rules = useQueries({ queries: watched.map(({ id }) => ({ ...alertRulesQuery(id), refetchInterval: RULES_MS })) });
  const channels = useQueries({ queries: watched.map(({ id }) => ({ ...alertChannelsQuery(id), refetchInterval: RULES_MS })) });

  const asked: readonly (readonly [what: string, query: QueryResult<unknown>])[] = [
    ...(isAdmin ? [["your second factor", secondFactor] as const] : []),
    ["repositories", repositories],
    ["projects", projects],
    ["lost events", gaps],
    ["dead letters", deadLetters],
    ...failures.map((query) => ["failed traces", query] as const),
    ...[...rules, ...channels].map((query) => ["alerts", query] as const),
  ];
  return {
    items: inOrder([
      ...(secondFactor.data === undefined ? [] : secondFactorItems(secondFactor.data, { factors, isStep: isSecondFactorStep, now })),
      ...repositoryItems(repositories.data ?? []),
      ...(gaps.data === undefined ? [] : gapItems(gaps.data.items, named, { now, more: gaps.data.next_cursor !== null })),
      ...(deadLetters.data === undefined ? [] : deadLetterItems(deadLetters.data.items, named, deadLetters.data.next_cursor !== null)),
      ...watched.flatMap((project, index) => [
        ...traceItems(project, failures[index]?.data?.items ?? [], failures[index]?.data?.next_cursor !== null),
        ...alertItems(project, rules[index]?.data ?? []),
        ...channelItems(project, channels[index]?.data ?? []),
      ]),
    ]),
    /** Whether an answer is still missing. */
    isLoading: asked.some(([, { data, error }]) => data === undefined && error === null),
    /** Queries that failed, so that nothing is known. */
    unknown: [...new Set(asked.filter(([, { data, error }]) => data === undefined && error !== null).map(([what]) => what))],
  };
}

const EVERY_MS = 30_000;
const MAX_INCIDENTS = 100;

/** The newest lost events of all projects that the viewer may see. */
const allGapsQuery = queryOptions({
  queryKey: ["incidents", "gaps"],
  queryFn: answerTo(observability.get("/api/v1/gaps", { query: { limit: MAX_INCIDENTS }, answer: gapPageSchema })),
  refetchInterval: EVERY_MS,
});

/** The newest open dead letters of all projects that the viewer owns. */
const allDeadLettersQuery = queryOptions({
  queryKey: ["incidents", "dead letters"],
  queryFn: answerTo(
    observability.get("/api/v1/dead-letters", { query: { state: "open", limit: MAX_INCIDENTS }, answer: deadLetterPageSchema }),
  ),
  refetchInterval: EVERY_MS,
});
