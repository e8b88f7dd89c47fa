import { isExactNumber, parseExactly } from "@sightline/foundation/exact-json";
import { translateGlob } from "@sightline/foundation/patterns";
import { RE2JS, RE2JSException } from "re2js";
import { MASKED, type MaskingRules } from "#contract.ts";

/** Masks by the rules of one project, in time proportional to the length of texts, whatever the expressions. */
export type Masker = {
  readonly hasRules: boolean;
  /** @throws {MaskingError} when it would take too long. */
  readonly start: () => Masking;
};

/** The masking of one event, whose work is bounded as a whole. */
export type Masking = {
  readonly value: (value: unknown) => unknown;
  readonly text: (text: string) => string;
  /** Hashes of contents that stood under the name of a masked field: where they lie, they must not be readable either. */
  readonly contents: ReadonlySet<string>;
};

/** An event that could not be masked, and so must not be stored. */
export class MaskingError extends Error {
  override readonly name = "MaskingError";
}

/** An expression that is refused: which of the patterns, and why. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  readonly index: number;

  constructor(index: number, reason: string) {
    super(reason);
    this.index = index;
  }
}

/** The most instructions of a compiled expression, and of all expressions of a project together. */
const MAX_PROGRAM_SIZE = 2_000;
const MAX_PROGRAMS = 20_000;
/** The most characters that expressions may scan for one event, which takes some seconds. */
const MAX_WORK_CHARACTERS = 32 * 1024 * 1024;
const MAX_DEPTH = 300;
/** How deeply JSON may be nested in texts of JSON. */
const TEXTS_DEEP = 8;
const NAMES_REMEMBERED = 10_000;
const CONTENT_HASH = /^[0-9a-f]{64}$/;

