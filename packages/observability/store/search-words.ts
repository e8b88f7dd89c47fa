/** The most characters of one value that are searched. */
const MAX_CHARACTERS = 4_096;
const MAX_PARTS = 1_000;
const MAX_WORDS = 400;
const MAX_WORD_LENGTH = 64;

/**
 * The words that a trace is found by: of the beginning of the texts and numbers in the values, in their order and without
 * their keys; in lower case, each once, sorted. What somebody searches for is cut into words the same way.
 */
export function listSearchWords(values: readonly unknown[]): string[] {
  const words = new Set<string>();
  for (const value of values) {
    for (const [word] of beginningOf(value)
      .toLowerCase()
      .matchAll(/[\p{L}\p{N}_]+/gu)) {
      words.add(word.slice(0, MAX_WORD_LENGTH).toWellFormed());
    }
  }
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
