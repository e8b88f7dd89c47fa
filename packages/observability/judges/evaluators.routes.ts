import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  calibrationSchema,
  createEvaluatorRequestSchema,
  createEvaluatorVersionRequestSchema,
  JUDGEMENT_STATES,
  sourceOf,
  judgeDetailSchema,
  judgeListSchema,
  type Judge,
  type EvaluatorDefinition,
  type JudgeDetail,
  type JudgementCounts,
  type JudgeRule,
} from "#contract.ts";
import { createDemandUsable } from "#checks/demand-usable.ts";
import { findConnection } from "#models/connections.store.ts";
import { connectionNotFound } from "#models/connections.errors.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { Query } from "#schema.ts";
import type { InProject, OneInProject } from "#store/reader.ts";
import { calibrate } from "./calibrate.ts";
import { readSpending } from "./budget.store.ts";
import {
  addVersion,
  deleteEvaluator,
  findEvaluator,
  insertEvaluator,
  listEvaluators,
  listVersions,
  type EvaluatorRow,
} from "./evaluators.store.ts";
import { countJudgements, NONE } from "./judgements.store.ts";
import { evaluatorNotFound, evaluatorNotMade, otherKind } from "./judges.errors.ts";
import { countUndecided, listRules, type RuleRow } from "./rules.store.ts";

export const reading = { auth: "user-or-key" };
export const changing = { auth: "user-or-operator" };
export const evaluatorsPath = "/api/v1/projects/:project_id/evaluators";
export const evaluatorParams = projectParams.extend({ evaluator_id: z.uuid() });

/** Evaluators, and their versions. */
export function evaluatorRoutes({ query, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    server.get(
      evaluatorsPath,
      {
        config: reading,
        schema: {
          summary: "Evaluators of a project: what became of what they were to judge, and what they cost today",
          params: projectParams,
          response: { 200: judgeListSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        const [rows, tell] = [await listEvaluators(query, project), await createTelling(query, project)];
        return {
          items: await Promise.all(rows.map(async (row) => tell(row, await listRules(query, { ...project, evaluatorId: row.id })).judge)),
          next_cursor: null,
        };
      },
    );

    server.post(
      evaluatorsPath,
      {
        config: changing,
        schema: {
          summary: "Make an evaluator",
          params: projectParams,
          body: createEvaluatorRequestSchema,
          response: { 201: judgeDetailSchema },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const { name, definition } = request.body;
        await requireUsable(query, project, definition);
        const [id, author] = [uuidv7(), toAuthor(project.reader)];
        if (!(await insertEvaluator(query, { ...project, id, name, definition, author }))) {
          throw evaluatorNotMade(name);
        }
        log.info({ project: project.projectId, evaluator: id, by: author }, "an evaluator was made");
        return reply.status(201).send(await load({ ...project, id }));
      },
    );

    server.get(
      `${evaluatorsPath}/:evaluator_id`,
      {
        config: reading,
        schema: { summary: "An evaluator with its versions and rules", params: evaluatorParams, response: { 200: judgeDetailSchema } },
      },
      async (request) => load({ ...(await enterProject(query, request, "viewer")), id: request.params.evaluator_id }),
    );

    server.get(
      `${evaluatorsPath}/:evaluator_id/calibration`,
      {
        config: reading,
        schema: {
          summary: "How far an evaluator's newest version agrees with what people say under the same name",
          params: evaluatorParams,
          response: { 200: calibrationSchema },
        },
      },
      async (request) => calibrate(query, { ...(await enterProject(query, request, "viewer")), id: request.params.evaluator_id }),
    );

    server.post(
      `${evaluatorsPath}/:evaluator_id/versions`,
      {
        config: changing,
        schema: {
          summary: "Give an evaluator a new version, by which it judges from now on",
          params: evaluatorParams,
          body: createEvaluatorVersionRequestSchema,
          response: { 201: judgeDetailSchema },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const chosen = { ...project, id: request.params.evaluator_id };
        const { definition } = request.body;
        const known = orRefuse(await findEvaluator(query, chosen), evaluatorNotFound);
        if (sourceOf(known.definition) !== sourceOf(definition)) {
          throw otherKind();
        }
        await requireUsable(query, project, definition);
        await addVersion(query, { ...chosen, definition, author: toAuthor(project.reader) });
        return reply.status(201).send(await load(chosen));
      },
    );

    server.delete(
      `${evaluatorsPath}/:evaluator_id`,
      {
        config: changing,
        schema: { summary: "Delete an evaluator with its rules; its scores stay", params: evaluatorParams, response: { 204: z.null() } },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const { evaluator_id: id } = request.params;
        orRefuse((await deleteEvaluator(query, { ...project, id })) || undefined, evaluatorNotFound);
        log.info({ project: project.projectId, evaluator: id, by: toAuthor(project.reader) }, "an evaluator was deleted");
        return reply.status(204).send(null);
      },
    );
  };

  async function load(chosen: OneInProject): Promise<JudgeDetail> {
    const row = orRefuse(await findEvaluator(query, chosen), evaluatorNotFound);
    const rules = await listRules(query, { ...chosen, evaluatorId: chosen.id });
    const told = (await createTelling(query, chosen, chosen.id))(row, rules);
    const versions = await listVersions(query, chosen);
    return {
      ...told.judge,
      rules: told.rules,
      versions: versions.map(({ made_at: at, ...version }) => ({ ...version, made_at: at.toISOString() })),
    };
  }
}

/** @throws {AppError} 404 where the project has no such connection; 400 of a check that can't be evaluated. */
export async function requireUsable(query: Query, project: InProject, definition: EvaluatorDefinition): Promise<void> {
  if (definition.kind === "checks") {
    createDemandUsable()(definition.checks);
  } else {
    orRefuse(await findConnection(query, { ...project, id: definition.connection_id }), connectionNotFound);
  }
}

/** Tells of evaluators with what was counted of all rules of the project, or of the one, which is read once. */
async function createTelling(query: Query, project: InProject, evaluatorId?: string) {
  const counts = await countJudgements(query, { ...project, evaluatorId });
  const spending = await readSpending(query, project);
  const undecided = await countUndecided(query, project);
  return (row: EvaluatorRow, rules: readonly RuleRow[]): { readonly judge: Judge; readonly rules: JudgeRule[] } => {
    const { project_id: _project, created_at: createdAt, calibration, calibrated_at: _at, ...evaluator } = row;
    const told = rules.map(
      ({ project_id: _of, evaluator_id: _evaluator, created_at: at, problem_since: _since, retry_at: _retry, ...rule }) => {
        const { today = 0, all = 0 } = spending.get(rule.id) ?? {};
        const spent = rule.kind === "live" ? today : all;
        return {
          ...rule,
          created_at: at.toISOString(),
          counts: counts.get(rule.id) ?? NONE,
          undecided: undecided.get(rule.id) ?? 0,
          spent,
        };
      },
    );
    return {
      rules: told,
      judge: {
        ...evaluator,
        is_calibrated: row.definition.kind === "checks" ? null : calibration?.version === row.version && calibration.is_calibrated,
        created_at: createdAt.toISOString(),
        counts: told.reduce((sum, rule) => add(sum, rule.counts), NONE),
        spent_today: rules.reduce((sum, { id }) => sum + (spending.get(id)?.today ?? 0), 0),
      },
    };
  };
}

function add(one: JudgementCounts, other: JudgementCounts): JudgementCounts {
  const sums = JUDGEMENT_STATES.map((state) => [state, one[state] + other[state]]);
  return { ...NONE, ...Object.fromEntries(sums) };
}