/** @throws {PatternError} */
export function createMasker({ keys, patterns }: MaskingRules): Masker {
  const isMaskedName = namesIn(keys);
  const expressions = patterns.map(({ expression }, index) => compile(expression, index));
  const size = expressions.reduce((sum, expression) => sum + expression.programSize(), 0);
  if (size > MAX_PROGRAMS) {
    throw new PatternError(patterns.length - 1, "all the expressions together are too large; make some simpler or fewer repetitions");
  }
  const mayFind = findingAny(patterns, expressions);
  const hasKeys = keys.length > 0;
  const scan = hasKeys ? scanning(keys) : undefined;

  function start(): Masking {
    let left = MAX_WORK_CHARACTERS;
    let changes = 0;
    const contents = new Set<string>();

    function spend(characters: number): void {
      left -= characters;
      if (left < 0) {
        throw new MaskingError("it is too long for so many patterns; use fewer, or mask where it is sent");
      }
    }

    function byPatterns(text: string): string {
      spend(text.length);
      if (!mayFind(text)) {
        return text;
      }
      changes += 1;
      return expressions.reduce((masked, expression) => {
        spend(masked.length);
        return expression.test(masked) ? expression.matcher(masked).replaceAll(MASKED) : masked;
      }, text);
    }

    function inText(text: string, depth: number): string {
      return byPatterns(hasKeys && /^\s*[[{"]/.test(text) ? byNames(text, depth) : text);
    }

    /** Tool inputs and outputs are JSON as text, which may have been cut. */
    function byNames(text: string, depth: number): string {
      spend(text.length);
      const parsed = depth < TEXTS_DEEP ? parse(text) : undefined;
      if (parsed === undefined) {
        return scanned(text);
      }
      const before = changes;
      const masked = walk(parsed.value, 0, depth + 1);
      // Parsing keeps only one of two equal names.
      return changes === before ? scanned(text, "outer") : JSON.stringify(masked);
    }

    function scanned(text: string, where?: "outer"): string {
      const masked = scan?.(text, where) ?? text;
      changes += masked === text ? 0 : 1;
      return masked;
    }

    function walk(value: unknown, depth: number, textDepth: number): unknown {
      if (depth > MAX_DEPTH) {
        changes += 1;
        return MASKED;
      }
      if (typeof value === "string") {
        return inText(value, textDepth);
      }
      if (typeof value === "number" || isExactNumber(value)) {
        const digits = JSON.stringify(value);
        return byPatterns(digits) === digits ? value : MASKED;
      }
      if (Array.isArray(value)) {
        return value.map((item) => walk(item, depth + 1, textDepth));
      }
      if (typeof value !== "object" || value === null || contentOf(value) !== undefined) {
        return value;
      }
      const entries: (readonly [string, unknown])[] = [];
      let renamed = 0;
      for (const [name, item] of Object.entries(value)) {
        const masked = byPatterns(name);
        renamed += masked === name ? 0 : 1;
        // Several names may become the same one.
        entries.push([
          masked === name ? name : `${masked} ${renamed}`,
          isMaskedName(name) ? withhold(item) : walk(item, depth + 1, textDepth),
        ]);
      }
      return Object.fromEntries(entries);
    }

    function withhold(value: unknown): string {
      changes += 1;
      const open: unknown[] = [value];
      while (open.length > 0) {
        const item = open.pop();
        const hash = contentOf(item);
        if (hash !== undefined) {
          contents.add(hash);
        } else if (typeof item === "object" && item !== null) {
          for (const inner of Object.values(item)) {
            open.push(inner);
          }
        }
      }
      return MASKED;
    }

    return { value: (value) => walk(value, 0, 0), text: (text) => inText(text, 0), contents };
  }

  return { hasRules: hasKeys || patterns.length > 0, start };
}

function compile(expression: string, index: number): RE2JS {
  try {
    const compiled = RE2JS.compile(expression);
    if (compiled.programSize() > MAX_PROGRAM_SIZE) {
      throw new PatternError(index, "the expression is too large; it repeats too much");
    }
    if (compiled.test("")) {
      throw new PatternError(
        index,
        "the expression matches nothing at all, so it would be found everywhere; let it match a character at least",
      );
    }
    return compiled;
  } catch (error) {
    if (error instanceof RE2JSException) {
      throw new PatternError(index, `RE2 can't read the expression: ${error.message}`);
    }
    throw error;
  }
}

function namesIn(keys: readonly string[]): (name: string) => boolean {
  if (keys.length === 0) {
    return () => false;
  }
  const expression = RE2JS.compile(keys.map((key) => wildcard(key, "(?s:.*)")).join("|"), RE2JS.CASE_INSENSITIVE);
  const known = new Map<string, boolean>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) {
      return found;
    }
    const isMasked = expression.testExact(name);
    if (known.size >= NAMES_REMEMBERED) {
      known.clear();
    }
    // Long texts are no names, and would fill the memory.
    if (name.length <= 200) {
      known.set(name, isMasked);
    }
    return isMasked;
  };
}

/** Finds in one pass whether a text has anything to mask; most have nothing. */
function findingAny(patterns: MaskingRules["patterns"], expressions: readonly RE2JS[]): (text: string) => boolean {
  if (patterns.length === 0) {
    return () => false;
  }
  try {
    const all = RE2JS.compile(patterns.map(({ expression }) => `(?:${expression})`).join("|"));
    return (text) => all.test(text);
  } catch {
    // Two expressions may name a group alike, and then cannot be combined.
    return (text) => expressions.some((expression) => expression.test(text));
  }
}

/**
 * For a text that looks like JSON and can't be read as such, mostly because it was cut. A text's end can be told there, that of an
 * object not, nor that of what is in JSON within the JSON (`\"name\":`): of those all that follows is masked.
 */
function scanning(keys: readonly string[]): (text: string, where?: "outer") => string {
  const names = keys.map((key) => wildcard(key, String.raw`[^"\\]*`)).join("|");
  const outer = RE2JS.compile(String.raw`("(?i:${names})"\s*:\s*)(?:"(?s:[^"\\]|\\.)*(?:"|\\?$)|[-+.\w]+|(?s:[\[{].*))`);
  const inner = RE2JS.compile(String.raw`(\\"(?i:${names})\\+"\s*:\s*)(?s:.*)`);
  return (text, where) => {
    const masked = outer.test(text) ? outer.matcher(text).replaceAll(`$1"${MASKED}"`) : text;
    return where === undefined && inner.test(masked) ? inner.matcher(masked).replaceAll(`$1${MASKED}`) : masked;
  };
}

function wildcard(key: string, any: string): string {
  return `(?:${translateGlob(key, { any, quote: (text) => RE2JS.quote(text) })})`;
}

/** Reads the hash of `{"$blob": "<sha256>"}`. */
function contentOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("$blob" in value) || Object.keys(value).length !== 1) {
    return undefined;
  }
  return typeof value.$blob === "string" && CONTENT_HASH.test(value.$blob) ? value.$blob : undefined;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExactly(text) };
  } catch {
    return undefined;
  }
}
