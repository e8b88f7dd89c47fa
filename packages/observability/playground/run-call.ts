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
type Call = { readonly projectId: string; readonly asked: PlaygroundRequest; readonly open: () => OpenModel; readonly signal: AbortSignal };
type About = Call & Pick<JudgeCall, "traceId" | "userId" | "metadata">;
export type Said = Exclude<PlaygroundEvent, { type: "end" }>;

/** Finds what a project may spend, and the model's price. @throws {AppError} 409 where no price lets the budget count it. */
export async function findPriced(query: Query, projectId: string, model: string) {
  const [budget, price] = [await findPlaygroundBudget(query, projectId), await findPrice(query, projectId, model)];
  if (budget !== null && price === undefined) {
    throw refusal(409, "model_unpriced", "The model has no price, so no budget can count it. Give it one (Settings, Prices).");
  }
  return { budget, price };
}

/**
 * Sets aside what a call can cost at the most. @returns the parts of its answer, with which it is made, and `end`: what became of it, afterwards.
 *
 * @throws {AppError} 409 where the day's budget has no room for it, or the model has no price that it could be counted by.
 */
export async function openCall(query: Query, now: () => Date, { projectId, asked, open, signal, ...about }: About) {
  const { budget, price } = await findPriced(query, projectId, asked.model);
  const { connection_id: _connection, model, ...input } = asked;
  const most = price && mostOf(price, { texts: [JSON.stringify(input)], maxTokens: asked.max_tokens });
  const startedAt = now();
  const spender = { project_id: projectId, id: projectId, kind: "live", created_at: startedAt, budget } as const;
  const reservation = most === undefined ? undefined : await reserve(query, spender, most);
  if (most !== undefined && reservation === undefined) {
    throw refusal(409, "over_budget", `It may cost $${most.toFixed(4)}, more than is left of $${budget} a day. Shorten it.`);
  }
  const said: Said[] = [];
  let ended: CallEnd = {};

  async function* answer(): AsyncGenerator<Said> {
    const { streamModel } = await import("#models/stream-model.ts");
    for await (const part of streamModel({ open, asked, signal, now })) {
      if (part.type === "end") {
        ended = part;
      } else {
        said.push(part);
        yield part;
      }
    }
  }

  function end() {
    const { usage, failure } = ended;
    const cost = price && (failure?.isFree === true ? 0 : usage === undefined ? (most ?? 0) : costOf(price, usage));
    const text = said.map((part) => (part.type === "text" ? part.text : "")).join("");
    const calls = said.filter(({ type }) => type === "tool-call");
    const problem = failure?.problem ?? (usage === undefined && signal.aborted ? "Nobody waited for its end." : undefined);
    const told = { ...about, purpose: "playground", name: "playground", model, input, startedAt, endedAt: now(), usage, problem } as const;
    const call: JudgeCall = { ...told, text: { role: "assistant", content: [{ type: "text", text }, ...calls] }, verdict: text };
    return { reservation, cost, call, failure, calls };
  }
  return { answer: answer(), end };
}

/** Makes a call, and returns the answer as server-sent events. What it cost is settled, and its trace is sent, also where nobody waits for it any more. @throws {AppError} as {@link openCall} does. */
export async function runCall({ query, clock, publisher }: Playground, { author, ...asked }: Call & { readonly author: string }) {
  const traceId = uuidv7();
  const opened = await openCall(query, clock.now, { ...asked, traceId, userId: null, metadata: { author } });

  async function* answer(): AsyncGenerator<string> {
    let end;
    // Who waits knows at once that it was begun.
    yield ":\n\n";
    try {
      for await (const part of opened.answer) {
        yield toEvent(part);
      }
    } finally {
      end = await settle();
    }
    yield toEvent(end);
  }

  async function settle(): Promise<PlaygroundEvent> {
    const { reservation, cost, call } = opened.end();
    if (reservation !== undefined && cost !== undefined) {
      await settleSpending(query, reservation, cost);
    }
    const [sent] = await Promise.allSettled([publishTrace(publisher, asked.projectId, call)]);
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
