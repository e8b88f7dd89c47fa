import { toRecord, toText, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { notesUnder, withPrefix, type Dialect, type SpanReader } from "./dialect.ts";

const METADATA = "langsmith.metadata.";
/** Names that LangSmith adds to the application's own notes. */
const ADDED = /^(?:ls_|LANGSMITH_|LANGCHAIN_|usage_metadata$|revision_id$|thread_id$|conversation_id$)/;

/** LangSmith's SDK with `LANGSMITH_OTEL_ENABLED`, which writes GenAI's names beside its own, and calls a retriever an embedding there. */
export const langSmith: Dialect = {
  name: "LangSmith",
  canRead: withPrefix("langsmith"),
  kinds: { llm: "llm", retriever: "retriever", prompt: "span" },
  readKind: ({ attributes }) => attributes.get("langsmith.span.kind"),
  facts: {
    toolInput: ["gen_ai.prompt"],
    toolOutput: readOutput,
    output: readOutput,
    threadId: [`${METADATA}thread_id`, `${METADATA}conversation_id`],
    sessionId: [`${METADATA}session_id`],
    userId: [`${METADATA}user_id`],
    tags: ({ text }) => text("langsmith.span.tags")?.split(", "),
    metadata: (span) => Object.fromEntries(Object.entries(notesUnder(METADATA)(span)).filter(([name]) => !ADDED.test(name))),
    cacheReadTokens: (span) => countIn(span, "input", "cache_read"),
    cacheWriteTokens: (span) => countIn(span, "input", "cache_creation"),
    reasoningTokens: (span) => countIn(span, "output", "reasoning"),
    cost: (span) => readUsage(span)["total_cost"],
  },
};

function readUsage({ peek }: SpanReader): Readonly<Record<string, OtlpValue>> {
  return toRecord(peek(`${METADATA}usage_metadata`)) ?? {};
}

/** A function's result is the one field `output` of an object, unless it is an object. */
function readOutput({ value }: SpanReader): OtlpValue | undefined {
  const all = value("gen_ai.completion");
  const [only, ...others] = Object.entries(toRecord(all) ?? {});
  return others.length === 0 && only?.[0] === "output" ? only[1] : all;
}

/** A count of the details: LangChain's runs have them among the metadata, others as a dictionary that Python printed, `{'cache_read': 64}`. */
function countIn(span: SpanReader, side: "input" | "output", name: string): OtlpValue | undefined {
  const { peek } = span;
  const told = toRecord(readUsage(span)[`${side}_token_details`])?.[name];
  if (told !== undefined) {
    return told;
  }
  const printed = toText(peek(`gen_ai.usage.${side}_token_details`)) ?? "";
  const [, count] = new RegExp(`'${name}': (\\d{1,15})\\b`).exec(printed) ?? [];
  return count === undefined ? undefined : Number(count);
}
