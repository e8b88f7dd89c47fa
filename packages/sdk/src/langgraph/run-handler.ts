import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { EndStatus } from "../event/event.ts";
import type { TracedGraphFacts } from "./graph-facts.ts";
import { hasStreamedContent, isStreamedContent, readModelResult, requestedModel } from "./model-call.ts";
import { noteFirstToken, recordResume } from "../capture/recorder.ts";
import { asObject } from "../capture/loose-values.ts";
import { answerFrameworkCalls } from "./recorded-answers.ts";
import { endRun, findRun, findRunning, type RunRecord } from "./run-records.ts";
import { openGraphRun, openRun, type RunStart } from "./run-start.ts";
import { closeRun } from "./run-end.ts";
import { type ActiveSpan, sdkState } from "../client/sdk-state.ts";
import { parseToolParameters, readToolResult } from "./tool-call.ts";

type Metadata = Record<string, unknown>;
/** What LangChain says when a model starts; `prompts` are texts, or of chat models lists of messages. */
type ModelStart = [
  serialized: unknown,
  prompts: unknown[],
  runId: string,
  parentRunId?: string,
  extra?: Metadata,
  tags?: string[],
  metadata?: Metadata,
  name?: string,
];
type GivenStart = Omit<RunStart, "tags" | "metadata"> & { readonly tags: string[] | undefined; readonly metadata: Metadata | undefined };
type GraphResumeEvent = { readonly runId: string | undefined; readonly checkpointId: string };
type GraphInterruptEvent = GraphResumeEvent & { readonly interrupts: readonly unknown[] };

/** How LangGraph knows handlers that want to hear of interrupts; its own base class is not there where only LangChain is. */
const GRAPH_CALLBACK_HANDLER = Symbol.for("langgraph.graph_callback_handler");

/** Turns the framework's callbacks into events. Every body is synchronous, so an event's time and content are those of its moment. */
export function createRunHandler(facts: TracedGraphFacts): BaseCallbackHandler {
  sdkState.frameworkSpan ??= frameworkSpan;
  sdkState.answerFramework ??= answerFrameworkCalls;
  if (sdkState.replay.getStore() !== undefined) {
    answerFrameworkCalls();
  }
  return new RunHandler(facts);
}

/** The run whose code is running, as LangChain's own asynchronous context knows it. */
function frameworkSpan(): (ActiveSpan & { readonly insideRun: string }) | undefined {
  try {
    const callbacks: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig()?.callbacks;
    const runId = callbacks instanceof CallbackManager ? callbacks.getParentRunId() : undefined;
    const record = findRun(runId);
    return record === undefined ? undefined : { traceId: record.traceId, observationId: record.parentId, insideRun: record.runId };
  } catch {
    return undefined;
  }
}

class RunHandler extends BaseCallbackHandler {
  override name = "sightline";
  readonly [GRAPH_CALLBACK_HANDLER] = true;
  override awaitHandlers = true;
  readonly #facts: TracedGraphFacts;
  /** Runs this graph's handler has seen; the first it sees is the graph's own. */
  readonly #seen = new WeakSet<RunRecord>();

  constructor(facts: TracedGraphFacts) {
    super();
    this.#facts = facts;
  }

  // The run time's order of inputs differs from the base type's: the parent comes fourth.
  override handleChainStart(
    serialized: unknown,
    input: unknown,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Metadata,
    _runType?: string,
    name?: string,
  ): void {
    this.#start({ runId, parentRunId, tags, metadata, name, input, serialized, kind: "chain" });
  }

