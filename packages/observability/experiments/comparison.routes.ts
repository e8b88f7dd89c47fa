import { Readable } from "node:stream";
import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import type { z } from "zod";
import {
  compareExperimentsRequestSchema,
  compareNodesRequestSchema,
  experimentComparisonSchema,
  experimentItemPageSchema,
  experimentItemsRequestSchema,
  exportComparedItemsRequestSchema,
  gateRequestSchema,
  gateSchema,
  nodesSchema,
  type Gate,
} from "#contract.ts";
import { refuseOtherBranch } from "#query/access/job-limits.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import type { Query } from "#schema.ts";
import type { InProject, OneInProject } from "#store/reader.ts";
import { compareExperimentNodes } from "./compare-experiment-nodes.ts";
import { compareExperiments, resolveBaseline } from "./compare-experiments.ts";
import { experimentNotFound } from "./experiments.errors.ts";
import { experimentParams } from "./experiments.routes.ts";
import { findExperiment, setResult } from "./experiments.store.ts";
import { exportComparedItems } from "./export-compared-items.ts";
import { judgeExperiment } from "./judge-gate.ts";
import { listComparedItems } from "./list-compared-items.ts";

const config = { auth: "user-or-evaluate" };

/** An experiment beside its baseline: verdicts, items, and what a gate says. */
export function comparisonRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/experiments/:experiment_id";

    server.get(
      `${path}/comparison`,
      {
        config,
        schema: {
          summary: "An experiment's scores beside those of a baseline, paired by item",
          params: experimentParams,
          querystring: compareExperimentsRequestSchema,
          response: { 200: experimentComparisonSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        const compared = await compareExperiments(query, {
          ...project,
          experimentId: request.params.experiment_id,
          baseline: undefined,
          ...request.query,
        });
        return compared.shown;
      },
    );

    server.get(
      `${path}/nodes`,
      {
        config,
        schema: {
          summary:
            "Where an experiment's runs go another way than its baseline's: each node that changed, and where failing items begin to differ",
          params: experimentParams,
          querystring: compareNodesRequestSchema,
          response: { 200: nodesSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        return compareExperimentNodes(query, { ...project, experimentId: request.params.experiment_id, baseline: request.query.baseline });
      },
    );

    server.get(
      `${path}/items`,
      {
        config,
        schema: {
          summary: "The items of an experiment with what it and its baseline put out, those that became worse first",
          params: experimentParams,
          querystring: experimentItemsRequestSchema,
          response: { 200: experimentItemPageSchema },
        },
      },
      async (request) => {
        const { baseline: named, score, only, cursor, limit } = request.query;
        const project = await enterProject(query, request, "viewer");
        const { candidate, baseline } = await findCompared(query, { ...project, id: request.params.experiment_id, named });
        return listComparedItems(query, { ...project, candidate, baseline, score, only, cursor, limit });
      },
    );

    server.get(
      `${path}/items/export`,
      {
        config,
        schema: {
          summary: "The same items as a file",
          params: experimentParams,
          querystring: exportComparedItemsRequestSchema,
          response: { 200: streamedAnswer(["application/jsonl", "text/csv"], "One item a line, or CSV.") },
        },
      },
      async (request, reply) => {
        const { baseline: named, score, only, format } = request.query;
        const project = await enterProject(query, request, "viewer");
        const { candidate, baseline } = await findCompared(query, { ...project, id: request.params.experiment_id, named });
        return reply
          .type(format === "csv" ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8")
          .header("content-disposition", `attachment; filename="sightline-experiment-${candidate.id}.${format}"`)
          .header("cache-control", "no-store")
          .send(
            Readable.from(exportComparedItems(query, { ...project, candidate, baseline, score, only }, format), {
              objectMode: true,
              highWaterMark: 1,
            }),
          );
      },
    );

    server.get(
      `${path}/gate`,
      {
        config,
        schema: {
          summary: "Whether an experiment may pass: required items first, then its scores against the baseline",
          params: experimentParams,
          querystring: gateRequestSchema,
          response: { 200: gateSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        return runGate(query, { ...project, experimentId: request.params.experiment_id, ...request.query });
      },
    );

    server.post(
      `${path}/gate`,
      {
        config,
        schema: {
          summary: "The same, and keep the verdict with the experiment, as CI does",
          params: experimentParams,
          querystring: gateRequestSchema,
          response: { 200: gateSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        const { experiment_id: id } = request.params;
        refuseOtherBranch(request, orRefuse(await findExperiment(query, { ...project, id }), experimentNotFound).branch);
        const gate = await runGate(query, { ...project, experimentId: id, ...request.query });
        const { baseline = null } = request.query;
        await setResult(query, { ...project, id }, { gate: { outcome: gate.outcome, baseline, judged_at: clock.now().toISOString() } });
        return gate;
      },
    );
  };
}

type Gating = InProject & z.output<typeof gateRequestSchema> & { readonly experimentId: string };

async function runGate(query: Query, { primary, allow_uncalibrated: allowsUncalibrated, ...wanted }: Gating): Promise<Gate> {
  const compared = await compareExperiments(query, { ...wanted, baseline: wanted.baseline });
  const names = primary?.split(",").map((name) => name.trim());
  return { ...judgeExperiment({ compared, baseline: wanted.baseline, primary: names, allowsUncalibrated }), comparison: compared.shown };
}

async function findCompared(query: Query, { id, named, ...project }: OneInProject & { readonly named: string | undefined }) {
  const candidate = orRefuse(await findExperiment(query, { ...project, id }), experimentNotFound);
  return { candidate, baseline: named === undefined ? [] : await resolveBaseline(query, { ...project, candidate, named }) };
}
