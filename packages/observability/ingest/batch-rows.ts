import { insertOnce, insertRows, upsertOfDay, upsertTraces, type Columns } from "./upsert-statements.ts";

/** A timestamp as text with six decimals, so that texts order as times do. */
type Instant = string;

type Half<Name extends "start" | "end"> = {
  readonly [Column in `${Name}_event` | `${Name}_producer`]?: string;
} & { readonly [Column in `${Name}_seq`]?: number };

export type TraceWrite = Half<"start"> &
  Half<"end"> & {
    readonly project_id: string;
    readonly id: string;
    readonly seen_at: Instant;
    readonly name?: string;
    readonly started_at?: Instant;
    readonly thread_id?: string | undefined;
    readonly session_id?: string | undefined;
    readonly user_id?: string | undefined;
    readonly start_words?: readonly string[];
    readonly end_words?: readonly string[];
    readonly ended_at?: Instant;
    readonly end_status?: string;
    readonly error?: string | undefined;
    readonly paused_at?: string | undefined;
    readonly resumed_from?: string;
    readonly resumed_at?: Instant;
  };

export type ObservationWrite = Half<"start"> &
  Half<"end"> & {
    readonly project_id: string;
    readonly trace_id: string;
    readonly id: string;
    readonly seen_at: Instant;
    readonly parent_id?: string | null;
    readonly kind?: string;
    readonly name?: string;
    readonly started_at?: Instant;
    readonly start_model?: string | undefined;
    readonly code?: object | undefined;
    readonly graph_step?: object | undefined;
    readonly ended_at?: Instant;
    readonly duration_ms?: number;
    readonly end_status?: string;
    readonly error?: string | undefined;
    readonly end_model?: string | undefined;
    readonly input_tokens?: number | undefined;
    readonly output_tokens?: number | undefined;
    readonly cache_read_tokens?: number | undefined;
    readonly cache_write_tokens?: number | undefined;
    readonly reasoning_tokens?: number | undefined;
    readonly next?: object | undefined;
  };

export type PayloadWrite = {
  readonly project_id: string;
  readonly trace_id: string;
  readonly event_id: string;
  readonly owner_id: string;
  readonly part: "start" | "end" | "update" | "enter";
  readonly seq: number;
  readonly value?: unknown;
  readonly attributes?: object | undefined;
  readonly reasoning?: object | undefined;
  readonly usage?: object | undefined;
  readonly tool_entry?: object | undefined;
};

export type ProducerWrite = {
  readonly project_id: string;
  readonly producer_id: string;
  readonly first_event_at: Instant;
  readonly last_event_at: Instant;
  /** As text, e.g. `{[1,4),[7,8)}`. */
  readonly seen: string;
  readonly announced_seq?: number | undefined;
  readonly hello?: object | undefined;
  readonly dropped?: object | undefined;
  readonly dropped_seq?: number | undefined;
  readonly ended_at?: Instant | undefined;
};

export type DeadLetterWrite = {
  readonly id: string;
  readonly stream: string;
  readonly entry_id: string;
  readonly project_id: string | undefined;
  readonly reason: string;
  readonly entry: string;
  readonly is_whole: boolean;
};

/** The rows of a batch. In each list every key occurs once, in the order of the keys, so that two writers never wait for each other crosswise. */
export type BatchRows = {
  readonly traces: readonly TraceWrite[];
  readonly observations: readonly ObservationWrite[];
  readonly payloads: readonly PayloadWrite[];
  readonly blobs: readonly { readonly project_id: string; readonly sha256: string; readonly content: unknown }[];
  /** Those that nobody may read any more, whether they are there already or come later. */
  readonly maskedContents?: readonly { readonly project_id: string; readonly sha256: string }[];
  readonly graphs: readonly {
    readonly project_id: string;
    readonly graph_hash: string;
    readonly name: string;
    readonly nodes: unknown;
    readonly edges: unknown;
  }[];
  readonly scores: readonly {
    readonly project_id: string;
    readonly trace_id: string;
    readonly event_id: string;
    readonly observation_id?: string | undefined;
    readonly name: string;
    readonly value: number;
    readonly comment?: string | undefined;
    readonly scored_at: Instant;
  }[];
  readonly deadLetters: readonly DeadLetterWrite[];
  readonly producers: readonly ProducerWrite[];
};

