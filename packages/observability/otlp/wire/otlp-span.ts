import { isExactNumber, type ExactNumber } from "@sightline/foundation/exact-json";

/** The value of an attribute; bytes are base64. */
export type OtlpValue = string | number | ExactNumber | boolean | null | readonly OtlpValue[] | { readonly [key: string]: OtlpValue };

export type OtlpAttributes = ReadonlyMap<string, OtlpValue>;

export type OtlpEvent = { readonly name: string; readonly nanos: bigint; readonly attributes: OtlpAttributes };

/** A record of a log as an event of the span it was written in; without a name or a span it is of no use here. */
export type OtlpLog = { readonly traceId: string; readonly spanId: string; readonly event: OtlpEvent };

export type OtlpLink = { readonly traceId: string; readonly spanId: string; readonly attributes: OtlpAttributes };

/** A span as the wire has it, whichever encoding it came in. Ids are lower-case hexadecimal; those that are missing are empty. */
export type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly flags: number;
  readonly startNanos: bigint;
  /** 0 while it runs. */
  readonly endNanos: bigint;
  readonly attributes: OtlpAttributes;
  readonly events: readonly OtlpEvent[];
  readonly links: readonly OtlpLink[];
  readonly status: { readonly code: number; readonly message: string };
};

/** Spans of one instrumentation in one process. */
export type OtlpScopeSpans = {
  readonly resource: OtlpAttributes;
  readonly scope: { readonly name: string; readonly version: string };
  readonly spans: readonly OtlpSpan[];
};

export const STATUS_ERROR = 2;

/** Characters of a name in an event. */
export const MAX_NAME_LENGTH = 500;

/** How deeply attribute values may be nested; legitimate senders stay below. */
export const MAX_VALUE_DEPTH = 64;

/** The request cannot be read, or is built to exhaust the reader. */
export class UnreadableRequest extends Error {
  override readonly name = "UnreadableRequest";
}

/** The facts of a log's record: its attributes, and the fields of its body, or the body itself as `content`. */
export function toLogAttributes(attributes: OtlpAttributes, body: OtlpValue | undefined): OtlpAttributes {
  const fields = toRecord(body) ?? (body === undefined || body === null ? {} : { content: body });
  return new Map([...attributes, ...Object.entries(fields)]);
}

/** A text with something in it; a number, as which some send ids and versions, is its digits. */
export function toText(value: unknown): string | undefined {
  const text = typeof value === "number" || isExactNumber(value) ? String(value) : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The fields of an object; undefined of anything else. */
export function toRecord(value: OtlpValue | undefined): Readonly<Record<string, OtlpValue>> | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: OtlpValue | undefined): value is Readonly<Record<string, OtlpValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}
