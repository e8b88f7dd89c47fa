import type { Clock } from "@sightline/foundation/clock";
import { refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Kysely } from "kysely";
import { z } from "zod";
import { EMPTY_POINT, metricsPointSchema, metricsRequestSchema, metricsSchema, type MetricsPoint } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countPendingHours, readGroups, readSeries, readTotal, type Figures } from "./metrics.store.ts";
import { readerOf } from "#query/access/reader-of.ts";
import { requireRole } from "#query/access/project-route.ts";

type MetricsOptions = { readonly query: Kysely<ObservabilitySchema>; readonly clock: Clock };

const HOUR_MS = 3_600_000;
/** The range of years that ISO 8601 writes with four digits. */
const [FIRST_TIME, LAST_TIME] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59Z")];
const STEPS = { hour: { hours: 1, daysMax: 31 }, day: { hours: 24, daysMax: 732 } } as const;

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
        const { step, by, kind, name, model, ...asked } = request.query;
        const projectId = request.params.project_id;
        const { from, to } = rangeOf(asked, clock.now(), STEPS[step].daysMax);
        const reader = readerOf(request);
        await requireRole(query, { id: projectId, reader, role: "viewer" });
        const filter = { projectId, reader, from, to, kind, name, model };
        // Read first, so that what is counted meanwhile is reported as pending rather than missed.
        const pending = await countPendingHours(query, filter);
        const [total, series] = [await readTotal(query, filter), await readSeries(query, filter, STEPS[step].hours)];
        const groups = by === undefined ? [] : await readGroups(query, filter, by);
        return {
          from: from.toISOString(),
          to: to.toISOString(),
          step,
          pending_hours: pending,
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

type Asked = { readonly from?: string | undefined; readonly to?: string | undefined };

function rangeOf(asked: Asked, now: Date, daysMax: number): { readonly from: Date; readonly to: Date } {
  const end = asked.to === undefined ? now : new Date(asked.to);
  const to = new Date(Math.ceil(end.getTime() / HOUR_MS) * HOUR_MS);
  const start = asked.from === undefined ? to.getTime() - 24 * HOUR_MS : Date.parse(asked.from);
  const from = new Date(Math.floor(start / HOUR_MS) * HOUR_MS);
  const days = (to.getTime() - from.getTime()) / (24 * HOUR_MS);
  if (!(days > 0 && days <= daysMax) || from.getTime() < FIRST_TIME || to.getTime() > LAST_TIME) {
    throw refusal(400, "invalid_request", `from must be before to, by ${daysMax} days at the most for this step.`, {
      details: [{ path: "from", message: `is not within ${daysMax} days before to` }],
    });
  }
  return { from, to };
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