const startOf = (columns: Columns): Columns => ({ start_event: "uuid", start_producer: "uuid", start_seq: "bigint", ...columns });
const endOf = (columns: Columns): Columns => ({ end_event: "uuid", end_producer: "uuid", end_seq: "bigint", ...columns });

export const upsertTraceRows = upsertTraces({
  key: { project_id: "uuid", id: "uuid" },
  start: startOf({
    name: "text",
    started_at: "timestamptz",
    thread_id: "text",
    session_id: "text",
    user_id: "text",
    start_words: "text[]",
  }),
  end: endOf({ ended_at: "timestamptz", end_status: "text", error: "text", end_words: "text[]", paused_at: "text" }),
  once: { resumed_from: "text", resumed_at: "timestamptz" },
});

/**
 * Of everything but the traces, which come first: whoever has their days may write what belongs to them. The producers come last:
 * every replica that reads the same producer's events waits for that row.
 */
export const upserts: readonly { readonly name: Exclude<keyof BatchRows, "traces">; readonly statement: string }[] = [
  {
    name: "observations",
    statement: upsertOfDay({
      table: "observations",
      key: { project_id: "uuid", trace_id: "uuid", id: "uuid" },
      start: startOf({
        parent_id: "uuid",
        kind: "text",
        name: "text",
        started_at: "timestamptz",
        start_model: "text",
        code: "json",
        graph_step: "json",
      }),
      end: endOf({
        ended_at: "timestamptz",
        duration_ms: "double precision",
        end_status: "text",
        error: "text",
        end_model: "text",
        input_tokens: "bigint",
        output_tokens: "bigint",
        cache_read_tokens: "bigint",
        cache_write_tokens: "bigint",
        reasoning_tokens: "bigint",
        next: "json",
      }),
    }),
  },
  {
    name: "payloads",
    statement: insertOnce("payloads", {
      project_id: "uuid",
      trace_id: "uuid",
      event_id: "uuid",
      owner_id: "uuid",
      part: "text",
      seq: "bigint",
      value: "json",
      attributes: "json",
      reasoning: "json",
      usage: "json",
      tool_entry: "json",
      day: "date",
    }),
  },
  {
    name: "blobs",
    statement: `${insertRows("blobs", { project_id: "uuid", sha256: "text", content: "json" })}
on conflict (project_id, sha256) do update set used_at = now() where t.used_at < now() - interval '1 hour'`,
  },
  {
    name: "maskedContents",
    statement: `${insertRows("blobs", { project_id: "uuid", sha256: "text", content: "json" })}
on conflict (project_id, sha256) do update set content = excluded.content where t.content::text <> excluded.content::text`,
  },
  {
    name: "graphs",
    statement: insertOnce("graphs", { project_id: "uuid", graph_hash: "text", name: "text", nodes: "json", edges: "json" }),
  },
  {
    name: "scores",
    statement: insertOnce("scores", {
      project_id: "uuid",
      trace_id: "uuid",
      event_id: "uuid",
      observation_id: "uuid",
      name: "text",
      value: "double precision",
      comment: "text",
      scored_at: "timestamptz",
    }),
  },
  {
    name: "deadLetters",
    statement: insertOnce("dead_letters", {
      id: "uuid",
      stream: "text",
      entry_id: "text",
      project_id: "uuid",
      reason: "text",
      entry: "text",
      is_whole: "boolean",
    }),
  },
  {
    name: "producers",
    statement: `${insertRows("producers", {
      project_id: "uuid",
      producer_id: "uuid",
      first_event_at: "timestamptz",
      last_event_at: "timestamptz",
      seen: "int8multirange",
      announced_seq: "bigint",
      hello: "json",
      dropped: "json",
      dropped_seq: "bigint",
      ended_at: "timestamptz",
    })}
on conflict (project_id, producer_id) do update set
  first_event_at = least(t.first_event_at, excluded.first_event_at),
  last_event_at = greatest(t.last_event_at, excluded.last_event_at),
  heard_at = now(),
  gone_at = null,
  seen = t.seen + excluded.seen,
  announced_seq = greatest(t.announced_seq, excluded.announced_seq),
  hello = coalesce(t.hello, excluded.hello),
  dropped = case when excluded.dropped_seq > coalesce(t.dropped_seq, 0) then excluded.dropped else t.dropped end,
  dropped_seq = greatest(t.dropped_seq, excluded.dropped_seq),
  ended_at = greatest(t.ended_at, excluded.ended_at)`,
  },
];
