/**
 * Captures what agents do and publishes it to a Sightline stream without the observed application noticing.
 * The LangGraph.js integration is a separate entry point, `@sightline/sdk/langgraph`, so that this one needs no LangChain.
 */
export { closeRedisPublisher, initializeRedisPublisher, type Verification } from "./client/initialize.ts";
export { observe, trace, traceTool, type ObserveOptions, type ToolOptions, type TraceOptions } from "./capture/span.ts";
export { metricsText, wrapLlmAdapter } from "./client/sdk-state.ts";
export { currentTrace, score, type ScoreOptions, type TraceReference } from "./capture/score.ts";
export { getPrompt, type PromptOptions } from "./prompts/get-prompt.ts";
export { type Prompt, PromptError, type PromptMessage, type PromptTemplate } from "./prompts/prompt.ts";
export type { MaskFunction, PayloadField } from "./mask/masking.ts";
export type { Logger, PublisherOptions } from "./settings/settings.ts";
export type { TextLike } from "./settings/text-of.ts";
