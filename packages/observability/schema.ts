import type { ColumnType, Generated } from "kysely";

/** Rows of the schema `observability`; what the columns mean is said in the migrations. */
export type ObservabilitySchema = {
  "observability.projects": ProjectRow;
  "observability.traces": TraceRow;
  "observability.observations": ObservationRow;
  "observability.payloads": PayloadRow;
  "observability.producers": ProducerRow;
  "observability.ingest_gaps": IngestGapRow;
  "observability.dead_letters": DeadLetterRow;
  "observability.api_keys": ApiKeyRow;
};

/** Set by the database, never written. */
type Derived<Value> = ColumnType<Value, never, never>;

type ProjectRow = {
  id: string;
  tenant_id: string;
  name: string;
  created_at: Generated<Date>;
};

export type TraceRow = {
  project_id: string;
  id: string;
  seen_at: Date;
  start_event: string | null;
  start_producer: string | null;
  start_seq: number | null;
  name: string | null;
  started_at: Date | null;
  thread_id: string | null;
  session_id: string | null;
  user_id: string | null;
  end_event: string | null;
  end_producer: string | null;
  end_seq: number | null;
  ended_at: Date | null;
  end_status: string | null;
  error: string | null;
  sort_at: Derived<Date>;
  status: Derived<"running" | "success" | "failure" | "interrupted">;
};

export type ObservationRow = {
  project_id: string;
  trace_id: string;
  id: string;
  seen_at: Date;
  start_event: string | null;
  start_producer: string | null;
  start_seq: number | null;
  parent_id: string | null;
  kind: "graph" | "node" | "tool" | "llm" | "retriever" | "span" | null;
  name: string | null;
  started_at: Date | null;
  start_model: string | null;
  code: { repo?: string; commit?: string; file: string; line: number; function?: string } | null;
  end_event: string | null;
  end_producer: string | null;
  end_seq: number | null;
  ended_at: Date | null;
  duration_ms: number | null;
  end_status: "success" | "failure" | "interrupted" | null;
  error: string | null;
  end_model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
};

export type PayloadRow = {
  project_id: string;
  trace_id: string;
  event_id: string;
  owner_id: string;
  part: "start" | "end" | "update";
  seq: number;
  value: unknown;
  attributes: Record<string, unknown> | null;
  reasoning: { text: string; truncated: boolean; original_chars: number } | null;
  usage: unknown;
  tool_entry: { parameters: unknown; result: unknown } | null;
};

type ProducerRow = {
  project_id: string;
  producer_id: string;
  first_event_at: Date;
  last_event_at: Date;
  seen: string;
  announced_seq: number | null;
  hello: unknown;
  dropped: unknown;
  dropped_seq: number | null;
  ended_at: Date | null;
  holes: Derived<string>;
  suspects: Generated<string>;
  suspects_at: Date | null;
  lost: Generated<string>;
};

type IngestGapRow = {
  project_id: string;
  producer_id: string;
  first_seq: number;
  last_seq: number;
  found_at: Generated<Date>;
};

type DeadLetterRow = {
  id: string;
  stream: string;
  entry_id: string;
  project_id: string | null;
  reason: string;
  entry: string;
  created_at: Generated<Date>;
};

type ApiKeyRow = {
  id: string;
  project_id: string;
  name: string;
  prefix: string;
  key_sha256: string;
  scopes: string[];
  created_by: string | null;
  created_at: Generated<Date>;
  last_used_at: Date | null;
  revoked_at: Date | null;
};
