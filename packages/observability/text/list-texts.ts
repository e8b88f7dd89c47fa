import { createHash } from "node:crypto";
import { isExactNumber, parseExactly } from "@sightline/foundation/exact-json";
import { findReferences, hashReferredTo } from "#store/blob-reference.ts";
import { splitWords } from "#store/search-words.ts";

/** A message, a tool's result, a key of a state. `contents` are the hashes of what stands elsewhere. */
export type Text = { readonly id: string; readonly value: unknown };
export type Texts = { readonly texts: readonly Text[]; readonly contents: readonly string[] };

/** Characters of JSON from which on a text stands for itself: of a list's item, which comes again as a message does, and of a key's value. */
const MIN_ITEM = 24;
const MIN_VALUE = 256;

/**
 * Parts a value into texts as the SDKs do: the items of a list, the values of an object, and the items of those that are lists. Small ones are one text
 * together, so that each distinct message is a text once, however often it is sent again.
 */
export function listTexts(value: unknown): Texts {
  const texts: Text[] = [];
  const small: unknown[] = [];
  const isList = Array.isArray(value);
  for (const part of hasParts(value) ? Object.values(value) : [value]) {
    const isItem = isList || Array.isArray(part);
    for (const item of Array.isArray(part) && !isList ? (part as readonly unknown[]) : [part]) {
      const json = isReference(item) ? "" : (JSON.stringify(item) ?? "");
      if (json.length >= (isItem ? MIN_ITEM : MIN_VALUE)) {
        texts.push({ id: idOfText(json), value: item });
      } else {
        small.push(item);
      }
    }
  }
  const others = small.filter((item) => !isReference(item));
  return {
    texts: others.length === 0 ? texts : [...texts, { id: idOfText(JSON.stringify(others)), value: others }],
    contents: [...findReferences(value)],
  };
}

function hasParts(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isExactNumber(value) && !isReference(value);
}

function isReference(item: unknown): boolean {
  return typeof item === "object" && item !== null && hashReferredTo(item) !== undefined;
}

function idOfText(text: string): string {
  return idOfHash(createHash("sha256").update(text).digest("hex"));
}

/** The number of a text whose JSON has this hash, as of contents. */
export function idOfHash(sha256: string): string {
  return BigInt.asIntN(64, BigInt(`0x${sha256.slice(0, 16)}`)).toString();
}

/** The words of all texts and numbers in a value, a line for each of them; their keys are none of it. */
export function toWordLines(value: unknown): string {
  return [...listScalars(value)]
    .map((text) => splitWords(text).join(" "))
    .filter((line) => line !== "")
    .map((line) => ` ${line} `)
    .join("\n");
}

function* listScalars(value: unknown): Generator<string> {
  if (typeof value === "string") {
    const inner = parseText(value);
    yield* inner === undefined ? [value] : listScalars(inner);
  } else if (typeof value === "number" || isExactNumber(value)) {
    yield String(value);
  } else if (typeof value === "object" && value !== null && !isReference(value)) {
    for (const item of Object.values(value)) {
      yield* listScalars(item);
    }
  }
}

/** What a text that is JSON itself says, as arguments are given: in it a line break is written with an `n`. */
function parseText(text: string): object | undefined {
  if (!/^\s*(?:\{.*\}|\[.*\])\s*$/s.test(text)) {
    return undefined;
  }
  try {
    const value = parseExactly(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const MAX_ARGUMENTS = 1_000;
const MAX_ARGUMENT_LENGTH = 200;

/** The word by which a tool's argument is found: the path of its keys, without places in lists, and what was given. */
export function toArgumentWord(path: string, value: string): string {
  return `args.${path}:${value.slice(0, MAX_ARGUMENT_LENGTH)}`.replaceAll("\0", "").replaceAll(/[ \n]/g, "\u001f").toWellFormed();
}

/** What a tool was given, as a text of words that are its arguments; undefined where it was given nothing by name. */
export function toArguments(value: unknown): { readonly id: string; readonly words: string } | undefined {
  const words = [...listArguments(value, "")].slice(0, MAX_ARGUMENTS);
  return words.length === 0 ? undefined : { id: idOfText(`args\n${words.join("\n")}`), words: words.map((word) => ` ${word} `).join("\n") };
}

function* listArguments(value: unknown, path: string): Generator<string> {
  if (typeof value === "object" && value !== null && !isExactNumber(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield* listArguments(item, Array.isArray(value) ? path : path === "" ? key : `${path}.${key}`);
    }
  } else if (typeof value === "string" && parseText(value) !== undefined) {
    yield* listArguments(parseText(value), path);
  } else if (
    path !== "" &&
    (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || isExactNumber(value))
  ) {
    yield toArgumentWord(path, String(value));
  }
}
