import { deadLetterPageSchema, gapPageSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

const EVERY_MS = 30_000;
const MAX_INCIDENTS = 100;

/** The newest lost events of all projects that the viewer may see. */
export const allGapsQuery = queryOptions({
  queryKey: ["incidents", "gaps"],
  queryFn: answerTo(observability.get("/api/v1/gaps", { query: { limit: MAX_INCIDENTS }, answer: gapPageSchema })),
  refetchInterval: EVERY_MS,
});

/** The newest open dead letters of all projects that the viewer owns. */
export const allDeadLettersQuery = queryOptions({
  queryKey: ["incidents", "dead letters"],
  queryFn: answerTo(
    observability.get("/api/v1/dead-letters", { query: { state: "open", limit: MAX_INCIDENTS }, answer: deadLetterPageSchema }),
  ),
  refetchInterval: EVERY_MS,
});
