/** Longer words are hashes and encoded data; they are cut to this length in texts and queries alike. */
export const MAX_WORD_LENGTH = 64;

/** A word as code writes it: letters, digits, `_` and `$` of any script. */
const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;
const ASCII_WORD = /[A-Za-z0-9_$]+/g;

/** `parseHTTPResponse2` → parse, HTTP, Response2. */
const PART = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+\p{N}*|\p{N}+/gu;
const ASCII_PART = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;

/** Only such a word has parts that differ from it. */
const COMPOUND = /[_$]|[\p{Ll}\p{N}\p{Lo}\p{M}]\p{Lu}|\p{Lu}{2}\p{Ll}|\p{N}\p{L}/u;
const ASCII_COMPOUND = /[_$]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[0-9][a-z]/;

/** Scripts that have no blanks between words: Chinese, Japanese, Thai and others. Their words are found by each two characters, as no list of words is needed for that. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const RUN = new RegExp(`${UNSPACED.source}+|${UNSPACED.source.replace("[", "[^")}+`, "gu");

// oxlint-disable-next-line no-control-regex -- it asks whether every character is ASCII
const ASCII = /^[\x00-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * The terms of a text or query, in order, with repetitions: every word lower-cased,
 * and for an identifier of several words each of those as well. No stemmer and no
 * stop words, since `for`, `if` and `not` are code.
 *
 * @example splitTerms("getUserName(id)") // ["getusername", "get", "user", "name", "id"]
 */
export function splitTerms(text: string): string[] {
  return splitWords(text).flatMap(termsOfWord);
}

/** The words of a text as they are written. */
export function splitWords(text: string): readonly string[] {
  return (isAscii(text) ? text.match(ASCII_WORD) : text.normalize("NFC").match(WORD)) ?? [];
}

/** For whoever remembers a word: a part of a text keeps the whole text in memory. */
export function copyWord(word: string): string {
  return Buffer.from(word, "utf16le").toString("utf16le");
}

/** The terms of one word: itself, and its parts. */
export function termsOfWord(word: string): readonly string[] {
  const whole = truncateWord(word);
  if (UNSPACED.test(whole)) {
    const runs = whole.match(RUN) ?? [];
    const parts = runs.flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : termsOfWord(run)));
    return [...new Set([whole.toLowerCase(), ...parts])];
  }
  const { part, compound } = isAscii(whole) ? ASCII_RULES : UNICODE_RULES;
  const parts = compound.test(whole) ? (whole.match(part) ?? []) : [];
  return [whole, ...parts].map((term) => term.toLowerCase());
}

/** The terms of a text with their places in it; of an identifier of several words the whole stands before its parts. */
export function locateTerms(text: string): readonly { readonly term: string; readonly from: number; readonly to: number }[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index: from }) => {
    const [whole = "", ...parts] = termsOfWord(word.normalize("NFC"));
    const lower = word.toLowerCase();
    let after = 0;
    const placed = parts.flatMap((term) => {
      const at = lower.indexOf(term, after);
      // Pairs of characters overlap.
      after = at === -1 ? after : at + 1;
      return at === -1 ? [] : [{ term, from: from + at, to: from + at + term.length }];
    });
    return [{ term: whole, from, to: from + word.length }, ...placed];
  });
}

/** Each two characters that stand together, and a single one by itself. */
function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  return characters.length === 1 ? characters : characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}

type Rules = { readonly part: RegExp; readonly compound: RegExp };

const ASCII_RULES: Rules = { part: ASCII_PART, compound: ASCII_COMPOUND };
const UNICODE_RULES: Rules = { part: PART, compound: COMPOUND };

/** Cut to the length of a term, between characters: the database refuses half of one. */
export function truncateWord(word: string): string {
  const last = word.charCodeAt(MAX_WORD_LENGTH - 1);
  return word.slice(0, word.length > MAX_WORD_LENGTH && last >= 0xd800 && last <= 0xdbff ? MAX_WORD_LENGTH - 1 : MAX_WORD_LENGTH);
}
