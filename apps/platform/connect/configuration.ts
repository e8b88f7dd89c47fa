import { createHash } from "node:crypto";
import { z } from "zod";
import { addToJson } from "./add-to-json.ts";
import { addToToml, removeFromToml, tomlValueAt, type TomlTable } from "./edit-toml.ts";
import { segmentSchema, valueOf, type JsonValue, type Segment } from "./json-tree.ts";
import { findInJson, removeFromJson } from "./remove-from-json.ts";

/** What belongs into a configuration file, and where. */
export type Entry =
  | { readonly kind: "json"; readonly path: readonly Segment[]; readonly value: JsonValue }
  | { readonly kind: "toml"; readonly path: readonly string[]; readonly value: TomlTable };

const wasSchema = z.string().nullable();

/** What was written and what stood there before. The hash tells whether it is still ours without repeating the token. */
export const recordSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("json"),
    path: z.array(segmentSchema),
    hash: z.string(),
    steps: z.array(z.object({ path: z.array(segmentSchema), was: wasSchema })),
  }),
  z.object({ kind: z.literal("toml"), path: z.array(z.string()), hash: z.string(), step: z.object({ lead: z.string(), was: wasSchema }) }),
]);
export type Record = z.infer<typeof recordSchema>;

/** Writes an entry; `known` is what an earlier run wrote at that place, whose “before” stays the one to go back to. */
export function put(text: string, entry: Entry, known: Record | undefined): { readonly text: string; readonly record?: Record } {
  const ours = known !== undefined && isStillThere(text, known) ? known : undefined;
  const hash = hashOf(entry.value);
  if (entry.kind === "toml") {
    const { text: written, step } = addToToml(text, entry.path, entry.value);
    const first = ours?.kind === "toml" ? ours.step : step;
    return first === undefined ? { text: written } : { text: written, record: { kind: "toml", path: [...entry.path], hash, step: first } };
  }
  const { text: written, steps } = addToJson(text, entry.path, entry.value);
  const first = ours?.kind === "json" ? ours.steps : [...steps];
  return first.length === 0
    ? { text: written }
    : {
        text: written,
        record: { kind: "json", path: [...entry.path], hash, steps: first.map(({ path, was }) => ({ path: [...path], was })) },
      };
}

/** Whether the place holds what was written, neither changed nor removed since. */
export function isStillThere(text: string, record: Record): boolean {
  const value = read(text, record);
  return value !== undefined && hashOf(value) === record.hash;
}

/** Whether nothing of it is there: the place is empty or as it was before, also when writing was cut short. */
export function isGone(text: string, record: Record): boolean {
  if (record.kind === "toml") {
    const { was } = record.step;
    return tomlValueAt(text, record.path) === undefined || (was !== null && text.includes(was));
  }
  const node = findInJson(text, record.path)?.node;
  return node === undefined || text.slice(node.offset, node.offset + node.length) === record.steps.at(-1)?.was;
}

export function takeOut(text: string, record: Record): string {
  return record.kind === "toml" ? removeFromToml(text, record.path, record.step) : removeFromJson(text, record.steps);
}

function read(text: string, record: Record): unknown {
  if (record.kind === "toml") {
    return tomlValueAt(text, record.path);
  }
  const found = findInJson(text, record.path);
  return found === undefined ? undefined : valueOf(found.node);
}

/** Of the value, not its text: programs that write their own file anew also order and indent it anew. */
function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(ordered(value)))
    .digest("hex");
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, ordered(inner)]),
  );
}
