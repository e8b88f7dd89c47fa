import { isExactNumber, isSameNumber, toNumber } from "@sightline/foundation/exact-json";
import type { ValueDifference } from "#contract.ts";

export type Differences = {
  readonly differences: readonly ValueDifference[];
  /** Whether there are more. */
  readonly isCut: boolean;
};

/** Differences of one value, and characters of each side of one, at the most. */
const MAX_DIFFERENCES = 20;
const EXCERPT = 300;
/** This many equal characters are shown before the first difference. */
const LEAD = 60;
const MAX_PATH = 300;

/**
 * Where two values differ, place by place. What every run makes anew counts for nothing: generated ids and times, where a key says that
 * it is one. Of lists the beginning and the end that are equal are left out, so that one element more is one difference.
 */
export function findDifferences(a: unknown, b: unknown): Differences {
  const differences: ValueDifference[] = [];
  walk(a, b, "", "", (difference) => {
    differences.push(difference);
    return differences.length <= MAX_DIFFERENCES;
  });
  return { differences: differences.slice(0, MAX_DIFFERENCES), isCut: differences.length > MAX_DIFFERENCES };
}

/** @returns false when the walk may end. */
type Report = (difference: ValueDifference) => boolean;

/** @returns false when the walk was ended. */
function walk(a: unknown, b: unknown, path: string, key: string, report: Report): boolean {
  if (isSame(a, b, key)) {
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return walkLists(a, b, path, report);
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
    return keys.every((name) => {
      const below = path === "" ? name : `${path}.${name}`;
      // What a key inherits, as one named constructor does, is nothing that was sent.
      const [left, right] = [valueOf(a, name), valueOf(b, name)];
      return left === undefined || right === undefined
        ? report({ path: below.slice(0, MAX_PATH), ...excerpts(left, right) })
        : walk(left, right, below, name, report);
    });
  }
  return report({ path: path.slice(0, MAX_PATH), ...excerpts(a, b) });
}

function walkLists(a: readonly unknown[], b: readonly unknown[], path: string, report: Report): boolean {
  let start = 0;
  while (start < a.length && start < b.length && isSame(a[start], b[start], "")) {
    start += 1;
  }
  let end = 0;
  while (end < a.length - start && end < b.length - start && isSame(a.at(-1 - end), b.at(-1 - end), "")) {
    end += 1;
  }
  const [lastA, lastB] = [a.length - end, b.length - end];
  for (let index = start; index < Math.max(lastA, lastB); index += 1) {
    const below = `${path}[${index}]`;
    const goesOn =
      index < lastA && index < lastB
        ? walk(a[index], b[index], below, "", report)
        : report({
            path: below.slice(0, MAX_PATH),
            ...excerpts(index < lastA ? a[index] : undefined, index < lastB ? b[index] : undefined),
          });
    if (!goesOn) {
      return false;
    }
  }
  return true;
}

function isSame(a: unknown, b: unknown, key: string): boolean {
  if (a === b || isSameNumber(a, b)) {
    return true;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index], ""));
  }
  if (isRecord(a) && isRecord(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && isSame(valueOf(a, name), valueOf(b, name), name))
    );
  }
  return (isGeneratedId(key, a) && isGeneratedId(key, b)) || (isTime(key, a) && isTime(key, b));
}

const ID_KEYS = new Set([
  "id",
  "run_id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "request_id",
  "response_id",
  "message_id",
  "checkpoint_id",
  "checkpoint_ns",
  "langgraph_checkpoint_ns",
  "toolCallId",
  "system_fingerprint",
]);
const TIME_KEYS = new Set(["created", "created_at", "createdAt", "timestamp"]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const GENERATED = /^[a-z]+[-_]+(?=[\w-]*\d)[\w-]{8,}$/i;
const HEXADECIMAL = /^[0-9a-f]{16,}$/i;

/** `run-0198…`, `call_a8Xk2…`, `chatcmpl-…`, a UUID: nobody chose it, so that another one says nothing. */
function isGeneratedId(key: string, value: unknown): boolean {
  return ID_KEYS.has(key) && typeof value === "string" && (UUID.test(value) || GENERATED.test(value) || HEXADECIMAL.test(value));
}

function isTime(key: string, given: unknown): boolean {
  const value = toNumber(given);
  return (
    TIME_KEYS.has(key) &&
    ((typeof value === "number" && value > 1e9) || (typeof value === "string" && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)))
  );
}

type Sides = { readonly a: string | null; readonly b: string | null };

function excerpts(a: unknown, b: unknown): Sides {
  const [left, right] = [textOf(a), textOf(b)];
  if (left === null || right === null) {
    return { a: cut(left, 0), b: cut(right, 0) };
  }
  let equal = 0;
  while (equal < left.length && left[equal] === right[equal]) {
    equal += 1;
  }
  const from = left.length <= EXCERPT && right.length <= EXCERPT ? 0 : Math.max(0, equal - LEAD);
  return { a: cut(left, from), b: cut(right, from) };
}

function cut(text: string | null, from: number): string | null {
  if (text === null) {
    return null;
  }
  const shown = `${from > 0 ? "…" : ""}${text.slice(from, from + EXCERPT)}${from + EXCERPT < text.length ? "…" : ""}`;
  // The cut may have gone through a pair of surrogates.
  return shown.toWellFormed();
}

/** Text as it is, anything else as JSON. */
function textOf(value: unknown): string | null {
  if (value === undefined) {
    return null;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

function valueOf(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
