import { createHash } from "node:crypto";
import { embeddedText, textHash } from "#embedding/embedded-text.ts";
import type { NewDocument } from "#indexing/build/documents.store.ts";

/** Words that every copy keeps: the commonest, which are keywords and what every library says. */
const KEPT = 600;
/** Of the others, so many in a hundred have other letters in a copy. */
const CHANGED = 40;

const WORD = /[A-Za-z][A-Za-z0-9]{3,}/g;

/** Makes copies of documents that are as alike as code of one kind is: a part of the identifiers has other letters, and no length changes. */
export function perturber(contents: readonly string[]): (seed: string) => (document: NewDocument) => NewDocument {
  const kept = commonest(contents);
  return (seed) => {
    const known = new Map<string, string>();
    const number = hash(seed);
    const change = (text: string) =>
      text.replaceAll(WORD, (word) => {
        const before = known.get(word);
        if (before !== undefined) {
          return before;
        }
        const changed = kept.has(word.toLowerCase()) ? word : otherLetters(word, number);
        known.set(word, changed);
        return changed;
      });
    return (document) => {
      const path = change(document.path);
      return {
        ...document,
        path,
        blob: createHash("sha1").update(seed).update(document.blob).digest("hex"),
        definitions: document.definitions.map((definition) => ({
          ...definition,
          name: change(definition.name),
          scope: change(definition.scope),
        })),
        references: [...new Set(document.references.map(change))],
        chunks: document.chunks.map((chunk) => {
          const own = { ...chunk, content: change(chunk.content), scope: change(chunk.scope), symbols: chunk.symbols.map(change) };
          return { ...own, text_hash: textHash(embeddedText({ path, ...own })) };
        }),
      };
    };
  };
}

function commonest(contents: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const content of contents) {
    for (const word of content.match(WORD) ?? []) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const lowered = new Map<string, number>();
  for (const [word, count] of counts) {
    lowered.set(word.toLowerCase(), (lowered.get(word.toLowerCase()) ?? 0) + count);
  }
  const sorted = [...lowered].toSorted((one, other) => other[1] - one[1]);
  return new Set(sorted.slice(0, KEPT).map(([word]) => word));
}

/** The same word whatever its case, so that `parse` and `Parse` stay one. */
function otherLetters(word: string, seed: number): string {
  const mixed = Math.imul(hash(word.toLowerCase()) ^ seed, 0x2c1b3c6d) >>> 0;
  if ((mixed >>> 8) % 100 >= CHANGED) {
    return word;
  }
  const letters = word.split("");
  for (const [shift, at] of [
    [3, mixed % word.length],
    [11, (mixed >>> 4) % word.length],
  ] as const) {
    letters[at] = another(letters[at] ?? "", (mixed >>> shift) % 26);
  }
  return letters.join("");
}

function another(letter: string, by: number): string {
  const code = letter.charCodeAt(0);
  const [first, size] = code >= 97 ? [97, 26] : code >= 65 ? [65, 26] : [48, 10];
  return String.fromCharCode(first + ((code - first + by + 1) % size));
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return (value ^ (value >>> 15)) >>> 0;
}
