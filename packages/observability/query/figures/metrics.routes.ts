import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Kysely } from "kysely";
import { z } from "zod";
import { EMPTY_POINT, metricsPointSchema, metricsRequestSchema, metricsSchema, type MetricsPoint } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countPendingHours, readGroups, readSeries, readTotal, type Figures } from "./metrics.store.ts";
import { getReader } from "#query/access/request-reader.ts";
import { requireRole } from "#query/access/project-route.ts";
import { STEPS, toWholeHours } from "./whole-hours.ts";

type MetricsOptions = { readonly query: Kysely<ObservabilitySchema>; readonly clock: Clock };

/** Serves counts, failures, durations, tokens and cost over time, from figures that are counted by the hour. */
export function metricsRoutes({ query, clock }: MetricsOptions) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/metrics",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Counts, failures, durations, tokens and cost over time",
          params: z.object({ project_id: z.uuid() }),
          querystring: metricsRequestSchema,
          response: { 200: metricsSchema },
        },
      },
      async (request) => {
        const { step, by, kind, name, model, ...range } = request.query;
        const projectId = request.params.project_id;
        const { from, to } = toWholeHours({ ...range, step }, clock.now());
        const reader = getReader(request);
        await requireRole(query, { id: projectId, reader, role: "viewer" });
        const filter = { projectId, reader, from, to, kind, name, model };
        // Read first, so that what is counted meanwhile is reported as pending rather than missed.
        const { pending, uncounted, since } = await countPendingHours(query, filter);
        const [total, series] = [await readTotal(query, filter), await readSeries(query, filter, STEPS[step].hours)];
        const groups = by === undefined ? [] : await readGroups(query, filter, by);
        return {
          from: from.toISOString(),
          to: to.toISOString(),
          step,
          pending_hours: pending,
          uncounted_hours: uncounted,
          uncounted_since: since?.toISOString() ?? null,
          total: toPoint(total),
          series: [...Map.groupBy(series, ({ time }) => time.getTime())].map(([time, rows]) => ({
            time: new Date(time).toISOString(),
            ...toPoint(rows),
          })),
          groups: [...Map.groupBy(groups, ({ key }) => key ?? "")].map(([key, rows]) => ({ key, ...toPoint(rows) })),
        };
      },
    );
  };
}

function toPoint(rows: readonly Figures[]): MetricsPoint {
  const [traces, observations] = [rows.find((row) => row.is_trace), rows.find((row) => !row.is_trace)];
  return metricsPointSchema.parse({
    ...EMPTY_POINT,
    ...observations,
    traces: traces ?? EMPTY_POINT.traces,
    observations: observations ?? EMPTY_POINT.observations,
  });
}
