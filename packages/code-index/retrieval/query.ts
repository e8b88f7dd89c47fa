import { AppError } from "@sightline/foundation/errors";
import { termsOf } from "#store/terms.ts";
import { variantsOf } from "./variants.ts";

/** How a query is written says what its writer looks for, and which leg to trust. */
export type Shape = "symbol" | "literal" | "natural";

/** One thing the query asks for, in the spellings that code may use for it. */
export type Concept = {
  /** The word itself first. */
  readonly terms: readonly string[];
  /** What it counts, 1 for a word that says something. */
  readonly weight: number;
};

export type ParsedQuery = {
  readonly text: string;
  readonly shape: Shape;
  readonly concepts: readonly Concept[];
  /** Texts to find letter for letter. */
  readonly literals: readonly string[];
  /** Identifiers that the query names; a chunk that defines one is what it asks for. */
  readonly names: readonly string[];
};

/** More words than this say nothing more about what is looked for. */
const CONCEPTS = 100;
const LITERALS = 6;
/** No longer text is found literally: chunks are about this long. */
const LONGEST_LITERAL = 1_500;

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
/** `Head.Append`, `std::vec`, `this->size`, `parse()`. */
const SYMBOL = new RegExp(String.raw`^${NAME}(?:(?:\.|::|->|#)${NAME})*(?:\(\))?$`, "u");
/** An identifier that no prose has: `camelCase`, `snake_case`, `HTTPServer2`. */
const CODE_NAME = /^(?:\p{Ll}+[\p{N}]*\p{Lu}|\p{Lu}+\p{Ll}+[\p{N}]*\p{Lu}|\p{Lu}{2,}\p{Ll}|.*[\p{L}\p{N}]_[\p{L}\p{N}])/u;
const PROSE_WORD = /^["']?[\p{L}][\p{L}\p{M}'’-]*["'.,;:?!]*$/u;

/** Words that questions are made of. They are searched, since `for` and `if` are code, but count little. */
const FUNCTION_WORDS = new Set(
  `a an and are as at be been being but by can could did do does for from had has have how i if in into is it its me my
  of on or our should so such that the their them then there these they this those to us was we were what when where which
  while who whom why will with would you your code file find function show`.split(/\s+/),
);
const FUNCTION_WORD_WEIGHT = 0.1;

/**
 * Reads what a query asks for.
 *
 * @throws {AppError} `invalid_query` (400) when there is nothing to look for in it.
 */
export function parseQuery(given: string): ParsedQuery {
  const text = given.trim();
  if (text === "") {
    throw invalidQuery("The query is empty; say what to look for.");
  }
  if (text.includes("\0")) {
    throw invalidQuery("The query holds a NUL character, which no source text has.");
  }
  const words = text.split(/\s+/u);
  const shape = shapeOf(text, words);
  const names = namesIn(text, words, shape);
  return {
    text,
    shape,
    concepts: conceptsOf(text, shape),
    literals: literalsOf(text, names, shape),
    names,
  };
}

/** A word that only joins others, in a question. */
export function isFunctionWord(term: string): boolean {
  return FUNCTION_WORDS.has(term);
}

function invalidQuery(message: string): AppError {
  return new AppError({ code: "invalid_query", status: 400, message });
}

function shapeOf(text: string, words: readonly string[]): Shape {
  if (SYMBOL.test(text)) {
    return "symbol";
  }
  const prose = words.filter((word) => PROSE_WORD.test(word)).length;
  const quoted = /^(["'`]).*\1$/su.test(text);
  return !quoted && words.length > 1 && prose / words.length > 0.6 ? "natural" : "literal";
}

function namesIn(text: string, words: readonly string[], shape: Shape): readonly string[] {
  const names = new Set<string>();
  if (shape === "symbol") {
    const whole = text.replace(/\(\)$/, "");
    names.add(whole);
    names.add(whole.split(/\.|::|->|#/).at(-1) ?? whole);
  }
  for (const word of words) {
    const [, quoted = ""] = /^[`"'](.*)[`"'][.,;:?!]?$/u.exec(word) ?? [];
    // `"content-type"` is a text to find, not the names content and type.
    const isSymbol = SYMBOL.test(quoted);
    for (const name of word.match(new RegExp(NAME, "gu")) ?? []) {
      if (CODE_NAME.test(name) || (isSymbol && name.length > 2)) {
        names.add(name);
      }
    }
  }
  return [...names].slice(0, LITERALS);
}

function conceptsOf(text: string, shape: Shape): readonly Concept[] {
  const terms = [...new Set(termsOf(text))].slice(0, CONCEPTS);
  if (shape !== "natural") {
    return terms.map((term) => ({ terms: [term], weight: 1 }));
  }
  const saying = terms.filter((term) => !isFunctionWord(term));
  return terms.map((term) => ({
    terms: isFunctionWord(term) ? [term] : [term, ...variantsOf(term)],
    // A question of nothing but such words still means them.
    weight: isFunctionWord(term) && saying.length > 0 ? FUNCTION_WORD_WEIGHT : 1,
  }));
}

function literalsOf(text: string, names: readonly string[], shape: Shape): readonly string[] {
  const whole = shape === "symbol" ? text.replace(/\(\)$/, "") : text;
  const quoted = [...text.matchAll(/(["'`])(.{3,200}?)\1/gu)].map((match) => match[2] ?? "");
  const found = new Set([whole, ...quoted, ...names].filter((literal) => literal !== "" && literal.length <= LONGEST_LITERAL));
  return [...found].slice(0, LITERALS);
}
