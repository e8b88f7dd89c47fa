import type { z } from "zod";
import type { shapeSchema } from "#contract.ts";

/** What kind of thing a query looks for, by how it is written; it decides how much each leg counts. */
export type Shape = z.infer<typeof shapeSchema>;

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
/** `Head.Append`, `std::vec`, `this->size`, `parse()`. */
const SYMBOL = new RegExp(String.raw`^${NAME}(?:(?:\.|::|->|#)${NAME})*(?:\(\))?$`, "u");
/** An identifier that no prose has: `camelCase`, `snake_case`, `HTTPServer2`. */
const CODE_NAME = /^(?:\p{Ll}+[\p{N}]*\p{Lu}|\p{Lu}+\p{Ll}+[\p{N}]*\p{Lu}|\p{Lu}{2,}\p{Ll}|.*[\p{L}\p{N}]_[\p{L}\p{N}])/u;
const PROSE_WORD = /^["']?[\p{L}][\p{L}\p{M}'’-]*["'.,;:?!]*$/u;
const PROSE_SHARE = 0.6;

/** `src/http/server.ts`, `server.ts:42`, `./main.go:7:3`; an address has two slashes in a row. */
const PATH = /^(?![a-z]+:\/\/)(?:\.{0,2}\/)?(?:[\p{L}\p{N}_.@+[\]()$-]+\/)*[\p{L}\p{N}_.@+[\]()$-]+\/?(?::\d{1,9}){0,2}$/u;
const FILE_NAME =
  /[\p{L}\p{N}_-]\.(?:[cm]?[jt]sx?|py|go|rs|java|cc|cpp|hpp|cs|rb|php|kts?|swift|scala|sh|sql|s?css|html?|vue|svelte|json|ya?ml|toml|md|proto|tf|lua|exs?|erl|hs|txt|xml|lock|sum|cfg|ini|env)(?::\d{1,9}){0,2}$/iu;

/** Words of error messages, which questions about errors have, too. */
const FAILURE =
  /\b(?:error|exception|panic|fatal|fail(?:ed|ure)|can ?not|can't|could not|couldn't|unable to|undefined|unexpected|invalid|not found|no such|not permitted|denied|refused|timed? ?out|exceeded|traceback|segmentation fault)\b|(?:error|exception)\b/iu;
/** The name of a failure of the system: `ENOENT`, `EACCES`. */
const SYSTEM_FAILURE = /\bE[A-Z]{4,}\b/u;
/** What tells a message from a question: `what: why`, a value in quotes or brackets, a number. */
const MESSAGE = /\S: |['"`][^'"`]+['"`]|\[[^\]]*\]|\b\d+\b|\b0x[0-9a-f]+\b/iu;
const QUESTION = /^(?:how|where|what|why|which|who|whose|when|is|are|does|do|can|should|find|show|list|explain)\b|\?$/iu;

/** `==`, `:=` and the like, standing alone, as in `a == b`. */
const OPERATOR = /(?:^|\s)(?:[!=]={1,2}|:=|[-=]>|<-|&&|\|\||[-+*/|&]=)(?:\s|$)/u;

/** The shape is read from this many characters. */
const SHAPE_SAMPLE = 2_000;

export function findQueryShape(text: string): Shape {
  const words = text.split(/\s+/u);
  if (words.length === 1 && PATH.test(text) && (text.includes("/") || FILE_NAME.test(text))) {
    return "path";
  }
  if (SYMBOL.test(text)) {
    return "symbol";
  }
  const beginning = text.slice(0, SHAPE_SAMPLE);
  const fails = FAILURE.test(beginning) || SYSTEM_FAILURE.test(beginning);
  if (words.length > 2 && fails && MESSAGE.test(beginning) && !QUESTION.test(text)) {
    return "error";
  }
  const prose = words.filter((word) => PROSE_WORD.test(word)).length;
  const quoted = /^(["'`]).*\1$/su.test(text);
  const isCode = OPERATOR.test(beginning) && !QUESTION.test(text);
  if (quoted || isCode || words.length === 1 || prose / words.length <= PROSE_SHARE) {
    return "literal";
  }
  return words.some((word) => holdsCodeName(word) || /^`[^`]+`/.test(word)) ? "mixed" : "natural";
}

/** Whether a word has an identifier in it that no prose has. */
export function holdsCodeName(word: string): boolean {
  return (word.match(new RegExp(NAME, "gu")) ?? []).some((name) => CODE_NAME.test(name));
}

/** Whether the query is mostly natural language. */
export function isProse(shape: Shape): boolean {
  return shape === "natural" || shape === "mixed";
}

/** Identifiers that a text names, in order. */
export function namesIn(text: string, shape: Shape): readonly string[] {
  const names = new Set<string>();
  if (shape !== "path" && SYMBOL.test(text)) {
    const whole = text.replace(/\(\)$/, "");
    names.add(whole);
    names.add(whole.split(/\.|::|->|#/).at(-1) ?? whole);
  }
  for (const word of shape === "path" ? [] : text.split(/\s+/u)) {
    const [, quoted = ""] = /^[`"'](.*)[`"'][.,;:?!]?$/u.exec(word) ?? [];
    // `"content-type"` is a text to find, not the names content and type.
    const isSymbol = SYMBOL.test(quoted);
    for (const name of word.match(new RegExp(NAME, "gu")) ?? []) {
      if (CODE_NAME.test(name) || (isSymbol && name.length > 2)) {
        names.add(name);
      }
    }
  }
  return [...names];
}

