import type { JudgeDefinition } from "#contract.ts";
import { askModel, toSentSchema } from "#models/ask-model.ts";
import { findConnection } from "#models/connections.store.ts";
import type { ModelFailure } from "#models/describe-failure.ts";
import type { ModelAccess } from "#models/model-access.ts";
import type { Query } from "#schema.ts";
import { aboutCost, costOf, findPrice, mostOf } from "./budget.store.ts";
import type { JudgeCall } from "./judge-trace.ts";
import { NotJudgeable, readTexts, type ReadSubject } from "./read-judged.ts";
import { writePrompt, type Verdict } from "./write-prompt.ts";

export type Judging = { readonly query: Query; readonly access: ModelAccess; readonly now: () => Date };

export type PreparedCall = {
  /** Dollars that it costs about, and at the most; undefined without a price. */
  readonly about: number | undefined;
  readonly most: number | undefined;
  readonly ask: (signal: AbortSignal, as: Pick<JudgeCall, "traceId" | "name" | "metadata">) => Promise<JudgeAnswer>;
};

/** `cost`: dollars; as much as it can have cost where nobody says, and undefined without a price. `call`: as its trace tells it. */
export type JudgeAnswer = {
  readonly verdict: Verdict | undefined;
  readonly failure: ModelFailure | undefined;
  readonly cost: number | undefined;
  readonly call: JudgeCall;
};

/** Writes the prompt; nothing is asked yet. @throws {NotJudgeable} */
export async function prepareCall(
  { query, access, now }: Judging,
  judged: ReadSubject & { readonly projectId: string },
  definition: JudgeDefinition,
): Promise<PreparedCall> {
  const { projectId, trace, own } = judged;
  const connection = await findConnection(query, { projectId, reader: { kind: "operator" }, id: definition.connection_id });
  if (connection === undefined) {
    throw new NotJudgeable("the connection to its model was deleted; give the evaluator a version with another one");
  }
  const prompt = writePrompt(definition, await readTexts(query, judged, definition.variables));
  const sent = [prompt.system, prompt.prompt, JSON.stringify(toSentSchema(prompt.schema))];
  const price = await findPrice(query, projectId, definition.model);
  const { max_tokens: maxTokens, temperature } = definition;
  const most = price && mostOf(price, { texts: sent, maxTokens });
  const bytes = sent.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return {
    most,
    about: price && aboutCost(price, { bytes, calls: 1 }),
    ask: async (signal, as) => {
      const startedAt = now();
      const open = () => access.open(connection, definition.model);
      const { usage, text, ...answer } = await askModel({ ...prompt, open, temperature, maxTokens, signal, now });
      const [verdict, failure] = "value" in answer ? [answer.value, undefined] : [undefined, answer.failure];
      const cost = price && (failure?.isFree === true ? 0 : usage === undefined ? most : costOf(price, usage));
      const called = {
        model: definition.model,
        userId: own?.subject ?? trace?.user_id ?? null,
        purpose: "judge" as const,
        input: [
          { role: "system", content: prompt.system },
          { role: "user", content: prompt.prompt },
        ],
        startedAt,
        endedAt: now(),
        usage,
        text,
        verdict,
        problem: failure?.problem,
      };
      return { verdict, failure, cost, call: { ...as, ...called, name: `judge ${as.name}` } };
    },
  };
}
