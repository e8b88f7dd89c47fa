import { z } from "zod";

/**
 * The numbers that steps and traces are told by, a row each: the columns of a model call, what answers tell, the fields of the query language,
 * the list's columns and the step's panel follow from here. Safe to import in a browser.
 */
export const NUMBERS = {
  duration_ms: {
    unit: "duration",
    label: "Duration",
    ofTrace: "apart",
    field: { name: "duration", description: "How long it ran, without the time it waited", example: ">5s" },
    column: { width: 86 },
    hasPercentiles: true,
  },
  /** From the start of a streamed model call to the first chunk with text, reasoning or a tool call; a trace's is that of its slowest. */
  time_to_first_token_ms: {
    unit: "duration",
    label: "Time to first token",
    isOfCall: true,
    ofTrace: "max",
    field: { name: "ttft", description: "The longest time to first token of its streamed model calls", example: ">2s" },
    column: { width: 132 },
    hasPercentiles: true,
  },
  /** Including tokens read from and written to the provider's cache. */
  input_tokens: {
    unit: "count",
    label: "Tokens in",
    isOfCall: true,
    ofTrace: "sum",
    field: { name: "input_tokens", description: "Tokens read", example: ">10k" },
  },
  output_tokens: {
    unit: "count",
    label: "Tokens out",
    isOfCall: true,
    ofTrace: "sum",
    field: { name: "output_tokens", description: "Tokens written", example: ">1k" },
  },
  cache_read_tokens: { unit: "count", label: "from cache", isOfCall: true, partOf: "input_tokens" },
  cache_write_tokens: { unit: "count", label: "to cache", isOfCall: true, partOf: "input_tokens" },
  reasoning_tokens: { unit: "count", label: "reasoning", isOfCall: true, partOf: "output_tokens" },
  /** The cost by the project's prices, else as reported, else by the default prices; null when there is none of them. */
  cost: {
    unit: "money",
    label: "Cost",
    ofTrace: "apart",
    field: { name: "cost", description: "US dollars, by the project's prices or as reported", example: ">0.10" },
    column: { width: 84 },
  },
  /** US dollars, as the provider or the application's library said. */
  reported_cost: { unit: "money", label: "reported", isOfCall: true, partOf: "cost" },
} as const satisfies Readonly<Record<string, NumberDefinition>>;

/** Milliseconds, US dollars, or whole pieces. */
export type NumberUnit = "duration" | "money" | "count";

type NumberDefinition = {
  readonly unit: NumberUnit;
  /** The name that pages show. */
  readonly label: string;
  /** A model call reports it as it ends, and the step has a column of its name. */
  readonly isOfCall?: true;
  /** How a trace's is made of those of its steps, or that it is made in a way of its own; without it, traces have none. */
  readonly ofTrace?: "sum" | "max" | "apart";
  /** The number that this one is a part of, beside which the step's panel shows it. */
  readonly partOf?: string;
  /** By which a list of traces is asked for it; the list's column bears the same name. */
  readonly field?: { readonly name: string; readonly description: string; readonly example: string };
  /** Its column in the list; pixels. */
  readonly column?: { readonly width: number };
  /** The figures of an hour tell how it was spread. */
  readonly hasPercentiles?: true;
};

type Numbers = typeof NUMBERS;
export type NumberName = keyof Numbers;
type NamesWith<Property> = { [Name in NumberName]: Property extends keyof Numbers[Name] ? Name : never }[NumberName];
export type CallNumberName = NamesWith<"isOfCall">;
export type TraceNumberName = NamesWith<"ofTrace">;
/** The numbers that a trace's calls have together. */
export type AddedNumberName = TraceNumberName & CallNumberName;
/** A number that the list of traces has a column for, and that column's name. */
export type ListedNumberName = NamesWith<"column">;
export type NumberColumn = Numbers[ListedNumberName]["field"]["name"];

export type TimedNumberName = NamesWith<"hasPercentiles">;

export type CallNumbers = Readonly<Record<CallNumberName, number | null>>;
export type TraceNumbers = Readonly<Record<TraceNumberName, number | null>>;

function namesWith<Property extends string>(property: Property): readonly NamesWith<Property>[] {
  return Object.entries(NUMBERS).flatMap(([name, definition]) => (property in definition ? [name as NamesWith<Property>] : []));
}

export const CALL_NUMBERS = namesWith("isOfCall");
/** A call's counts: its tokens. */
type TokenName = { [Name in CallNumberName]: Numbers[Name]["unit"] extends "count" ? Name : never }[CallNumberName];
const TOKENS = CALL_NUMBERS.filter((name): name is TokenName => NUMBERS[name].unit === "count");

export function mapTokens<Value>(valueFor: (name: TokenName) => Value): Record<TokenName, Value> {
  return Object.fromEntries(TOKENS.map((name) => [name, valueFor(name)])) as Record<TokenName, Value>;
}

export const TRACE_NUMBERS = namesWith("ofTrace");
export const ADDED_NUMBERS = TRACE_NUMBERS.filter((name): name is AddedNumberName => "isOfCall" in NUMBERS[name]);
export const LISTED_NUMBERS = namesWith("column");
export const TIMED_NUMBERS = namesWith("hasPercentiles");

function pickNumbers<Name extends NumberName>(
  names: readonly Name[],
  row: Readonly<Record<Name, number | null>>,
): Record<Name, number | null> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Record<Name, number | null>;
}

export function pickCallNumbers(row: CallNumbers): CallNumbers {
  return pickNumbers(CALL_NUMBERS, row);
}

export function pickTraceNumbers(row: TraceNumbers): TraceNumbers {
  return pickNumbers(TRACE_NUMBERS, row);
}

function schemasOf<Name extends NumberName>(names: readonly Name[]): Record<Name, z.ZodNullable<z.ZodNumber>> {
  const entries = names.map((name) => [name, (NUMBERS[name].unit === "count" ? z.int() : z.number()).nullable()]);
  return Object.fromEntries(entries) as Record<Name, z.ZodNullable<z.ZodNumber>>;
}

/** Null where the provider reported none. */
export const callNumberSchemas = schemasOf(CALL_NUMBERS);
export const traceNumberSchemas = schemasOf(TRACE_NUMBERS);
