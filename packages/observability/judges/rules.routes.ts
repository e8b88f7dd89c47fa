import { fromCursor } from "@sightline/foundation/cursor";
import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  changeJudgeRuleRequestSchema,
  createJudgeRuleRequestSchema,
  judgementPageSchema,
  listJudgementsRequestSchema,
  madeUpSchema,
  outputOf,
  sourceOf,
  type EvaluatorDefinition,
} from "#contract.ts";
import { resolveBaseline } from "#experiments/compare-experiments.ts";
import { experimentNotFound } from "#experiments/experiments.errors.ts";
import { findExperiment } from "#experiments/experiments.store.ts";
import { cutPage, microsSchema } from "#query/access/cursor.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { drawTraces } from "#query/list/draw-traces.store.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { orTooSlow } from "#query/list/trace-query.errors.ts";
import { findPrice } from "./budget.store.ts";
import { insertRuns, insertTraces } from "./choose-traces.store.ts";
import { changing, evaluatorParams, evaluatorsPath, reading } from "./evaluators.routes.ts";
import { findEvaluator } from "./evaluators.store.ts";
import { listJudgements, makeUp, skipWaiting } from "./judgements.store.ts";
import * as errors from "./judges.errors.ts";
import { changeRule, findRule, insertRule, type OneRule } from "./rules.store.ts";

const ruleParams = evaluatorParams.extend({ judge_rule_id: z.uuid() });
const made = z.object({ id: z.uuid(), chosen: z.int() });
const changed = z.object({ is_active: z.boolean() });
const positionSchema = z.tuple([microsSchema, z.string().max(200)]);

type Body = z.output<typeof createJudgeRuleRequestSchema>;

