/** The text as a pattern of `like` that only it matches. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** The pattern of `like` for what holds the text, whatever is in it. */
export function likeContaining(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** The pattern of `like` for what begins with the text. */
export function likeBeginning(text: string): string {
  return `${escapeLike(text)}%`;
}

/** The text as a regular expression that only it matches. */
export function escapeExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

type Wildcards = {
  /** In place of `*`, however many of them stand together. */
  readonly any: string;
  /** In place of `?`, which without it stands for itself. */
  readonly one?: string;
  /** Makes the rest stand for itself in the other language. */
  readonly quote: (text: string) => string;
};

/**
 * Translates a pattern with wildcards into another language: `like` or regular expressions.
 *
 * @example translateGlob("get*", { any: "%", one: "_", quote: escapeLike }) // "get%"
 */
export function translateGlob(glob: string, { any, one, quote }: Wildcards): string {
  return Array.from(glob.matchAll(/\*+|\?|[^*?]+/g), ([token]) => {
    if (token.startsWith("*")) {
      return any;
    }
    return token === "?" && one !== undefined ? one : quote(token);
  }).join("");
}
