import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { EndStatus } from "../event/event.ts";
import type { TracedGraphFacts } from "./graph-facts.ts";
import { readModelResult, requestedModel } from "./model-call.ts";
import { recordResume } from "../capture/recorder.ts";
import { endRun, findRun, findRunning, type RunRecord } from "./run-records.ts";
import { openGraphRun, openRun, type RunStart } from "./run-start.ts";
import { closeRun } from "./run-end.ts";
import { type ActiveSpan, sdkState } from "../client/sdk-state.ts";
import { parseParameters, readToolResult } from "./tool-call.ts";

type Metadata = Record<string, unknown>;
type GraphResumeEvent = { readonly runId: string | undefined; readonly checkpointId: string };
type GraphInterruptEvent = GraphResumeEvent & { readonly interrupts: readonly unknown[] };

/** How LangGraph knows handlers that want to hear of interrupts; its own base class is not there where only LangChain is. */
const GRAPH_CALLBACK_HANDLER = Symbol.for("langgraph.graph_callback_handler");

/** Turns the framework's callbacks into events. Every body is synchronous, so an event's time and content are those of its moment. */
export function createRunHandler(facts: TracedGraphFacts): BaseCallbackHandler {
  sdkState.frameworkSpan ??= frameworkSpan;
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
    chain: unknown,
    inputs: unknown,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Metadata,
    _runType?: string,
    runName?: string,
  ): void {
    this.#start({
      runId,
      parentRunId,
      tags: tags ?? [],
      metadata: metadata ?? {},
      name: runName,
      input: inputs,
      serialized: chain,
      kind: "chain",
    });
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
    if (record?.role === "trace") {
      recordResume(record.traceId, event.checkpointId);
    }
  }

  override handleToolStart(
    tool: unknown,
    input: string,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Metadata,
    runName?: string,
    toolCallId?: string,
  ): void {
    this.#start({
      runId,
      parentRunId,
      tags: tags ?? [],
      metadata: metadata ?? {},
      name: runName,
      serialized: tool,
      kind: "tool",
      input: parseParameters(input),
      attributes: toolCallId === undefined ? undefined : { tool_call_id: toolCallId },
    });
  }

  override handleToolEnd(output: unknown, runId: string): void {
    this.#end(runId, (record) => {
      const { result, status } = readToolResult(output);
      closeRun(record, { status, output: result });
    });
  }

  override handleToolError(error: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, errorOutcome(error)));
  }

  override handleChatModelStart(
    model: unknown,
    messages: unknown[][],
    runId: string,
    parentRunId?: string,
    extra?: Metadata,
    tags?: string[],
    metadata?: Metadata,
    runName?: string,
  ): void {
    this.#startModel({ serialized: model, prompt: messages[0], runId, parentRunId, extra, tags, metadata, runName });
  }

  override handleLLMStart(
    model: unknown,
    prompts: string[],
    runId: string,
    parentRunId?: string,
    extra?: Metadata,
    tags?: string[],
    metadata?: Metadata,
    runName?: string,
  ): void {
    this.#startModel({ serialized: model, prompt: prompts[0], runId, parentRunId, extra, tags, metadata, runName });
  }

  override handleLLMEnd(output: unknown, runId: string): void {
    this.#end(runId, (record) => {
      const { model, usage, reasoning, response } = readModelResult(output);
      const captured = sdkState.capturePrompts ? { output: response, reasoning } : {};
      closeRun(record, { status: "success", model, usage, ...captured });
    });
  }

  override handleLLMError(error: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, errorOutcome(error)));
  }

  override handleRetrieverStart(
    retriever: unknown,
    query: string,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Metadata,
    name?: string,
  ): void {
    const input = { query };
    this.#start({ runId, parentRunId, tags: tags ?? [], metadata: metadata ?? {}, name, input, serialized: retriever, kind: "retriever" });
  }

  override handleRetrieverEnd(documents: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, { status: "success", output: documents }));
  }

  override handleRetrieverError(error: unknown, runId: string): void {
    this.#end(runId, (record) => closeRun(record, errorOutcome(error)));
  }

  #startModel(call: {
    serialized: unknown;
    prompt: unknown;
    runId: string;
    parentRunId: string | undefined;
    extra: Metadata | undefined;
    tags: string[] | undefined;
    metadata: Metadata | undefined;
    runName: string | undefined;
  }): void {
    const { runId, parentRunId, serialized, tags = [], metadata = {} } = call;
    const model = requestedModel(metadata, call.extra);
    const input = sdkState.capturePrompts ? call.prompt : undefined;
    this.#start({ runId, parentRunId, tags, metadata, name: call.runName, serialized, kind: "model", input, model });
  }

  /** A handler of an outer graph may have recorded the run already; then it is only noted whose graph it is. */
  #start(start: RunStart): void {
    if (sdkState.publisher === undefined) {
      return;
    }
    const record = findRunning(start.runId) ?? openRun(start, this.#facts);
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
