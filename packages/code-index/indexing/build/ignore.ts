import { type AppError, refusal } from "@sightline/foundation/errors";
import ignore, { type Ignore } from "ignore";
import { knownEncoding } from "#splitting/to-utf8.ts";

type IgnoreRules = {
  /** The text of the `.sightlineignore` at the root of the commit. */
  readonly sightlineignore?: string | undefined;
  /** When there are any, only the paths they match are indexed. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** For all paths of a commit together; what takes longer is meant to. */
  readonly matchingMs?: number;
};

/** Where they stand, for the messages. */
type Source = ".sightlineignore" | ".gitattributes" | "include" | "exclude";

/** A path is matched in time that grows with the power of them; nobody needs more. */
const MAX_STARS = 3;
const MAX_PATTERN_LENGTH = 500;
const MATCHING_MS = 5_000;

/**
 * Says why a path is left out by the repository's own rules, which are patterns as in `.gitignore`; `undefined` when it is not.
 *
 * @throws {AppError} when a pattern can't be used: what should stay out must not be let in silently.
 */
export function createIgnore({
  sightlineignore,
  include,
  exclude,
  matchingMs = MATCHING_MS,
}: IgnoreRules): (path: string) => string | undefined {
  const included = include.length === 0 ? undefined : matcherOf("include", include);
  const excluded = matcherOf("exclude", exclude);
  const ignored = matcherOf(".sightlineignore", sightlineignore?.split(/\r?\n/) ?? []);
  return withinTime(matchingMs, (path) =>
    included !== undefined && !included.test(path).ignored
      ? "not among the paths to include"
      : (reasonOf(path, excluded, "excluded by") ?? reasonOf(path, ignored, "ignored by .sightlineignore:")),
  );
}

const FOREIGN = /^([-!]?)linguist-(?:generated|vendored)(?:=(true|false))?$/;
const ENCODING = /^(?:working-tree-)?encoding=(.+)$/;
/** Lines that name one; each is a matcher of its own. */
const MAX_ENCODINGS = 50;

type Attributes = {
  /** Whether nobody wrote it here. */
  readonly isForeign: (path: string) => boolean;
  /** The encoding of a path, where it is said. */
  readonly encodingOf: (path: string) => string | undefined;
};

/** The attributes that a `.gitattributes` gives to paths. A line that is no pattern for us counts for nothing. */
export function readAttributes(gitattributes: string): Attributes {
  const lines = gitattributes.split(/\r?\n/).flatMap((line) => {
    const [pattern = "", ...attributes] = line.trim().split(/\s+/);
    return pattern.startsWith("#") || problemOfPattern(pattern) !== undefined ? [] : [{ pattern, attributes }];
  });
  const foreign = lines.flatMap(({ pattern, attributes }) => {
    const [, unset, value] = lastMatch(attributes, FOREIGN);
    return unset === undefined ? [] : [unset !== "" || value === "false" ? `!${pattern}` : pattern];
  });
  const encodings = lines.flatMap(({ pattern, attributes }) => {
    const encoding = knownEncoding(lastMatch(attributes, ENCODING)[1] ?? "");
    return encoding === undefined ? [] : [{ encoding, matcher: matcherOf(".gitattributes", [pattern]) }];
  });
  const known = encodings.slice(-MAX_ENCODINGS);
  const matcher = matcherOf(".gitattributes", foreign);
  return {
    isForeign: withinTime(MATCHING_MS, (path) => matcher.ignores(path)),
    encodingOf: withinTime(MATCHING_MS, (path) => known.findLast((each) => each.matcher.ignores(path))?.encoding),
  };
}

function lastMatch(attributes: readonly string[], pattern: RegExp): readonly (string | undefined)[] {
  return attributes.map((attribute) => pattern.exec(attribute)).findLast((match) => match !== null) ?? [];
}

/** @throws {AppError} from when all paths together have taken longer. */
function withinTime<Found>(milliseconds: number, match: (path: string) => Found): (path: string) => Found {
  let spent = 0;
  return (path) => {
    const began = performance.now();
    const found = match(path);
    spent += performance.now() - began;
    if (spent > milliseconds) {
      throw invalidPattern(
        "Matching the patterns of .sightlineignore, .gitattributes, include and exclude takes too long. Use fewer and simpler ones.",
      );
    }
    return found;
  };
}

function reasonOf(path: string, matcher: Ignore, by: string): string | undefined {
  const { ignored, rule } = matcher.test(path);
  return ignored ? `${by} ${rule?.pattern ?? "a pattern"}` : undefined;
}

function matcherOf(source: Source, patterns: readonly string[]): Ignore {
  for (const [index, pattern] of patterns.entries()) {
    const wrong = problemOfPattern(pattern);
    if (wrong !== undefined) {
      const place =
        source === ".sightlineignore" ? `Line ${index + 1} of .sightlineignore` : `The ${source} pattern ${pattern.slice(0, 100)}`;
      throw invalidPattern(`${place} can't be used: ${wrong}.`);
    }
  }
  // git's own rules know upper and lower case apart, and so do they.
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns);
}

function problemOfPattern(pattern: string): string | undefined {
  if (pattern.startsWith("#")) {
    return undefined;
  }
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return `it is longer than ${MAX_PATTERN_LENGTH} characters`;
  }
  if (pattern.includes("\0")) {
    return "it holds a NUL character";
  }
  const parts = pattern.split("/");
  const stars = parts.map((part) => (part.match(/\*+/g) ?? []).length);
  const deep = parts.filter((part) => part === "**").length;
  return Math.max(...stars, deep) > MAX_STARS ? `it has more than ${MAX_STARS} wildcards in a part of the path` : undefined;
}

function invalidPattern(message: string): AppError {
  return refusal(422, "invalid_pattern", message);
}
