/** The event schema v1, as this producer writes it. The platform's JSON Schema of the same version judges it in the tests. */
export const EVENT_VERSION = 1;

type Payload = unknown;
export type Attributes = Readonly<Record<string, unknown>>;
export type EndStatus = "success" | "failure" | "interrupted";
export type ObservationKind = "graph" | "node" | "tool" | "llm" | "retriever" | "span";

export type CodeReference = {
  readonly repo?: string | undefined;
  readonly commit?: string | undefined;
  readonly file: string;
  readonly line: number;
  readonly function?: string | undefined;
};

export type StackFrame = {
  readonly file: string;
  readonly line?: number | undefined;
  readonly function?: string | undefined;
  /** It is the application's own code, and no library's. */
  readonly own?: boolean | undefined;
};

export type StackError = {
  /** How it belongs to the error at the place `of` of the list; of the failure itself there is none. */
  readonly relation?: "cause" | "context" | "member" | undefined;
  readonly of?: number | undefined;
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  /** The newest call first. */
  readonly frames: readonly StackFrame[];
  /** How many older calls were left out. */
  readonly omitted?: number | undefined;
};

/** From where a failure came. The failure itself is the first of the errors. */
export type StackTrace = {
  readonly repo?: string | undefined;
  readonly commit?: string | undefined;
  readonly errors: readonly StackError[];
  readonly omitted?: number | undefined;
};

export type Usage = {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cache_read_tokens?: number | undefined;
  readonly cache_write_tokens?: number | undefined;
  readonly reasoning_tokens?: number | undefined;
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
};

export type Reasoning = {
  readonly text: string;
  readonly truncated: boolean;
  /** How many Unicode code points the text had before it was cut. */
  readonly original_chars: number;
  readonly sha256?: string | undefined;
};

export type ToolEntry = {
  readonly tool_name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly result: Payload;
  readonly timestamp: string;
  readonly status: "success" | "failure";
};

/**
 * Where a step of a graph said to go on. `static` is a declared edge, `conditional` a router's answer, `goto` a Command's, `send` a task
 * of its own, `join` an edge that waits for others, `error` the way to an error handler. Whether it was taken is known when the target starts.
 */
export type GraphMove = {
  readonly to: string;
  readonly via: "static" | "conditional" | "goto" | "send" | "join" | "error";
  /** The channel of a join. */
  readonly trigger?: string | undefined;
  /** The target lies in the graph around this one. */
  readonly parent?: boolean | undefined;
  /** How many equal moves in a row this stands for; absent for one. */
  readonly count?: number | undefined;
};

/** Which task of a graph a node ran as. The same task again is a retry, or the run after an interrupt. */
export type GraphStep = {
  readonly task: string;
  readonly step: number;
  readonly triggers: readonly string[];
  /** A sent task's place among those of its step. */
  readonly index?: number | undefined;
};

export type GraphEdge = { readonly from: string; readonly to: string; readonly conditional: boolean };

type ProducerReport = { readonly last_seq: number; readonly dropped?: Readonly<Record<string, number>> | undefined };

/** What a trace is recorded for. All but the live ones count in no figure, alert, session or user. */
export type TracePurpose = "live" | "experiment" | "replay" | "playground" | "judge";

/** The prompt that a model call is made with. */
export type PromptReference = { readonly name: string; readonly version: string };

export type EventBodies = {
  "trace.start": {
    readonly trace_id: string;
    readonly name: string;
    readonly started_at: string;
    readonly thread_id?: string | undefined;
    readonly session_id?: string | undefined;
    readonly user_id?: string | undefined;
    readonly environment?: string | undefined;
    readonly release?: string | undefined;
    readonly version?: string | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly purpose?: TracePurpose | undefined;
    readonly input?: Payload;
    readonly attributes?: Attributes | undefined;
  };
  "trace.end": {
    readonly trace_id: string;
    readonly ended_at: string;
    readonly status: EndStatus;
    readonly output?: Payload;
    readonly error?: string | undefined;
    readonly stack?: StackTrace | undefined;
    /** The checkpoint an interrupted run waits at. */
    readonly paused_at?: string | undefined;
    readonly attributes?: Attributes | undefined;
  };
  /** The run goes on from a checkpoint at which another run of the same thread was interrupted. */
  "trace.resume": { readonly trace_id: string; readonly resumed_at: string; readonly resumed_from: string };
  "observation.start": {
    readonly trace_id: string;
    readonly observation_id: string;
    readonly parent_id: string | null;
    readonly kind: ObservationKind;
    readonly name: string;
    readonly started_at: string;
    readonly model?: string | undefined;
    readonly prompt?: PromptReference | undefined;
    readonly code?: CodeReference | undefined;
    readonly graph_step?: GraphStep | undefined;
    readonly input?: Payload;
    readonly attributes?: Attributes | undefined;
  };
  "observation.end": {
    readonly trace_id: string;
    readonly observation_id: string;
    readonly ended_at: string;
    readonly duration_ms: number;
    readonly status: EndStatus;
    readonly output?: Payload;
    readonly error?: string | undefined;
    readonly stack?: StackTrace | undefined;
    readonly model?: string | undefined;
    readonly usage?: Usage | undefined;
    /** From the start of a streamed model call to its first chunk with content; absent for calls that did not stream. */
    readonly time_to_first_token_ms?: number | undefined;
    readonly reasoning?: Reasoning | undefined;
    readonly tool_entry?: ToolEntry | undefined;
    readonly next?: readonly GraphMove[] | undefined;
    readonly attributes?: Attributes | undefined;
  };
  graph: {
    readonly graph_hash: string;
    readonly name: string;
    readonly nodes: readonly string[];
    readonly edges: readonly GraphEdge[];
  };
  /** A graph took its input in: where its beginning leads. */
  "graph.enter": {
    readonly trace_id: string;
    /** The graph's observation; null for the trace's own graph. */
    readonly graph_id: string | null;
    readonly graph_hash?: string | undefined;
    /** Absent when the input itself said where to go. */
    readonly step?: number | undefined;
    readonly next: readonly GraphMove[];
  };
  blob: { readonly sha256: string; readonly content: Payload };
  score: {
    readonly trace_id: string;
    readonly observation_id?: string | undefined;
    readonly name: string;
    readonly value: number;
    readonly data_type?: "boolean" | undefined;
    readonly comment?: string | undefined;
  };
  "producer.hello": { readonly sdk: string; readonly runtime: string; readonly host: string; readonly pid: number };
  "producer.heartbeat": ProducerReport;
  "producer.bye": ProducerReport;
};

export type EventType = keyof EventBodies;
