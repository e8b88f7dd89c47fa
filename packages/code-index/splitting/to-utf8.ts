import { isUtf8 } from "node:buffer";
import { analyse } from "chardet";
import { byteOrder, characterLength } from "./decode.ts";

/** A file's content in UTF-8, or in UTF-16 with its mark. */
export type Recoded = {
  readonly content: Buffer;
  /** Its encoding, where that is no Unicode that says so itself. */
  readonly encoding: string | null;
  readonly isGuess: boolean;
};

/** Bytes that are no UTF-8 among others that are, or of which nothing else can be told; `decode` reads them. */
export const MIXED = "UTF-8 and Windows-1252";

/** Reads what is no Unicode by the encoding that it is said to have, or else by a guess. */
export function toUtf8(content: Buffer, declared?: string): Recoded {
  const isWide = declared?.startsWith("utf-16") === true && content.includes(0);
  if (byteOrder(content) !== undefined || (isUtf8(content) && !isWide)) {
    return { content, encoding: null, isGuess: false };
  }
  const encoding = declared ?? guessEncoding(content) ?? MIXED;
  const recoded = encoding === MIXED ? content : Buffer.from(new TextDecoder(encoding).decode(content));
  return { content: recoded, encoding, isGuess: declared === undefined };
}

/** The encoding by the name that `TextDecoder` has for it. */
export function knownEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Enough to tell one from another. */
const LOOKED_AT = 16_384;
/** Those that have a grammar of bytes. */
const WIDE = new Set(["Shift_JIS", "EUC-JP", "GB18030", "Big5", "EUC-KR"]);
/** How sure one must be of them, of a hundred. */
const SURE = 50;
/** Those of other letters, which come in words. */
const LETTERS = new Set(["KOI8-R", "windows-1251", "ISO-8859-5", "ISO-8859-7"]);

/** A text in none of them is Western European, or too short to tell. */
function guessEncoding(content: Buffer): string | undefined {
  if (content.includes(0) || isMostlyUtf8(content)) {
    return undefined;
  }
  const foreign = keepForeign(content);
  const found = analyse(foreign).find(({ name, confidence }) =>
    WIDE.has(name) ? confidence >= SURE && isValid(content, name) : LETTERS.has(name) && isOfWords(foreign, name),
  );
  return found === undefined ? undefined : knownEncoding(found.name);
}

function isValid(content: Buffer, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}

function isMostlyUtf8(content: Buffer): boolean {
  let [good, stray] = [0, 0];
  for (let at = 0; at < content.length;) {
    const length = characterLength(content, at);
    good += length > 1 ? length : 0;
    stray += length === 0 ? 1 : 0;
    at += Math.max(length, 1);
  }
  return good > stray;
}

/** Code is nearly all ASCII, which says nothing of its encoding: only other bytes, and what follows one and may be its second half. */
function keepForeign(content: Buffer): Buffer {
  const text = content.toString("latin1").replaceAll(/(?<![\x80-\xff])[\0-\x7f]+/g, " ");
  return Buffer.from(text.slice(0, LOOKED_AT), "latin1");
}

const LETTERS_IN_A_ROW = 3;
const SHARE_OF_WORDS = 0.8;
/** The last form of sigma ends a Greek word. */
const WORD = /^(?!.*ς.)(?:\p{Lu}?\p{Ll}+|\p{Lu}+)$/u;

/** Read as another encoding they have capital letters and signs in the midst; accents of Western Europe stand alone. */
function isOfWords(foreign: Buffer, encoding: string): boolean {
  const runs = new TextDecoder(encoding).decode(foreign).match(/[^\0-\x7f]+/g) ?? [];
  return (
    runs.join("").length >= LETTERS_IN_A_ROW * runs.length && runs.filter((run) => WORD.test(run)).length >= SHARE_OF_WORDS * runs.length
  );
}
