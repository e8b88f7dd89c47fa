/** Parts a text into words that are looked for, in either case, and what stands between them. */
export function splitAtWords(text: string, words: readonly string[]): readonly { readonly text: string; readonly isFound: boolean }[] {
  const parts: { text: string; isFound: boolean }[] = [];
  let at = 0;
  for (const { from, to } of findWords(text, new Set(words))) {
    parts.push({ text: text.slice(at, from), isFound: false }, { text: text.slice(from, to), isFound: true });
    at = to;
  }
  return [...parts, { text: text.slice(at), isFound: false }].filter((part) => part.text !== "");
}

/** Where the words stand: cut as the search cuts them, which knows them in small letters. */
export function findWords(text: string, words: ReadonlySet<string>): readonly { readonly from: number; readonly to: number }[] {
  return [...text.matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(({ 0: word, index }) =>
    words.has(word.toLowerCase()) ? [{ from: index, to: index + word.length }] : [],
  );
}