/** Which traces an evaluator judges, and what became of each. */
export function judgeRuleRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    const path = `${evaluatorsPath}/:evaluator_id`;

    server.post(
      `${path}/rules`,
      {
        config: changing,
        schema: {
          summary: "Have an evaluator judge live traces from now on, traces of the past, or the runs of an experiment",
          params: evaluatorParams,
          body: createJudgeRuleRequestSchema,
          response: { 201: made },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const rule = { ...project, evaluatorId: request.params.evaluator_id, ruleId: uuidv7() };
        const definition = await requireHoldable(rule, request.body.budget);
        const isPair = request.body.kind === "experiment" && request.body.baseline_id !== null;
        if ((outputOf(definition).type === "preference") !== isPair) {
          throw errors.pairNeeded();
        }
        const chosen = await make(rule, request.body);
        log.info(
          { project: project.projectId, rule: rule.ruleId, kind: request.body.kind, chosen, by: toAuthor(project.reader) },
          "a rule of a judge was made",
        );
        return reply.status(201).send({ id: rule.ruleId, chosen });
      },
    );

    server.patch(
      `${path}/rules/:judge_rule_id`,
      {
        config: changing,
        schema: {
          summary: "Switch a live rule on or off, cancel another one, or change its budget",
          params: ruleParams,
          body: changeJudgeRuleRequestSchema,
          response: { 200: changed },
        },
      },
      async (request) => {
        const rule = await enterRule(request);
        const known = orRefuse(await findRule(query, rule), errors.ruleNotFound);
        const { is_active: isActive, budget = null } = request.body;
        await requireHoldable(rule, budget);
        await query.transaction().execute(async (transaction) => {
          await changeRule(transaction, rule, request.body);
          if (!isActive && known.kind !== "live") {
            await skipWaiting(transaction, rule);
          }
        });
        return { is_active: isActive };
      },
    );

    server.post(
      `${path}/rules/:judge_rule_id/make-up`,
      {
        config: changing,
        schema: {
          summary: "Judge what a rule has skipped, failed on, or had no money for",
          params: ruleParams,
          response: { 200: madeUpSchema },
        },
      },
      async (request) => {
        const rule = await enterRule(request);
        const { kind } = orRefuse(await findRule(query, rule), errors.ruleNotFound);
        const waiting = await query.transaction().execute(async (transaction) => {
          // A live rule that is switched off stays so: it chooses nothing new.
          if (kind !== "live") {
            await changeRule(transaction, rule, { is_active: true });
          }
          return makeUp(transaction, rule);
        });
        return { waiting };
      },
    );

    server.get(
      `${path}/judgements`,
      {
        config: reading,
        schema: {
          summary: "What became of each trace and run that was chosen, the newest first",
          params: evaluatorParams,
          querystring: listJudgementsRequestSchema,
          response: { 200: judgementPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, rule_id: ruleId, state } = request.query;
        const [micros, subject] = cursor === undefined ? [] : fromCursor(cursor, positionSchema);
        const after = micros === undefined || subject === undefined ? undefined : { micros, subject };
        const project = await enterProject(query, request, "viewer");
        const { evaluator_id: evaluatorId } = request.params;
        const { name, definition } = orRefuse(await findEvaluator(query, { ...project, id: evaluatorId }), errors.evaluatorNotFound);
        const rows = await listJudgements(query, {
          ...project,
          evaluatorId,
          name,
          source: sourceOf(definition),
          ruleId,
          state,
          after,
          limit: limit + 1,
        });
        const { shown, next_cursor } = cutPage(rows, limit, (row) => [row.micros, row.subject]);
        const items = shown.map(({ micros: _micros, chosen_at: chosenAt, ended_at: endedAt, ...row }) => ({
          ...row,
          chosen_at: chosenAt.toISOString(),
          ended_at: endedAt?.toISOString() ?? null,
        }));
        return { items, next_cursor };
      },
    );
  };

  async function enterRule(
    request: Parameters<typeof enterProject>[1] & { readonly params: z.infer<typeof ruleParams> },
  ): Promise<OneRule> {
    const { evaluator_id: evaluatorId, judge_rule_id: ruleId } = request.params;
    return { ...(await enterProject(query, request, "editor")), evaluatorId, ruleId };
  }

  /** The rule and what it chooses of what is there, or neither. @returns how much that is. */
  async function make(rule: OneRule, body: Body): Promise<number> {
    const q = "q" in body ? body.q : "";
    const terms = readListTerms({ q });
    const [experimentId, baselineId] = body.kind === "experiment" ? [body.experiment_id, body.baseline_id] : [null, null];
    const drawn =
      body.kind === "past"
        ? await drawTraces(query, {
            ...rule,
            terms,
            from: undefined,
            to: undefined,
            now: clock.now(),
            size: body.size,
            by: "random",
            seed: 1,
          }).catch((error: unknown) => {
            throw orTooSlow(error);
          })
        : { ids: [] };
    if (experimentId !== null) {
      await requireEnded(rule, experimentId, baselineId);
    }
    return query.transaction().execute(async (transaction) => {
      const { kind, budget } = body;
      const sampling = body.kind === "live" ? body.sampling : 1;
      const author = toAuthor(rule.reader);
      if (
        !(await insertRule(transaction, {
          ...rule,
          kind,
          q,
          experiment_id: experimentId,
          baseline_id: baselineId,
          sampling,
          budget,
          author,
        }))
      ) {
        throw errors.tooManyRules();
      }
      const chosen =
        experimentId === null
          ? await insertTraces(transaction, rule, drawn.ids)
          : await insertRuns(transaction, rule, experimentId, baselineId);
      if (kind !== "live" && chosen === 0) {
        throw errors.nothingFound();
      }
      return chosen;
    });
  }

  /** @throws {AppError} 400 for a budget that nothing can be held to; 404 */
  async function requireHoldable(rule: OneRule, budget: number | null): Promise<EvaluatorDefinition> {
    const { definition } = orRefuse(await findEvaluator(query, { ...rule, id: rule.evaluatorId }), errors.evaluatorNotFound);
    if (budget === null) {
      return definition;
    }
    if (definition.kind === "checks") {
      throw errors.checksCostNothing();
    }
    const { model } = definition;
    orRefuse(await findPrice(query, rule.projectId, model), () => errors.modelWithoutPrice(model));
    return definition;
  }

  async function requireEnded(rule: OneRule, id: string, named: string | null): Promise<void> {
    const candidate = orRefuse(await findExperiment(query, { ...rule, id }), experimentNotFound);
    const baseline = named === null ? [] : await resolveBaseline(query, { ...rule, candidate, named });
    if ([candidate, ...baseline].some(({ state }) => state === "running")) {
      throw errors.experimentNotFinished();
    }
  }
}
