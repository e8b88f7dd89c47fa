/**
 * Captures what agents do and publishes it to a Sightline stream without the observed application noticing.
 * The LangGraph.js integration has a door of its own, `@sightline/sdk/langgraph`, so that this one needs no LangChain.
 */
export { closeRedisPublisher, initializeRedisPublisher, type Verification } from "./initialize.ts";
export { observe, trace, traceTool, type ObserveOptions, type ToolOptions, type TraceOptions } from "./span.ts";
export { metricsText } from "./metrics-text.ts";
export { currentTrace, score, type ScoreOptions, type TraceReference } from "./score.ts";
export { wrapLlmAdapter } from "./prompt-capture.ts";
export type { MaskFunction, PayloadField } from "./masking.ts";
export type { Logger, PublisherOptions } from "./settings.ts";
