import { agentFramework } from "./agent-framework.ts";
import { aiSdk } from "./ai-sdk.ts";
import { crewAi } from "./crew-ai.ts";
import type { Dialect } from "./dialect.ts";
import { dspy } from "./dspy.ts";
import { genAiEvents } from "./gen-ai-events.ts";
import { genAi } from "./gen-ai.ts";
import { haystack } from "./haystack.ts";
import { langChain } from "./langchain.ts";
import { langfuse } from "./langfuse.ts";
import { langGraph } from "./langgraph.ts";
import { langSmith } from "./langsmith.ts";
import { mastra } from "./mastra.ts";
import { openInference } from "./openinference.ts";
import { openLit } from "./openlit.ts";
import { openTelemetry } from "./opentelemetry.ts";
import { pydanticAi } from "./pydantic-ai.ts";
import { traceloop } from "./traceloop.ts";

/** In order of priority: of several dialects that can read a span, each fact comes from the first that has it. */
export const DIALECTS: readonly Dialect[] = [
  // Frameworks, which know their own steps best.
  langGraph,
  mastra,
  haystack,
  langfuse,
  langSmith,
  // Conventions that many instrumentations write.
  openTelemetry,
  genAi,
  openInference,
  aiSdk,
  traceloop,
  // Additions to the conventions.
  pydanticAi,
  openLit,
  langChain,
  agentFramework,
  crewAi,
  dspy,
  genAiEvents,
];
