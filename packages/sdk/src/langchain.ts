/** Tracing of LangChain.js without LangGraph. It is a separate entry point because it imports `@langchain/core`. */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { readTraceName } from "./capture/given-options.ts";
import { createRunHandler } from "./langgraph/run-handler.ts";

export type CallbackHandlerOptions = {
  /** What its traces are called; default the name of the outermost run. */
  readonly traceName?: string;
};

/**
 * A callback handler that records what it is handed to: chains, models, tools and retrievers, each outermost run as a trace of its own
 * or as a part of the trace that is running. `thread_id`, `session_id` and `user_id` come from `metadata`.
 *
 * @example
 * const sightline = createCallbackHandler({ traceName: "summary" });
 * await chain.invoke(input, { callbacks: [sightline], metadata: { session_id: "s-1" } });
 */
export function createCallbackHandler(options: CallbackHandlerOptions = {}): BaseCallbackHandler {
  return createRunHandler({ traceName: readTraceName(options), code: new Map(), structure: undefined, declared: undefined, anyRoot: true });
}
