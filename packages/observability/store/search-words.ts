/** The most characters of one value that are searched. */
const MAX_CHARACTERS = 4_096;
const MAX_PARTS = 1_000;
const MAX_WORDS = 400;
const MAX_WORD_LENGTH = 64;

/** Cuts a text into words: runs of letters, digits and underscores, in lower case. What somebody searches for is cut the same way. */
export function splitWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/**
 * The words that a trace is found by: of the beginning of the texts and numbers in the values, in their order and without
 * their keys; in lower case, each once, sorted.
 */
export function listSearchWords(values: readonly unknown[]): string[] {
  const words = new Set(
    values.flatMap((value) => splitWords(beginningOf(value)).map((word) => word.slice(0, MAX_WORD_LENGTH).toWellFormed())),
  );
  return Array.from(words).slice(0, MAX_WORDS).toSorted();
}

function beginningOf(value: unknown): string {
  let [text, parts] = ["", 0];

  function add(part: unknown): void {
    parts += 1;
    if (typeof part === "string" || typeof part === "number") {
      text += ` ${String(part).slice(0, MAX_CHARACTERS)}`;
    } else if (typeof part === "object" && part !== null) {
      for (const item of Object.values(part)) {
        if (text.length >= MAX_CHARACTERS || parts >= MAX_PARTS) {
          return;
        }
        add(item);
      }
    }
  }

  add(value);
  return text.slice(0, MAX_CHARACTERS);
}