/** A name whose definition a text asks for, and what it is a member of. */
export type NamedMember = {
  readonly name: string;
  readonly owner: string | undefined;
  /** It is written as a name; else its words may be just words. */
  readonly isWritten: boolean;
};

const MEMBER = new RegExp(String.raw`^(?:(${NAME})\s+)?(${NAME})$`, "u");
const KIND_OF_DEFINITION =
  /\s+(?:class|constant|constructor|(?:data )?type|definition|enum|function|implementation|interface|macro|method|module|object|protocol|record|struct|trait)$/i;

/** `Server.stop`, `Server stop`, `stop function`. */
export function memberIn(text: string): NamedMember | undefined {
  const plain = text.replace(KIND_OF_DEFINITION, "").replace(KIND_OF_DEFINITION, "");
  if (SYMBOL.test(plain)) {
    const [name = plain, owner] = plain
      .replace(/\(\)$/, "")
      .split(/\.|::|->|#/)
      .toReversed();
    return { name, owner, isWritten: true };
  }
  const [, owner, name] = MEMBER.exec(plain) ?? [];
  return name === undefined ? undefined : { name, owner, isWritten: false };
}

/** A path as it was written, and the line it points to: `src/main.go:42`. */
export function pathIn(text: string): { readonly path: string; readonly line: number | undefined } {
  const [, path = text, line] = /^(?:\.{0,2}\/)*(.*?)(?::(\d{1,9}))?(?::\d{1,9})?$/u.exec(text) ?? [];
  return { path, line: line === undefined ? undefined : Number(line) };
}

const MAX_FRAGMENTS = 3;
const MIN_FRAGMENT_LENGTH = 8;

/** The parts of a message that code may hold as they stand: what is between values that were put in. */
export function betweenValues(message: string): readonly string[] {
  return message.split(/["'`][^"'`]*["'`]|\[[^\]]*\]|\([^)]*\)|\S*[/\\]\S*|\S*\d\S*|: |\.\s|[{}<>|]/u).map((part) => part.trim());
}

/** The longest of them first. */
export function findFragments(message: string): readonly string[] {
  return betweenValues(message.slice(0, SHAPE_SAMPLE))
    .filter((part) => part.length >= MIN_FRAGMENT_LENGTH)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MAX_FRAGMENTS);
}
