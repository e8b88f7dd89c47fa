import { maskText, mayHoldSecrets } from "../mask/secret-texts.ts";

/** A part of an event's text that stands for one value, from `start` to before `end`, and may be replaced by a reference. */
export type TextPart = { readonly start: number; readonly end: number };

export type EventText = { readonly text: string; readonly parts: readonly TextPart[] };

/** A reference is 78 characters; below this it saves little. */
const MIN_PART_LENGTH = 256;
const MAX_PARTS = 256;
/** The payloads, whose messages and keys come again with every step of a run. */
const ADDRESSED = ["input", "output"];
/** These are the event's own copies; the others are the SDK's words or shared between events. */
const MASKED_FIELDS = ["name", "input", "output", "error", "stack", "attributes", "usage", "reasoning", "tool_entry", "comment"];

/**
 * A body as JSON, with secrets within its texts masked; its payloads are changed in place. Messages and keys of the state are the
 * parts: the same ones come again with every step of a run.
 */
export function writeEventText(body: Readonly<Record<string, unknown>>): EventText {
  const fields: Record<string, unknown> = body;
  const payloads: [field: string, value: unknown][] = [];
  for (const field of ADDRESSED) {
    if (mayHoldPart(fields[field])) {
      payloads.push([field, fields[field]]);
      fields[field] = undefined;
    }
  }
  const written: string[] = [];
  const plain = putTogether(fields, payloads, (value) => {
    const json = plainJson(value);
    written.push(json);
    return json;
  });
  // Most events hold nothing that a mask would look at twice, which their text tells at once.
  if (!mayHoldSecrets(plain.text)) {
    return plain;
  }
  let index = 0;
  return putTogether(fields, payloads, (value) => {
    const json = written[index] ?? "";
    index += 1;
    return mayHoldSecrets(json) ? plainJson(value === fields ? maskFields(fields) : maskTexts(value)) : json;
  });
}

type Writer = { readonly pieces: string[]; length: number; readonly parts: TextPart[]; readonly toJson: (value: unknown) => string };

function putTogether(fields: object, payloads: readonly (readonly [string, unknown])[], toJson: Writer["toJson"]): EventText {
  const others = toJson(fields);
  if (payloads.length === 0) {
    return { text: others, parts: NO_PARTS };
  }
  const writer: Writer = { pieces: [], length: 0, parts: [], toJson };
  put(writer, others.slice(0, -1));
  for (const [field, value] of payloads) {
    put(writer, writer.length > 1 ? `,"${field}":` : `"${field}":`);
    writeValue(writer, value, "payload");
  }
  put(writer, "}");
  // Joined once: a text that grew by `+=` is put together when it is first read, which takes longer than all that is done here.
  return { text: writer.pieces.join(""), parts: writer.parts };
}

const NO_PARTS: readonly TextPart[] = [];

/** Whether its JSON may be long enough; in JSON a character takes six at the most. */
function mayHoldPart(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || (typeof value === "string" && value.length * 6 + 2 >= MIN_PART_LENGTH);
}

function put(writer: Writer, piece: string): void {
  writer.pieces.push(piece);
  writer.length += piece.length;
}

/** Parts are the items of a payload that is a list; of an object its values, and of those that are lists their items. */
function writeValue(writer: Writer, value: unknown, as: "payload" | "value" | "item"): void {
  const [start, partsBefore] = [writer.length, writer.parts.length];
  if (Array.isArray(value) && as !== "item") {
    put(writer, "[");
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) {
        put(writer, ",");
      }
      writeValue(writer, value[index], "item");
    }
    put(writer, "]");
  } else if (typeof value === "object" && value !== null && as === "payload") {
    let separator = "{";
    for (const key of Object.keys(value)) {
      put(writer, `${separator}${JSON.stringify(key)}:`);
      separator = ",";
      writeValue(writer, (value as Record<string, unknown>)[key], "value");
    }
    put(writer, separator === "{" ? "{}" : "}");
  } else {
    put(writer, writer.toJson(value));
  }
  const end = writer.length;
  if (end - start >= MIN_PART_LENGTH && writer.parts.length === partsBefore && partsBefore < MAX_PARTS) {
    writer.parts.push({ start, end });
  }
}

function plainJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

/** Masks what of a body is its own. */
function maskFields(fields: Record<string, unknown>): object {
  for (const field of MASKED_FIELDS) {
    fields[field] = maskTexts(fields[field]);
  }
  return fields;
}

/** Changes the texts of a copy in place. */
export function maskTexts(value: unknown): unknown {
  if (typeof value === "string") {
    return maskText(value);
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      value[index] = maskTexts(value[index]);
    }
  } else if (typeof value === "object" && value !== null) {
    const entries = value as Record<string, unknown>;
    for (const key of Object.keys(entries)) {
      const text = entries[key];
      if (typeof text === "string" || typeof text === "object") {
        const masked = maskTexts(text);
        if (masked !== text) {
          Object.defineProperty(entries, key, { value: masked, enumerable: true, configurable: true, writable: true });
        }
      }
    }
  }
  return value;
}
