import { refusal } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";
import type { PlaygroundEvent, PlaygroundRequest } from "#contract.ts";
import { costOf, findPrice, mostOf, reserve, settleSpending } from "#judges/budget.store.ts";
import type { JudgeCall } from "#judges/judge-trace.ts";
import { publishTrace } from "#judges/settle-try.ts";
import type { ModelAccess, OpenModel } from "#models/model-access.ts";
import type { CallEnd } from "#models/stream-model.ts";
import type { StreamPublisher } from "#otlp/stream-publisher.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";
import type { Query } from "#schema.ts";
import { findPlaygroundBudget } from "#store/projects.store.ts";

type Publishing = { readonly publisher: Pick<StreamPublisher, "publish"> };
export type Playground = Omit<RouteDependencies, "log"> & Publishing & { readonly access: ModelAccess };
type Call = {
  readonly projectId: string;
  readonly author: string;
  readonly asked: PlaygroundRequest;
  readonly open: () => OpenModel;
  readonly signal: AbortSignal;
};
type About = Pick<JudgeCall, "traceId" | "userId" | "metadata"> & { readonly projectId: string; readonly asked: PlaygroundRequest };

/** Whether the model's price lets the project's budget count it. @throws {AppError} 409 where it does not. */
export async function findCountedPrice(query: Query, projectId: string, model: string) {
  const [budget, price] = [await findPlaygroundBudget(query, projectId), await findPrice(query, projectId, model)];
  if (budget !== null && price === undefined) {
    throw refusal(409, "model_unpriced", "The model has no price, so no budget can count it. Give it one (Settings, Prices).");
  }
  return { budget, price };
}

/**
 * Sets aside what a call can cost at the most. @returns `end`, which says what it cost and how its trace tells it, once what was said is in `said`.
 *
 * @throws {AppError} 409 where the day's budget has no room for it, or the model has no price that it could be counted by.
 */
export async function openCall(query: Query, now: () => Date, { projectId, asked, ...about }: About) {
  const { budget, price } = await findCountedPrice(query, projectId, asked.model);
  const { connection_id: _connection, model, ...input } = asked;
  const most = price && mostOf(price, { texts: [JSON.stringify(input)], maxTokens: asked.max_tokens });
  const startedAt = now();
  const spender = { project_id: projectId, id: projectId, kind: "live", created_at: startedAt, budget } as const;
  const reservation = most === undefined ? undefined : await reserve(query, spender, most);
  if (most !== undefined && reservation === undefined) {
    throw refusal(409, "over_budget", `It may cost $${most.toFixed(4)}, more than is left of $${budget} a day. Shorten it.`);
  }
  const said: Exclude<PlaygroundEvent, { type: "end" }>[] = [];
  return {
    said,
    reservation,
    end: ({ usage, failure }: CallEnd, otherwise?: string) => {
      const cost = price && (failure?.isFree === true ? 0 : usage === undefined ? (most ?? 0) : costOf(price, usage));
      const text = said.map((part) => (part.type === "text" ? part.text : "")).join("");
      const content = [{ type: "text", text }, ...said.filter(({ type }) => type === "tool-call")];
      const problem = failure?.problem ?? (usage === undefined ? otherwise : undefined);
      const told = { ...about, purpose: "playground", name: "playground", model, input, startedAt, endedAt: now() } as const;
      const call: JudgeCall = { ...told, text: { role: "assistant", content }, usage, verdict: text, problem };
      return { cost, call };
    },
  };
}

/** Makes a call, and returns the answer as server-sent events. What it cost is settled and its trace is sent also where nobody waits for it any more. @throws {AppError} as {@link openCall} does. */
export async function runCall({ query, clock, publisher }: Playground, { projectId, author, asked, open, signal }: Call) {
  const { streamModel } = await import("#models/stream-model.ts");
  const traceId = uuidv7();
  const opened = await openCall(query, clock.now, { projectId, asked, traceId, userId: null, metadata: { author } });

  async function* answer(): AsyncGenerator<string> {
    let ended: CallEnd = {};
    let end;
    // Who waits knows at once that it was begun.
    yield ":\n\n";
    try {
      for await (const part of streamModel({ open, asked, signal, now: clock.now })) {
        if (part.type === "end") {
          ended = part;
        } else {
          opened.said.push(part);
          yield toEvent(part);
        }
      }
    } finally {
      end = await settle(ended);
    }
    yield toEvent(end);
  }

  async function settle(ended: CallEnd): Promise<PlaygroundEvent> {
    const { cost, call } = opened.end(ended, signal.aborted ? "Nobody waited for its end." : undefined);
    if (opened.reservation !== undefined && cost !== undefined) {
      await settleSpending(query, opened.reservation, cost);
    }
    const [sent] = await Promise.allSettled([publishTrace(publisher, projectId, call)]);
    return {
      type: "end",
      problem: call.problem ?? null,
      trace_id: sent.status === "fulfilled" ? traceId : null,
      duration_ms: call.endedAt.getTime() - call.startedAt.getTime(),
      tokens: call.usage === undefined ? null : call.usage.input + call.usage.output,
      cost: cost ?? null,
    };
  }
  return answer();
}

const toEvent = (event: PlaygroundEvent) => `data: ${JSON.stringify(event)}\n\n`;
