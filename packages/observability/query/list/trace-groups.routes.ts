import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { formatTraceQuery, listTraceGroupsRequestSchema, traceGroupPageSchema, type TraceGroup } from "#contract.ts";
import { listGroups, type GroupRow, type GroupSort } from "./trace-groups.store.ts";
import { microsSchema } from "#query/access/cursor.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";

type Field = "session" | "user";

const whole = z.string().regex(/^\d{1,18}$/);
const POSITIONS: Readonly<Record<GroupSort, z.ZodType<string>>> = {
  last: microsSchema,
  traces: whole,
  failures: whole,
  tokens: z.string().regex(/^\d{1,40}$/),
  cost: z.string().regex(/^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?$/),
};

export function traceGroupRoutes({ query }: Pick<RouteDependencies, "query">) {
  return (server: HttpServer): void => {
    for (const [path, field, summary] of [
      ["sessions", "session", "Sessions of a project with what their traces are together"],
      ["users", "user", "Users of a project's application with what their traces are together"],
    ] as const) {
      server.get(
        `/api/v1/projects/:project_id/${path}`,
        {
          config: { auth: "user-or-key" },
          schema: {
            summary,
            params: projectParams,
            querystring: listTraceGroupsRequestSchema,
            response: { 200: traceGroupPageSchema },
          },
        },
        async (request) => {
          const { prefix, sort, cursor, limit } = request.query;
          const after = cursor === undefined ? undefined : afterOf(cursor, sort);
          const { reader, projectId } = await enterProject(query, request, "viewer");
          const { rows, isCounted, isCostPending } = await listGroups(query, {
            projectId,
            reader,
            field,
            prefix,
            sort,
            after,
            limit: limit + 1,
          });
          const last = rows.length > limit ? rows[limit - 1] : undefined;
          return {
            items: rows.slice(0, limit).map((row) => presentGroup(row, field)),
            next_cursor: last === undefined ? null : toCursor([sort, last.position, last.id]),
            is_counting: !isCounted,
            is_cost_pending: isCostPending,
          };
        },
      );
    }
  };
}

function afterOf(cursor: string, sort: GroupSort) {
  const [, position, id] = fromCursor(cursor, z.tuple([z.literal(sort), POSITIONS[sort], z.string().max(400)]));
  return { position, id };
}

export function presentGroup({ position: _position, first_at: firstAt, last_at: lastAt, ...row }: GroupRow, field: Field): TraceGroup {
  const values = [{ text: row.id, isPattern: false }];
  return {
    ...row,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
    q: formatTraceQuery([{ kind: "text", field, values, isNegated: false }]),
  };
}
