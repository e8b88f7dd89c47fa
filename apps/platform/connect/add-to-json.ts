import { isDeepStrictEqual } from "node:util";
import type { Node } from "jsonc-parser";
import {
  childAt,
  childrenOf,
  commaAfter,
  demandContainer,
  endOfRemarks,
  readTree,
  valueOf,
  type JsonValue,
  type Segment,
} from "./json-tree.ts";
import { applyEdits, indentationAt, lineEndOf, type Edit } from "./text-edit.ts";

/** What stood at a path before: its text, or null when there was nothing. Undoing needs no more. */
export type Step = { readonly path: readonly Segment[]; readonly was: string | null };

export type Added = { readonly text: string; readonly steps: readonly Step[] };

/**
 * Puts a value at a path. The library's own `modify` would come between what is there and the comment behind it, so only the tree
 * and the tokens are its.
 */
export function addToJson(text: string, path: readonly Segment[], value: JsonValue): Added {
  let container = readTree(text);
  for (const [depth, segment] of path.entries()) {
    demandContainer(text, container, segment, nameOf(path.slice(0, depth)));
    const child = childAt(container, segment);
    if (child === undefined) {
      return insert(text, container, path, depth, value);
    }
    container = child.value;
  }
  if (isDeepStrictEqual(valueOf(container), value)) {
    return { text, steps: [] };
  }
  const was = text.slice(container.offset, container.offset + container.length);
  const isShort = !was.includes("\n") && !text.trim().includes("\n");
  const rendered = isShort ? JSON.stringify(value) : renderAt(text, value, indentationAt(text, container.offset), unitOf(text));
  const edit = { start: container.offset, end: container.offset + container.length, text: rendered };
  return { text: applyEdits(text, [edit]), steps: [{ path, was }] };
}

function nameOf(path: readonly Segment[]): string {
  const names = path.map((segment) => (typeof segment === "string" ? segment : segment.id));
  return names.length === 0 ? "the file" : `"${names.join(".")}"`;
}

function insert(text: string, container: Node, path: readonly Segment[], depth: number, value: JsonValue): Added {
  const segment = path[depth];
  const inner = wrap(path.slice(depth + 1), value);
  const made = path.slice(depth).map((_, index) => ({ path: path.slice(0, depth + index + 1), was: null }));
  const isEmpty = childrenOf(container).length === 0;
  const was = text.slice(container.offset, container.offset + container.length);
  return {
    text: applyEdits(text, isEmpty ? fill(text, container, segment, inner) : append(text, container, segment, inner)),
    steps: [...(isEmpty ? [{ path: path.slice(0, depth), was }] : []), ...made],
  };
}

/** `["a", {id: "b"}]` around a value is `{"a": [value]}`. */
function wrap(path: readonly Segment[], value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, segment) => (typeof segment === "string" ? { [segment]: inner } : [inner]), value);
}

function entryOf(segment: Segment | undefined, rendered: string): string {
  return typeof segment === "string" ? `${JSON.stringify(segment)}: ${rendered}` : rendered;
}

/** Puts the first child into an object or a list; comments that are all there is in it stay before it. */
function fill(text: string, container: Node, segment: Segment | undefined, value: JsonValue): readonly Edit[] {
  const [start, end] = [container.offset + 1, container.offset + container.length - 1];
  const remarks = text.slice(start, end).trimEnd();
  if (container.parent !== undefined && !text.trim().includes("\n")) {
    return [{ start, end, text: `${remarks}${entryOf(segment, JSON.stringify(value))}` }];
  }
  const [eol, outer, unit] = [lineEndOf(text), indentationAt(text, container.offset), unitOf(text)];
  const entry = entryOf(segment, renderAt(text, value, outer + unit, unit));
  return [{ start, end, text: `${remarks}${eol}${outer}${unit}${entry}${eol}${outer}` }];
}

/** Puts a child behind the last one, and behind the comment that stands on that one's line. */
function append(text: string, container: Node, segment: Segment | undefined, value: JsonValue): readonly Edit[] {
  const last = childrenOf(container).at(-1)?.whole ?? container;
  const lastEnd = last.offset + last.length;
  const comma = commaAfter(text, lastEnd);
  const missing = comma === undefined ? [{ start: lastEnd, end: lastEnd, text: "," }] : [];
  const trailing = comma === undefined ? "" : ",";
  const isOnOneLine = !text.slice(container.offset, last.offset).includes("\n");
  if (isOnOneLine) {
    const behind = comma?.end ?? lastEnd;
    return join(missing, { start: behind, end: behind, text: ` ${entryOf(segment, JSON.stringify(value))}${trailing}` });
  }
  const at = endOfRemarks(text, comma?.end ?? lastEnd);
  const indentation = indentationAt(text, last.offset);
  const entry = entryOf(segment, renderAt(text, value, indentation, unitOf(text)));
  return join(missing, { start: at, end: at, text: `${lineEndOf(text)}${indentation}${entry}${trailing}` });
}

/** Two insertions at one place are one, so that their order is plain. */
function join([comma]: readonly Edit[], entry: Edit): readonly Edit[] {
  if (comma === undefined) {
    return [entry];
  }
  return comma.start === entry.start ? [{ ...entry, text: comma.text + entry.text }] : [comma, entry];
}

function renderAt(text: string, value: JsonValue, indentation: string, unit: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${lineEndOf(text)}${indentation}`);
}

/** How far the file indents: as its first property does. */
function unitOf(text: string): string {
  return /^\s*\{[^\S\n]*(?:\/\/[^\n]*)?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
}
