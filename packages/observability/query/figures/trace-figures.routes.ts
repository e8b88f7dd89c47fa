import type { HttpServer } from "@sightline/foundation/http/http-server";
import { traceFiguresRequestSchema, traceFiguresSchema, type Figures } from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { orBeingCounted } from "#query/list/trace-query.errors.ts";
import { termsOf } from "#query/list/traces-wanted.ts";
import { NEWEST, readTraceFigures, type TraceFiguresRow } from "./trace-figures.store.ts";
import { STEPS, wholeHoursOf } from "./whole-hours.ts";

/** Serves figures of the traces that a query finds: what counted hours cannot tell, since those know no users, tags or words. */
export function traceFiguresRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/traces/figures",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Counts, failures, durations, tokens and cost of the traces that a query finds, over time and by any of their fields",
          params: projectParams,
          querystring: traceFiguresRequestSchema,
          response: { 200: traceFiguresSchema },
        },
      },
      async (request) => {
        const { step, q, by, top, groups, ...asked } = request.query;
        const { from, to } = wholeHoursOf({ ...asked, step }, clock.now());
        const terms = termsOf({ q });
        const { reader, projectId } = await enterProject(query, request, "viewer");
        const wanted = { projectId, reader, terms, now: clock.now(), from, to, stepHours: STEPS[step].hours, by, top, groups };
        const { rows, isCounted } = await readTraceFigures(query, wanted).catch((error: unknown) => {
          throw orBeingCounted(error);
        });
        const all = rows.filter(({ key }) => key === null);
        const total = all.find(({ time }) => time === null);
        const ofGroups = rows.filter((row): row is TraceFiguresRow & { key: string } => row.key !== null);
        return {
          from: from.toISOString(),
          to: to.toISOString(),
          step,
          is_counting: !isCounted,
          newest: (total?.count ?? 0) < NEWEST ? null : NEWEST,
          total: present(total),
          series: seriesOf(all),
          groups_total: ofGroups[0]?.groups ?? 0,
          groups: [...Map.groupBy(ofGroups, ({ key }) => key)].map(([key, own]) => ({
            key,
            ...present(own.find(({ time }) => time === null)),
            series: seriesOf(own),
          })),
        };
      },
    );
  };
}

function seriesOf(rows: readonly TraceFiguresRow[]) {
  return rows.flatMap((row) => (row.time === null ? [] : [{ time: row.time.toISOString(), ...present(row) }]));
}

function present(row: TraceFiguresRow | undefined): Figures {
  if (row === undefined) {
    throw new Error("Figures of all traces were not answered");
  }
  return {
    traces: { count: row.count, failures: row.failures, ...spreadOf(row.durations, row.mean_duration) },
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cost: row.cost,
    time_to_first_token: spreadOf(row.waits, row.mean_wait),
  };
}

function spreadOf(percentiles: TraceFiguresRow["durations"], mean: number | null) {
  const [p50 = null, p95 = null, p99 = null] = percentiles ?? [];
  return { p50_ms: p50, p95_ms: p95, p99_ms: p99, mean_ms: mean };
}
