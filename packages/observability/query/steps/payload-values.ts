import { parseExactly } from "@sightline/foundation/exact-json";
import type { TruncatedValue } from "#contract.ts";
import type { Blob } from "./blobs.store.ts";
import { PREVIEW, MAX_VALUE, type PayloadPart, type PayloadTexts } from "./payload-texts.store.ts";
import { resolveBlobs } from "./resolve-blobs.ts";

export type FindBlobs = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Blob>>;

/** A payload's parts as values, with contents in the places of references; those that are too long say where they are. */
export type PayloadValues = Readonly<Record<PayloadPart, unknown>> & Pick<PayloadTexts, "event_id" | "owner_id" | "reasoning" | "stack">;

const PARTS = ["value", "attributes", "parameters", "result"] as const satisfies readonly PayloadPart[];

export async function toValues(rows: readonly PayloadTexts[], findBlobs: FindBlobs): Promise<readonly PayloadValues[]> {
  const wholes = rows.flatMap((row) =>
    PARTS.flatMap((part) => {
      const given = row[part];
      return given === null || given.characters > MAX_VALUE ? [] : [{ row, part, value: parseExactly(given.text) }];
    }),
  );
  const asRows = wholes.map(({ value }) => ({ value, attributes: null, tool_entry: null }));
  const resolved = await resolveBlobs(asRows, findBlobs);
  const values = new Map<string, unknown>();
  for (const [index, { row, part }] of wholes.entries()) {
    const place = { payload_id: row.event_id, part };
    const value = resolved[index]?.value;
    values.set(keyOf(row, part), row[part]?.text.includes('$blob"') === true ? bounded(value, place) : value);
  }
  return rows.map((row) => {
    const valueOf = (part: PayloadPart): unknown => {
      const given = row[part];
      return given !== null && given.characters > MAX_VALUE
        ? cut(given.text, given.characters, { payload_id: row.event_id, part })
        : (values.get(keyOf(row, part)) ?? null);
    };
    return {
      event_id: row.event_id,
      owner_id: row.owner_id,
      reasoning: row.reasoning,
      stack: row.stack,
      value: valueOf("value"),
      attributes: valueOf("attributes"),
      parameters: valueOf("parameters"),
      result: valueOf("result"),
    };
  });
}

/** A later event's value of a key replaces an earlier one's. What is more than an answer holds is named by the events that carried it. */
export function mergeAttributes(rows: readonly PayloadValues[]): Record<string, unknown> {
  let left = MAX_VALUE;
  return Object.fromEntries(
    rows.flatMap(({ event_id: eventId, attributes }) => {
      if (typeof attributes !== "object" || attributes === null) {
        return [];
      }
      const text = JSON.stringify(attributes);
      left -= text.length;
      return Object.entries(left >= 0 ? attributes : cut(text, lengthOf(text), { payload_id: eventId, part: "attributes" }));
    }),
  );
}

type PayloadPosition = Pick<TruncatedValue, "payload_id" | "part">;

function bounded(value: unknown, place: PayloadPosition): unknown {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_VALUE ? value : cut(text, lengthOf(text), place);
}

function cut(text: string, characters: number, place: PayloadPosition): TruncatedValue {
  return { truncated: true, characters, preview: sliceCharacters(text, 0, PREVIEW).text, ...place };
}

/** In Unicode characters, as PostgreSQL counts them. */
function lengthOf(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    if (isPair(text, index)) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

/** `length` Unicode characters from the one at `from`, and how many there are. */
export function sliceCharacters(text: string, from: number, length: number): { readonly text: string; readonly characters: number } {
  let [begin, end, count] = [text.length, text.length, 0];
  for (let index = 0; index < text.length && count < from + length + 1; index += 1) {
    if (count === from) {
      begin = index;
    }
    if (count === from + length) {
      end = index;
    }
    index += isPair(text, index) ? 1 : 0;
    count += 1;
  }
  return { text: text.slice(begin, end), characters: lengthOf(text) };
}

function isPair(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

function keyOf({ event_id: eventId }: PayloadTexts, part: PayloadPart): string {
  return `${eventId} ${part}`;
}
