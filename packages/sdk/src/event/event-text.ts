import { maskText, mayHoldSecrets } from "../mask/secret-texts.ts";

/** A part of an event's text that stands for one value, from `start` to before `end`, and may be replaced by a reference. */
export type TextPart = { readonly start: number; readonly end: number };

export type EventText = { readonly text: string; readonly parts: readonly TextPart[] };

/** A reference is 78 characters; below this it saves little. */
const MIN_PART_LENGTH = 256;
const MAX_PARTS = 256;
const ADDRESSED = new Set(["input", "output"]);
/** These are the event's own copies; the others are the SDK's words or shared between events. */
const MASKED_FIELDS = new Set(["name", "input", "output", "error", "attributes", "usage", "reasoning", "tool_entry", "comment"]);

/**
 * A body as JSON, with secrets within its texts masked; its payloads are changed in place. Messages and keys of the state are the
 * parts: the same ones come again with every step of a run.
 */
export function writeEventText(body: Readonly<Record<string, unknown>>): EventText {
  const writer: Writer = { pieces: [], length: 0, parts: [] };
  let separator = "{";
  for (const [key, value] of Object.entries(body)) {
    if (value !== undefined) {
      put(writer, `${separator}${JSON.stringify(key)}:`);
      separator = ",";
      writeValue(writer, value, ADDRESSED.has(key) ? "payload" : "whole", MASKED_FIELDS.has(key) ? maskedJson : plainJson);
    }
  }
  put(writer, separator === "{" ? "{}" : "}");
  // Joined once: a text that grew by `+=` is put together when it is first read, which takes longer than all that is done here.
  return { text: writer.pieces.join(""), parts: writer.parts };
}

type Writer = { readonly pieces: string[]; length: number; readonly parts: TextPart[] };

function put(writer: Writer, piece: string): void {
  writer.pieces.push(piece);
  writer.length += piece.length;
}

/** Parts are the items of a payload that is a list; of an object its values, and of those that are lists their items. */
function writeValue(writer: Writer, value: unknown, as: "payload" | "value" | "item" | "whole", toJson: typeof plainJson): void {
  const [start, partsBefore] = [writer.length, writer.parts.length];
  if (Array.isArray(value) && (as === "payload" || as === "value")) {
    put(writer, "[");
    value.forEach((item, index) => {
      if (index > 0) {
        put(writer, ",");
      }
      writeValue(writer, item, "item", toJson);
    });
    put(writer, "]");
  } else if (typeof value === "object" && value !== null && as === "payload") {
    let separator = "{";
    for (const [key, item] of Object.entries(value)) {
      put(writer, `${separator}${JSON.stringify(key)}:`);
      separator = ",";
      writeValue(writer, item, "value", toJson);
    }
    put(writer, separator === "{" ? "{}" : "}");
  } else {
    put(writer, toJson(value));
  }
  const end = writer.length;
  if (as !== "whole" && end - start >= MIN_PART_LENGTH && writer.parts.length === partsBefore && partsBefore < MAX_PARTS) {
    writer.parts.push({ start, end });
  }
}

function plainJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

/** Most values hold nothing that a mask would look at twice, which their JSON tells at once. */
function maskedJson(value: unknown): string {
  const json = plainJson(value);
  return mayHoldSecrets(json) ? plainJson(maskTexts(value)) : json;
}

/** Changes the texts of a copy in place. */
function maskTexts(value: unknown): unknown {
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
