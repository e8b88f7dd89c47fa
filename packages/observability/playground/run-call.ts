import { refusal } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";
import type { PlaygroundEvent, PlaygroundRequest } from "#contract.ts";
import { costOf, findPrice, mostOf, reserve, settleSpending } from "#judges/budget.store.ts";
import { publishTrace } from "#judges/settle-try.ts";
import type { ModelAccess, OpenModel } from "#models/model-access.ts";
import type { CallEnd } from "#models/stream-model.ts";
import type { StreamPublisher } from "#otlp/stream-publisher.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";
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

/**
 * Sets aside what the call can cost at the most, and returns the answer as server-sent events. What it cost is settled and its trace is sent also
 * where nobody waits for it any more.
 *
 * @throws {AppError} 409 where the day's budget has no room for it, or the model has no price that it could be counted by.
 */
export async function runCall({ query, clock, publisher }: Playground, { projectId, author, asked, open, signal }: Call) {
  const { streamModel } = await import("#models/stream-model.ts");
  const [budget, price] = [await findPlaygroundBudget(query, projectId), await findPrice(query, projectId, asked.model)];
  if (budget !== null && price === undefined) {
    throw refusal(409, "model_unpriced", "The model has no price, so no budget can count it. Give it one (Settings, Prices).");
  }
  const { connection_id: _connection, model, ...input } = asked;
  const most = price && mostOf(price, { texts: [JSON.stringify(input)], maxTokens: asked.max_tokens });
  const startedAt = clock.now();
  const spender = { project_id: projectId, id: projectId, kind: "live", created_at: startedAt, budget } as const;
  const reservation = most === undefined ? undefined : await reserve(query, spender, most);
  if (most !== undefined && reservation === undefined) {
    throw refusal(409, "over_budget", `It may cost $${most.toFixed(4)}, more than is left of $${budget} a day. Shorten it.`);
  }
  const said: Exclude<PlaygroundEvent, { type: "end" }>[] = [];

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
          said.push(part);
          yield toEvent(part);
        }
      }
    } finally {
      end = await settle(ended);
    }
    yield toEvent(end);
  }

  async function settle({ usage, failure }: CallEnd): Promise<PlaygroundEvent> {
    const cost = price && (failure?.isFree === true ? 0 : usage === undefined ? (most ?? 0) : costOf(price, usage));
    if (reservation !== undefined && cost !== undefined) {
      await settleSpending(query, reservation, cost);
    }
    const [traceId, endedAt] = [uuidv7(), clock.now()];
    const text = said.map((part) => (part.type === "text" ? part.text : "")).join("");
    const content = [{ type: "text", text }, ...said.filter(({ type }) => type === "tool-call")];
    const problem = failure?.problem ?? (usage === undefined && signal.aborted ? "Nobody waited for its end." : undefined);
    const about = { traceId, purpose: "playground", name: "playground", model, userId: null, metadata: { author } } as const;
    const call = { ...about, input, startedAt, endedAt, text: { role: "assistant", content }, usage, verdict: text, problem };
    const [sent] = await Promise.allSettled([publishTrace(publisher, projectId, call)]);
    return {
      type: "end",
      problem: problem ?? null,
      trace_id: sent.status === "fulfilled" ? traceId : null,
      duration_ms: endedAt.getTime() - startedAt.getTime(),
      tokens: usage === undefined ? null : usage.input + usage.output,
      cost: cost ?? null,
    };
  }
  return answer();
}

const toEvent = (event: PlaygroundEvent) => `data: ${JSON.stringify(event)}\n\n`;
