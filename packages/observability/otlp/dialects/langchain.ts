import { toRecord } from "#otlp/wire/otlp-span.ts";
import { withPrefix, type Dialect, type SpanReader } from "./dialect.ts";

/** The metadata of LangChain's callbacks, which OpenInference hands on as the JSON of one attribute. */
export const langChain: Dialect = {
  name: "LangChain",
  canRead: withPrefix("metadata"),
  facts: {
    threadId: (span) => fieldOfMetadata(span, "thread_id") ?? fieldOfMetadata(span, "langgraph_thread_id"),
    sessionId: (span) => fieldOfMetadata(span, "session_id"),
    userId: (span) => fieldOfMetadata(span, "user_id"),
    metadata: ({ peek }) => peek("metadata"),
  },
};

export function fieldOfMetadata({ peek }: SpanReader, name: string) {
  return toRecord(peek("metadata"))?.[name] ?? undefined;
}
