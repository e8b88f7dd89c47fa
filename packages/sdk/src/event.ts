import type { BufferedEvent } from "./event-buffer.ts";

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
  /** Unicode code points before the cut. */
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

export type GraphEdge = { readonly from: string; readonly to: string; readonly conditional: boolean };

type ProducerReport = { readonly last_seq: number; readonly dropped?: Readonly<Record<string, number>> | undefined };

export type EventBodies = {
  "trace.start": {
    readonly trace_id: string;
    readonly name: string;
    readonly started_at: string;
    readonly thread_id?: string | undefined;
    readonly session_id?: string | undefined;
    readonly user_id?: string | undefined;
    readonly input?: Payload;
    readonly attributes?: Attributes | undefined;
  };
  "trace.end": {
    readonly trace_id: string;
    readonly ended_at: string;
    readonly status: EndStatus;
    readonly output?: Payload;
    readonly error?: string | undefined;
    readonly attributes?: Attributes | undefined;
  };
  "observation.start": {
    readonly trace_id: string;
    readonly observation_id: string;
    readonly parent_id: string | null;
    readonly kind: ObservationKind;
    readonly name: string;
    readonly started_at: string;
    readonly model?: string | undefined;
    readonly code?: CodeReference | undefined;
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
    readonly model?: string | undefined;
    readonly usage?: Usage | undefined;
    readonly reasoning?: Reasoning | undefined;
    readonly tool_entry?: ToolEntry | undefined;
    readonly attributes?: Attributes | undefined;
  };
  graph: {
    readonly graph_hash: string;
    readonly name: string;
    readonly nodes: readonly string[];
    readonly edges: readonly GraphEdge[];
  };
  blob: { readonly sha256: string; readonly content: Payload };
  score: {
    readonly trace_id: string;
    readonly observation_id?: string | undefined;
    readonly name: string;
    readonly value: number;
    readonly comment?: string | undefined;
  };
  "producer.hello": { readonly sdk: string; readonly runtime: string; readonly host: string; readonly pid: number };
  "producer.heartbeat": ProducerReport;
  "producer.bye": ProducerReport;
};

export type EventType = keyof EventBodies;

/** One stream entry: flat fields, the body as JSON text. */
export type StreamEntry = {
  readonly id: string;
  readonly type: EventType;
  readonly seq: number;
  readonly ts: string;
  readonly body: string;
  /** The event in the buffer it was made of. */
  readonly source: BufferedEvent;
};