  override handleChainEnd(outputs: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, { status: "success", output: outputs }));
  }

  override handleChainError(error: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, errorOutcome(error)));
  }

  handleInterrupt(event: GraphInterruptEvent): void {
    const record = findRun(event.runId);
    if (record !== undefined) {
      record.interrupts = event.interrupts;
      record.pausedAt = event.checkpointId;
    }
  }

  handleResume(event: GraphResumeEvent): void {
    const record = findRun(event.runId);
    if (record !== undefined) {
      record.isEntered = true;
    }
    if (record?.role === "trace") {
      recordResume(record.traceId, event.checkpointId);
    }
  }

  override handleToolStart(
    serialized: unknown,
    given: string,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Metadata,
    name?: string,
    toolCallId?: string,
  ): void {
    const input = parseToolParameters(given);
    const attributes = toolCallId === undefined ? undefined : { tool_call_id: toolCallId };
    this.#start({ runId, parentRunId, tags, metadata, name, input, serialized, kind: "tool", attributes });
  }

  override handleToolEnd(output: unknown, runId: string): void {
    this.#end(runId, (record) => {
      const { result, status } = readToolResult(output);
      const attributes = (asObject(output)["artifact"] ?? undefined) === undefined ? {} : { returned: "artifact" };
      closeRun(record, { status, output: result, attributes });
    });
  }

  override handleToolError(error: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, errorOutcome(error)));
  }

  override handleChatModelStart(...start: ModelStart): void {
    this.#startModel(...start);
  }

  override handleLLMStart(...start: ModelStart): void {
    this.#startModel(...start);
  }

  override handleLLMNewToken(
    token: string,
    _place: unknown,
    runId: string,
    _parentRunId?: string,
    _tags?: string[],
    fields?: unknown,
  ): void {
    if (hasStreamedContent(token, fields)) {
      this.#noteToken(runId);
    }
  }

  /** LangChain reports chunks this way instead, when another handler prefers it. */
  override handleChatModelStreamEvent(event: unknown, runId: string): void {
    if (isStreamedContent(event)) {
      this.#noteToken(runId);
    }
  }

  override handleLLMEnd(output: unknown, runId: string, _parentRunId?: string, _tags?: string[], extra?: Metadata): void {
    this.#end(runId, (record) => {
      if (extra?.["cached"] === true && record.observation !== undefined) {
        // LangChain reports an answer from its cache as one token.
        record.observation.timeToFirstToken = undefined;
      }
      const { model, usage, reasoning, response } = readModelResult(output);
      const captured = sdkState.capturePrompts ? { output: response, reasoning } : {};
      closeRun(record, { status: "success", model, usage, ...captured });
    });
  }

  override handleLLMError(error: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, errorOutcome(error)));
  }

  override handleRetrieverStart(
    serialized: unknown,
    query: string,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Metadata,
    name?: string,
  ): void {
    this.#start({ runId, parentRunId, tags, metadata, name, input: { query }, serialized, kind: "retriever" });
  }

  override handleRetrieverEnd(documents: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, { status: "success", output: documents }));
  }

  override handleRetrieverError(error: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, errorOutcome(error)));
  }

  #startModel(...[serialized, prompts, runId, parentRunId, extra, tags, metadata, name]: ModelStart): void {
    const model = requestedModel(metadata, extra);
    const input = sdkState.capturePrompts ? prompts[0] : undefined;
    this.#start({ runId, parentRunId, tags, metadata, name, serialized, kind: "model", messages: prompts, input, model });
  }

  #noteToken(runId: string): void {
    const observation = findRunning(runId)?.observation;
    if (observation !== undefined) {
      noteFirstToken(observation);
    }
  }

  /** A handler of an outer graph may have recorded the run already; then it is only noted whose graph it is. */
  #start({ tags = [], metadata = {}, ...run }: GivenStart): void {
    if (sdkState.publisher === undefined) {
      return;
    }
    const record = findRunning(run.runId) ?? openRun({ ...run, tags, metadata }, this.#facts);
    if (record === undefined) {
      return;
    }
    if (record.role === "graph" && !this.#facts.anyRoot && (record.parent === undefined || !this.#seen.has(record.parent))) {
      openGraphRun(record, this.#facts);
    }
    this.#seen.add(record);
  }

  #end(runId: string, close: (record: RunRecord) => void): void {
    const record = findRunning(runId);
    if (record !== undefined) {
      endRun(record);
      close(record);
    }
  }
}

function errorOutcome(error: unknown): { status: EndStatus; error?: unknown; attributes?: Metadata; command?: unknown } {
  const name = typeof error === "object" && error !== null && "name" in error ? error.name : undefined;
  if (name === "GraphInterrupt" || name === "NodeInterrupt") {
    return { status: "interrupted", attributes: { interrupts: Reflect.get(Object(error), "interrupts") } };
  }
  if (name === "ParentCommand") {
    const command: unknown = Reflect.get(Object(error), "command");
    return { status: "success", attributes: { command }, command };
  }
  const message = error instanceof Error ? error.message : "";
  // A consumer that leaves the stream early, or an AbortSignal: nobody failed.
  return name === "AbortError" || message === "Abort"
    ? { status: "interrupted", error, attributes: { cancelled: true } }
    : { status: "failure", error };
}
