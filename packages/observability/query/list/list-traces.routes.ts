import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { listTracesRequestSchema, tracePageSchema, type ListedTrace, sortOrderSchema, traceSortSchema } from "#contract.ts";
import { listEntries, type EntryRow, type ListedEntries, type ListOptions, type EntryPosition, type Sort } from "./list-traces.store.ts";
import { pickTraceNumbers } from "#step-numbers.ts";
import { toTracePurpose } from "#trace-purpose.ts";
import { countCommentsOfTraces } from "#store/comments.store.ts";
import { countLostEvents } from "#query/steps/lost-events.store.ts";
import { presentLabels } from "#query/steps/present-labels.ts";
import { UNKNOWN_NAME } from "#query/steps/present-step.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { findTexts } from "./found-texts.store.ts";
import { orTooSlow } from "./trace-query.errors.ts";
import { readListTerms } from "./list-terms.ts";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { microsSchema } from "#query/access/cursor.ts";

type Sorting = { readonly sort: Sort; readonly order: "asc" | "desc" };

const whole = z.string().regex(/^\d{1,18}$/);
const real = z.string().regex(/^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?$/);
const VALUES: Readonly<Record<Sort, z.ZodType<string | null>>> = {
  started: z.null(),
  duration: real.nullable(),
  cost: real.nullable(),
  tokens: whole.nullable(),
  errors: whole,
};

/** @throws {AppError} 400 `invalid_cursor`, also when it is of a list in another order. */
export function parseEntryCursor(cursor: string | undefined, { sort, order }: Sorting): EntryPosition | undefined {
  if (cursor === undefined) {
    return undefined;
  }
  const schema = z.tuple([traceSortSchema.extract([sort]), sortOrderSchema.extract([order]), VALUES[sort], microsSchema, z.uuid()]);
  const [, , value, micros, id] = fromCursor(cursor, schema);
  return { value, micros, id };
}

export function formatEntryCursor({ sort, order }: Sorting, position: EntryPosition | undefined): string | null {
  return position === undefined ? null : toCursor([sort, order, position.value, position.micros, position.id]);
}

export function listTraceRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Traces of a project: filtered by a query, sorted, newest first; also by an API key with the scope read",
          params: projectParams,
          querystring: listTracesRequestSchema,
          response: { 200: tracePageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, sort, order } = request.query;
        const after = parseEntryCursor(cursor, { sort, order });
        const terms = readListTerms(request.query);
        const { reader, projectId } = await enterProject(query, request, "viewer");
        const { rows, next, isCounting, isCostPending } = await list({
          projectId,
          reader,
          terms,
          now: clock.now(),
          sort,
          order,
          after,
          limit,
        });
        const lost = await countLostEvents(query, projectId, rows);
        const { search, found } = await findTexts(query, { projectId, terms, entries: rows });
        const ids = rows.map((row) => row.id);
        const comments = await countCommentsOfTraces(query, { reader, projectId }, ids);
        return {
          items: rows.map((row) => ({ ...presentEntry(row, lost), found: found.get(row.id) ?? null, comments: comments.get(row.id) ?? 0 })),
          next_cursor: formatEntryCursor({ sort, order }, next),
          is_counting: isCounting,
          is_cost_pending: isCostPending,
          search,
        };
      },
    );
  };

  async function list(options: ListOptions): Promise<ListedEntries> {
    try {
      return await listEntries(query, options);
    } catch (error) {
      throw orTooSlow(error);
    }
  }
}

const MAX_TAGS = 10;

export function presentEntry(row: EntryRow, lost: ReadonlyMap<string, number>): ListedTrace {
  return {
    id: row.id,
    name: row.name ?? UNKNOWN_NAME,
    status: row.status,
    started_at: row.sort_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    waiting_ms: row.waiting_ms,
    ...pickTraceNumbers(row),
    observations: row.steps,
    failures: row.failures,
    lost_events: lost.get(row.id) ?? 0,
    thread_id: row.thread_id,
    session_id: row.session_id,
    user_id: row.user_id,
    purpose: toTracePurpose(row.purpose),
    models: [...row.models],
    input: row.input,
    output: row.output,
    ...presentLabels(row.labels, MAX_TAGS),
    error: row.error,
    scores: row.scores.map((score) => ({ ...score })),
  };
}
