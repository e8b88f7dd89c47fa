import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import {
  estimatedJudgingSchema,
  estimateJudgingRequestSchema,
  TRIED_TRACES,
  triedEvaluatorSchema,
  tryEvaluatorRequestSchema,
  type TriedEvaluator,
} from "#contract.ts";
import type { ModelAccess } from "#models/model-access.ts";
import type { StreamPublisher } from "#otlp/stream-publisher.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { drawTraces } from "#query/list/draw-traces.store.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { orTooSlow } from "#query/list/trace-query.errors.ts";
import { changing, evaluatorsPath, requireUsable } from "./evaluators.routes.ts";
import { holdTrace, noteTry } from "./judgements.store.ts";
import type { PreparedCall } from "./ask-judge.ts";
import { prepareJudging } from "./prepare-judging.ts";
import { NotJudgeable } from "./read-judged.ts";
import { publishTrace } from "./settle-try.ts";
import { toScore, type Verdict } from "./write-prompt.ts";

type Options = RouteDependencies & { readonly access: ModelAccess; readonly publisher: Pick<StreamPublisher, "publish"> };

const TRY_LIMIT_MS = 60_000;

/** A draft of an evaluator, before it is kept: what it would cost, and what it says of one trace. */
export function tryRoutes({ query, clock, access, publisher }: Options) {
  const judging = { query, access, now: clock.now };
  return (server: HttpServer): void => {
    server.post(
      `${evaluatorsPath}/estimate`,
      {
        config: changing,
        schema: {
          summary: "What judging traces of the past would cost, by 20 of them; nothing is asked",
          params: projectParams,
          body: estimateJudgingRequestSchema,
          response: { 200: estimatedJudgingSchema },
        },
      },
      async (request) => {
        const { definition, q, size } = request.body;
        const terms = readListTerms({ q });
        const project = await enterProject(query, request, "editor");
        await requireUsable(query, project, definition);
        const drawing = { ...project, terms, from: undefined, to: undefined, now: clock.now(), size, by: "random", seed: 1 } as const;
        const { ids, matching } = await drawTraces(query, drawing).catch((error: unknown) => {
          throw orTooSlow(error);
        });
        const traceIds = ids.slice(0, TRIED_TRACES);
        const calls: Pick<PreparedCall, "about" | "most">[] = [];
        for (const traceId of definition.kind === "checks" ? [] : traceIds) {
          const call = await prepareJudging(judging, { projectId: project.projectId, traceId }, definition).catch(orUndefined);
          calls.push(...(call === undefined ? [] : "verdict" in call ? [] : [call]));
        }
        const sum = (of: "about" | "most") => {
          if (definition.kind === "checks") {
            return 0;
          }
          const known = calls.flatMap((call) => call[of] ?? []);
          return known.length === 0 ? null : (known.reduce((total, each) => total + each, 0) / calls.length) * ids.length;
        };
        return { matching, chosen: ids.length, trace_ids: traceIds, about: sum("about"), at_most: sum("most") };
      },
    );

    server.post(
      `${evaluatorsPath}/try`,
      {
        config: changing,
        schema: {
          summary: "Judge one trace by a draft of an evaluator; no score is kept, what it costs is spent",
          params: projectParams,
          body: tryEvaluatorRequestSchema,
          response: { 200: triedEvaluatorSchema },
        },
      },
      async (request): Promise<TriedEvaluator> => {
        const { definition, trace_id: traceId } = request.body;
        const project = await enterProject(query, request, "editor");
        await requireUsable(query, project, definition);
        const call = await prepareJudging(judging, { projectId: project.projectId, traceId }, definition).catch(orReason);
        if (typeof call === "string") {
          return { state: "skipped", reason: call, score: null, explanation: null, cost: null, judge_trace_id: null };
        }
        if ("verdict" in call) {
          return { state: "judged", reason: null, ...scoreOf(call.verdict), cost: 0, judge_trace_id: null };
        }
        const as = { traceId: uuidv7(), name: "a draft", metadata: { judged_trace: traceId, is_try: 1 } };
        const { verdict, failure, cost, call: told } = await call.ask(AbortSignal.timeout(TRY_LIMIT_MS), as);
        const isKept = await query.transaction().execute(async (transaction) => {
          const isThere = await holdTrace(transaction, project.projectId, traceId);
          if (isThere) {
            await noteTry(transaction, project.projectId, traceId, as.traceId);
            await publishTrace(publisher, project.projectId, told);
          }
          return isThere;
        });
        return {
          state: verdict === undefined ? "failed" : "judged",
          reason: failure?.problem ?? null,
          ...scoreOf(verdict),
          cost: cost ?? null,
          judge_trace_id: isKept ? as.traceId : null,
        };
      },
    );
  };
}

function scoreOf(verdict: Verdict | undefined): Pick<TriedEvaluator, "score" | "explanation"> {
  const { value: score = null, explanation = null } = verdict === undefined ? {} : toScore(verdict);
  return { score, explanation };
}

function orReason(error: unknown): string {
  if (error instanceof NotJudgeable) {
    return error.message;
  }
  throw error;
}

function orUndefined(error: unknown): undefined {
  orReason(error);
}
