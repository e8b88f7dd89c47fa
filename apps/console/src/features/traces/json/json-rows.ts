import { isExactNumber } from "@sightline/foundation/exact-json";
import type { TruncatedValue } from "@sightline/observability/contract";
import type { TreeRow } from "#ui/kit/tree-keys.ts";

export type JsonPath = readonly (string | number)[];

/** A line of a JSON view: a value with its key, or a line of a long text that is open. */
export type JsonRow = TreeRow & {
  readonly path: JsonPath;
  /** Undefined at the top, and of a text's lines. */
  readonly label: string | number | undefined;
  readonly value: unknown;
  readonly line: string | undefined;
};

/** Rows of one view; what would be beyond is left out, and said. */
export const MAX_ROWS = 100_000;
/** Characters that a line has room for, where nothing else is said. */
const COLUMNS = 100;
/** Characters that a level of the tree takes, and that a line has at least. */
const [LEVEL, MIN_LINE] = [2, 24];
const MAX_LINES = 20_000;

/** Ids are made of a value's path, and are also ids of elements. */
export function toRowId(path: JsonPath): string {
  return path.reduce<string>(idBelow, "$");
}

function idBelow(id: string, key: string | number): string {
  const safe = typeof key === "number" ? key : key.replaceAll(/[^\w-]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}.`);
  return `${id}/${safe}`;
}

/** The rows of a value of which those are open that `isOpen` says. Texts are broken into lines of so many columns. */
export function jsonRows(
  value: unknown,
  isOpen: (id: string, path: JsonPath, value: unknown) => boolean,
  columns = COLUMNS,
): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const waiting: { readonly id: string; readonly path: JsonPath; readonly value: unknown }[] = [{ id: "$", path: [], value }];
  for (let next = waiting.pop(); next !== undefined && rows.length < MAX_ROWS; next = waiting.pop()) {
    const { id, path, value: given } = next;
    const room = Math.max(columns - path.length * LEVEL, MIN_LINE);
    const open = isFoldable(given, room - String(path.at(-1) ?? "").length) ? isOpen(id, path, given) : undefined;
    rows.push({ id, depth: path.length, expanded: open, path, label: path.at(-1), value: given, line: undefined });
    if (open === true && typeof given === "string") {
      const lines = linesOf(given, room - LEVEL);
      rows.push(
        ...lines.map((line, index) => ({
          id: `${id}#${index}`,
          depth: path.length + 1,
          expanded: undefined,
          path,
          label: undefined,
          value: given,
          line,
        })),
      );
    } else if (open === true) {
      for (const [key, below] of entriesOf(given).slice(0, MAX_ROWS).toReversed()) {
        waiting.push({ id: idBelow(id, key), path: [...path, key], value: below });
      }
    }
  }
  return rows;
}

function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => [index, item] as const);
  }
  return typeof value === "object" && value !== null && !isExactNumber(value) ? Object.entries(value) : [];
}

/** What has something below it: objects, lists, and texts that are longer than a line. */
export function isFoldable(value: unknown, columns = COLUMNS): boolean {
  if (typeof value === "string") {
    return value.length > columns || value.includes("\n");
  }
  return typeof value === "object" && value !== null && !isExactNumber(value) && Object.keys(value).length > 0;
}

/** How deep a value may be open from the start, so that no more rows than these stand there. */
export function openDepth(value: unknown, rowsMax: number): number {
  let level: readonly unknown[] = [value];
  let [depth, rows] = [0, 1];
  while (level.length > 0 && depth < 100) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === "string" && isFoldable(item)) {
        rows += Math.ceil(item.length / COLUMNS) + (item.split("\n", 50).length - 1);
      } else {
        next.push(
          ...(next.length > rowsMax
            ? []
            : entriesOf(item)
                .slice(0, rowsMax + 1)
                .map(([, below]) => below)),
        );
      }
    }
    rows += next.length;
    if (rows > rowsMax) {
      return depth;
    }
    level = next;
    depth += 1;
  }
  return depth;
}

function linesOf(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    for (let from = 0; from === 0 || from < line.length;) {
      if (lines.length === MAX_LINES) {
        return [...lines, "…"];
      }
      const end = breakOf(line, from, columns);
      lines.push(line.slice(from, end));
      from = end;
    }
  }
  return lines;
}

/** Behind the last space that fits, unless that would leave most of the line empty. */
function breakOf(line: string, from: number, columns: number): number {
  const end = from + Math.max(columns, MIN_LINE);
  const space = line.lastIndexOf(" ", end - 1) + 1;
  return end >= line.length ? Math.max(line.length, from + 1) : space > from + columns / 2 ? space : end;
}

/** `$.messages[0]["content type"]` */
export function pathText(value: unknown, path: JsonPath): string {
  let [text, at] = ["$", value];
  for (const key of path) {
    const isName = typeof key === "string" && /^[A-Za-z_$][\w$]*$/.test(key);
    text += Array.isArray(at) ? `[${key}]` : isName ? `.${key}` : `[${JSON.stringify(key)}]`;
    at = childOf(at, key);
  }
  return text;
}

export function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(childOf, value);
}

function childOf(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** A copy of the value with another one at `path`; everything beside the path is shared with it. */
export function withValueAt(value: unknown, path: JsonPath, replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    return replacement;
  }
  const below = withValueAt(childOf(value, key), rest, replacement);
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === key ? below : item));
  }
  return Object.fromEntries(entriesOf(value).map(([name, item]) => [name, name === key ? below : item]));
}

export type JsonMatches = { readonly paths: readonly JsonPath[]; readonly isCut: boolean };

const MAX_MATCHES = 5_000;

/** Where a key or a text, number or truth value holds the words, in either case, from the top down. */
export function findInJson(value: unknown, words: string): JsonMatches {
  const wanted = words.trim().toLowerCase();
  const paths: JsonPath[] = [];
  const waiting: { readonly path: JsonPath; readonly value: unknown }[] = wanted === "" ? [] : [{ path: [], value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value: given } = next;
    const key = path.at(-1);
    const isFound =
      (typeof key === "string" && key.toLowerCase().includes(wanted)) ||
      ((typeof given !== "object" || given === null || isExactNumber(given)) && String(given).toLowerCase().includes(wanted));
    if (isFound && paths.length === MAX_MATCHES) {
      return { paths, isCut: true };
    }
    if (isFound) {
      paths.push(path);
    }
    for (const [name, below] of entriesOf(given).toReversed()) {
      waiting.push({ path: [...path, name], value: below });
    }
  }
  return { paths, isCut: false };
}

/** A value of which only the beginning came, and that can be asked for. */
export function isTruncated(value: unknown): value is TruncatedValue {
  return (
    typeof value === "object" && value !== null && Reflect.get(value, "truncated") === true && "payload_id" in value && "preview" in value
  );
}
