import type { JudgeDefinition } from "#contract.ts";
import { callModel, toSentSchema, type ModelAnswer } from "#models/call-model.ts";
import { findConnection } from "#models/connections.store.ts";
import type { ModelAccess } from "#models/model-access.ts";
import type { Query } from "#schema.ts";
import { costOf, findPrice, mostOf, type ModelPrice } from "./budget.store.ts";
import { NotJudgeable, readSubject, type Subject } from "./read-judged.ts";
import { writePrompt, type JudgePrompt, type Verdict } from "./write-prompt.ts";

export type Judging = { readonly query: Query; readonly access: ModelAccess; readonly now: () => Date };

export type PreparedCall = {
  readonly prompt: JudgePrompt;
  readonly userId: string | null;
  readonly hasFailedRun: boolean;
  readonly price: ModelPrice | undefined;
  /** Dollars that it costs about, and at the most; undefined without a price. */
  readonly about: number | undefined;
  readonly most: number | undefined;
  readonly ask: (signal: AbortSignal) => Promise<JudgeAnswer>;
};

/** `cost`: dollars; as much as it can have cost where nobody says, and undefined without a price. */
export type JudgeAnswer = ModelAnswer<Verdict> & { readonly cost: number | undefined; readonly startedAt: Date; readonly endedAt: Date };

const BYTES_OF_TOKEN = 4;
const USUAL_ANSWER_TOKENS = 150;

/** Reads what is to be judged and writes the prompt; nothing is asked yet. @throws {NotJudgeable} */
export async function prepareCall({ query, access, now }: Judging, subject: Subject, definition: JudgeDefinition): Promise<PreparedCall> {
  const { projectId } = subject;
  const connection = await findConnection(query, { projectId, reader: { kind: "operator" }, id: definition.connection_id });
  if (connection === undefined) {
    throw new NotJudgeable("the connection to its model was deleted; give the evaluator a version with another one");
  }
  const { userId, hasFailedRun, texts } = await readSubject(query, subject, definition.variables);
  const prompt = writePrompt(definition, texts);
  const sent = [prompt.system, prompt.prompt, JSON.stringify(toSentSchema(prompt.schema))];
  const price = await findPrice(query, projectId, definition.model);
  const { max_tokens: maxTokens, temperature } = definition;
  const most = price && mostOf(price, { texts: sent, maxTokens });
  const bytes = sent.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const usual = { input: bytes / BYTES_OF_TOKEN, output: USUAL_ANSWER_TOKENS, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return {
    prompt,
    userId,
    hasFailedRun,
    price,
    most,
    about: price && costOf(price, usual),
    ask: async (signal) => {
      const startedAt = now();
      const open = () => access.open(connection, definition.model);
      const answer = await callModel({ ...prompt, open, temperature, maxTokens, signal, now });
      const isFree = "failure" in answer && answer.failure.isFree;
      const cost = price && (isFree ? 0 : answer.usage === undefined ? most : costOf(price, answer.usage));
      return { ...answer, cost, startedAt, endedAt: now() };
    },
  };
}
