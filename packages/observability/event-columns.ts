import type { Generated } from "kysely";
import type { ScoreDataType } from "./contract/scores.ts";
import type { StackTrace } from "./contract/parts.ts";
import type { TracePurpose } from "./trace-purpose.ts";
import { CALL_NUMBERS, NUMBERS, type CallNumberName } from "./step-numbers.ts";

/**
 * The columns that events write, one table of them for each table of the database: what a row is when it is read, what a batch writes, and the
 * statement that writes it all follow from here. What the columns mean is said in the migrations.
 */

/** A column's type in PostgreSQL; as it is read; and as it is given to be written, where that is something else. */
export type Column = { readonly type: string; readonly types?: readonly [read: unknown, given: unknown] };
type Typed<Read, Given> = Column & { readonly types?: readonly [read: Read, given: Given] };
export type Columns = Readonly<Record<string, Column>>;

/** `required` is never null; the others are as long as no event has said them. */
export type EventTable = {
  readonly required: Columns;
  readonly optional?: Columns;
  /** Each half of a row is written by one event. */
  readonly start?: Columns;
  readonly end?: Columns;
  /** Columns that an event of its own writes, once in the life of a row; were there two, the lower value stays. */
  readonly once?: Columns;
  /** Columns of which the highest value that any event writes stays. */
  readonly latest?: Columns;
};

type Types<Of> = Of extends Column ? NonNullable<Of["types"]> : never;
type Rest<Table> = Omit<Table, "required">[keyof Omit<Table, "required">];
type KeyOf<Group> = Group extends unknown ? keyof Group : never;
type Member<Group, Name> = Group extends unknown ? (Name extends keyof Group ? Group[Name] : never) : never;

/** A row as it is read. */
export type RowOf<Table extends EventTable> = { [Name in keyof Table["required"]]: Types<Table["required"][Name]>[0] } & {
  [Name in KeyOf<Rest<Table>>]: Types<Member<Rest<Table>, Name>>[0] | null;
};

/** A row as a batch gives it. */
export type WriteOf<Table extends EventTable> = { readonly [Name in keyof Table["required"]]: Types<Table["required"][Name]>[1] } & {
  readonly [Name in KeyOf<Rest<Table>>]?: Types<Member<Rest<Table>, Name>>[1] | undefined;
};

function column<Read, Given = Read>(type: string): Typed<Read, Given> {
  return { type };
}

const uuid = column<string>("uuid");
const text = column<string>("text");
const integer = column<number>("bigint");
const real = column<number>("double precision");
/** Given as text with six decimals, so that texts order as times do. */
const time = column<Date, string>("timestamptz");
const json = <Read = unknown, Given = object>() => column<Read, Given>("json");

export type GraphStep = {
  readonly task: string;
  readonly step: number;
  readonly triggers: readonly string[];
  readonly index?: number;
};

export type GraphMove = {
  readonly to: string;
  readonly via: "static" | "conditional" | "goto" | "send" | "join" | "error";
  readonly trigger?: string;
  readonly parent?: boolean;
  readonly count?: number;
};

export type CodePlace = { repo?: string; commit?: string; file: string; line: number; function?: string };

const startOf = { start_event: uuid, start_producer: uuid, start_seq: integer };
const endOf = { end_event: uuid, end_producer: uuid, end_seq: integer };

const callNumbers = Object.fromEntries(CALL_NUMBERS.map((name) => [name, NUMBERS[name].unit === "count" ? integer : real])) as Record<
  CallNumberName,
  Typed<number, number>
>;

export const TRACES = {
  required: { project_id: uuid, id: uuid, seen_at: time },
  start: {
    ...startOf,
    name: text,
    started_at: time,
    thread_id: text,
    own_session_id: text,
    own_user_id: text,
    start_words: column<string[], readonly string[]>("text[]"),
    start_fields: column<string[], readonly string[]>("text[]"),
    start_line: text,
  },
  end: {
    ...endOf,
    ended_at: time,
    end_status: text,
    error: text,
    end_words: column<string[], readonly string[]>("text[]"),
    end_line: text,
  },
  once: {
    paused_at: text,
    resumed_from: text,
    purpose: column<Exclude<TracePurpose, "live">>("text"),
    told_session_id: text,
    told_user_id: text,
  },
  latest: { waits_since: time, resumed_at: time },
};

export const OBSERVATIONS = {
  required: { project_id: uuid, trace_id: uuid, id: uuid, seen_at: time },
  start: {
    ...startOf,
    parent_id: column<string, string | null>("uuid"),
    kind: column<"graph" | "node" | "tool" | "llm" | "retriever" | "span">("text"),
    name: text,
    started_at: time,
    start_model: text,
    prompt: text,
    start_line: text,
    code: json<CodePlace>(),
    graph_step: json<GraphStep>(),
  },
  end: {
    ...endOf,
    ended_at: time,
    duration_ms: real,
    end_status: column<"success" | "failure" | "interrupted">("text"),
    error: text,
    end_model: text,
    end_line: text,
    ...callNumbers,
    next: json<readonly GraphMove[]>(),
  },
};

export const PAYLOADS = {
  required: {
    project_id: uuid,
    trace_id: uuid,
    event_id: uuid,
    owner_id: uuid,
    part: column<"start" | "end" | "update" | "enter">("text"),
    seq: integer,
  },
  optional: {
    value: json<unknown, unknown>(),
    attributes: json<Record<string, unknown>>(),
    reasoning: json<{ text: string; truncated: boolean; original_chars: number }>(),
    usage: json(),
    stack: json<StackTrace>(),
    tool_entry: json<{ parameters: unknown; result: unknown }>(),
  },
};

export const BLOBS = { required: { project_id: uuid, sha256: text, content: json<unknown, unknown>() } };

/** It follows from payloads; no event writes it as such. */
export const BLOB_REFERENCES = { required: { project_id: uuid, trace_id: uuid, contents: column<string[], readonly string[]>("uuid[]") } };

export const GRAPHS = {
  required: {
    project_id: uuid,
    graph_hash: text,
    name: text,
    nodes: json<string[], unknown>(),
    edges: json<{ from: string; to: string; conditional: boolean }[], unknown>(),
  },
};

export const SCORES = {
  required: { project_id: uuid, trace_id: uuid, event_id: uuid, name: text, data_type: column<ScoreDataType>("text"), scored_at: time },
  optional: { observation_id: uuid, value: real, text_value: text, comment: text },
};

export const DEAD_LETTERS = {
  required: {
    id: uuid,
    stream: text,
    entry_id: text,
    reason: text,
    entry: text,
    is_whole: column<Generated<boolean>, boolean>("boolean"),
  },
  optional: { project_id: uuid },
};

export const PRODUCERS = {
  required: {
    project_id: uuid,
    producer_id: uuid,
    first_event_at: time,
    last_event_at: time,
    /** The ranges as text, e.g. `{[1,4),[7,8)}`. */
    seen: column<string>("int8multirange"),
  },
  optional: { announced_seq: integer, hello: json(), dropped: json(), dropped_seq: integer, ended_at: time },
};
