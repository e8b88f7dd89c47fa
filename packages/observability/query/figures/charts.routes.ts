import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  changeChartRequestSchema,
  chartListSchema,
  chartSchema,
  createChartRequestSchema,
  orderChartsRequestSchema,
  type Chart,
} from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import type { InProject, OneInProject } from "#store/reader.ts";
import { changeChart, deleteChart, findChart, insertChart, listCharts, MAX_CHARTS, orderCharts, type ChartRow } from "./charts.store.ts";

const config = { auth: "user" };
const oneParams = projectParams.extend({ chart_id: z.uuid() });

/** Charts that people put on a project's dashboard, for everybody who sees the project. */
export function chartRoutes({ query }: Pick<RouteDependencies, "query">) {
  const load = async (chosen: OneInProject): Promise<ChartRow> => orRefuse(await findChart(query, chosen), chartNotFound);
  const list = async (project: InProject) => ({ items: (await listCharts(query, project)).map(present), next_cursor: null });

  /** @throws {AppError} 404 or 403 when they may not change it. */
  async function enterChart(request: Parameters<typeof enterProject>[1] & { readonly params: { readonly chart_id: string } }) {
    const chosen = { ...(await enterProject(query, request, "editor")), id: request.params.chart_id };
    if (!(await load(chosen)).can_change) {
      throw notYourChart();
    }
    return chosen;
  }

  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/charts";

    server.get(
      path,
      {
        config,
        schema: { summary: "Charts of a project's dashboard, in their order", params: projectParams, response: { 200: chartListSchema } },
      },
      async (request) => list(await enterProject(query, request, "viewer")),
    );

    server.post(
      path,
      {
        config,
        schema: {
          summary: "Put a chart on a project's dashboard, behind the others",
          params: projectParams,
          body: createChartRequestSchema,
          response: { 201: chartSchema },
        },
      },
      async (request, reply) => {
        const { by, ...fields } = request.body;
        readListTerms({ q: fields.query });
        const chosen = { ...(await enterProject(query, request, "editor")), id: uuidv7() };
        if (!(await insertChart(query, { ...fields, grouped_by: by, ...chosen }))) {
          throw tooManyCharts();
        }
        return reply.status(201).send(present(await load(chosen)));
      },
    );

    server.put(
      `${path}/order`,
      {
        config,
        schema: {
          summary: "Order the charts of a project's dashboard",
          params: projectParams,
          body: orderChartsRequestSchema,
          response: { 200: chartListSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        await orderCharts(query, project, request.body.ids);
        return list(project);
      },
    );

    server.patch(
      `${path}/:chart_id`,
      {
        config,
        schema: {
          summary: "Change a chart: its author, or an owner of the project",
          params: oneParams,
          body: changeChartRequestSchema,
          response: { 200: chartSchema },
        },
      },
      async (request) => {
        const { by, ...fields } = request.body;
        readListTerms({ q: fields.query });
        const chosen = await enterChart(request);
        const given = { ...fields, grouped_by: by };
        await changeChart(query, chosen, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
        return present(await load(chosen));
      },
    );

    server.delete(
      `${path}/:chart_id`,
      {
        config,
        schema: { summary: "Delete a chart: its author, or an owner of the project", params: oneParams, response: { 204: z.null() } },
      },
      async (request, reply) => {
        await deleteChart(query, await enterChart(request));
        return reply.status(204).send(null);
      },
    );
  };
}

function present({ grouped_by: by, changed_at: changedAt, ...chart }: ChartRow): Chart {
  return { ...chart, by, changed_at: changedAt.toISOString() };
}

const chartNotFound = () => refusal(404, "chart_not_found", "There is no such chart. GET …/charts lists the project's.");

const notYourChart = () =>
  refusal(403, "not_your_chart", "Only its author or an owner of the project changes a chart. Make one of your own.");

const tooManyCharts = () => refusal(409, "too_many_charts", `The project has ${MAX_CHARTS} charts, which is the most. Delete some.`);
