import { isAscii, isUtf8 } from "node:buffer";

/** A file's text and where each place of it (in UTF-16 units) is in the file's bytes. */
export type Decoded = { readonly text: string; readonly byteAt: (place: number) => number };

const utf16 = { little: new TextDecoder("utf-16le", { ignoreBOM: true }), big: new TextDecoder("utf-16be", { ignoreBOM: true }) };

/**
 * Reads UTF-8, UTF-16 that says so by its byte order mark, and everything else as UTF-8 in which stray bytes are Windows-1252:
 * what an old editor wrote stays readable and can be found. No byte is lost; the mark belongs to the first place.
 */
export function decode(content: Buffer): Decoded {
  const order = byteOrder(content);
  if (order !== undefined) {
    return decodeUtf16(content, order);
  }
  if (isAscii(content)) {
    return { text: content.toString("latin1"), byteAt: (place) => place };
  }
  const start = content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
  const body = content.subarray(start);
  return isUtf8(body) ? decodeUtf8(body, start) : decodeMixed(body, start);
}

/** The order of UTF-16's bytes by its mark, `undefined` for what is no UTF-16. */
export function byteOrder(content: Uint8Array): "little" | "big" | undefined {
  if (content[0] === 0xff && content[1] === 0xfe) {
    return "little";
  }
  return content[0] === 0xfe && content[1] === 0xff ? "big" : undefined;
}

function decodeUtf16(content: Buffer, order: "little" | "big"): Decoded {
  const text = utf16[order].decode(content.subarray(2));
  return { text, byteAt: (place) => (place === 0 ? 0 : Math.min(2 + place * 2, content.length)) };
}

function decodeUtf8(body: Buffer, start: number): Decoded {
  const text = body.toString("utf8");
  const bytes = new Uint32Array(text.length + 1);
  let byte = start;
  for (let at = 0; at < text.length; at++) {
    byte += bytesOf(text.charCodeAt(at));
    bytes[at + 1] = byte;
  }
  return { text, byteAt: (place) => bytes[place] ?? byte };
}

/** Each half of a surrogate pair is two of its four bytes. */
function bytesOf(unit: number): number {
  if (unit < 0x80) {
    return 1;
  }
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
}

const windows1252 = new TextDecoder("windows-1252");
const STRAY = Array.from({ length: 256 }, (_, byte) => windows1252.decode(Uint8Array.of(byte)));

function decodeMixed(body: Buffer, start: number): Decoded {
  const parts: string[] = [];
  // At most one unit for each byte, and one more for the end.
  const bytes = new Uint32Array(body.length + 1);
  let units = 0;
  let at = 0;
  while (at < body.length) {
    const length = characterLength(body, at);
    const part = length === 0 ? (STRAY[body[at] ?? 0] ?? "") : body.toString("utf8", at, at + length);
    at += Math.max(length, 1);
    parts.push(part);
    if (part.length === 2) {
      bytes[++units] = start + at - 2;
    }
    bytes[++units] = start + at;
  }
  return { text: parts.join(""), byteAt: (place) => bytes[place] ?? start + at };
}

/** The bytes of the UTF-8 character that begins here, 0 when none does. */
export function characterLength(content: Buffer, at: number): number {
  const first = content[at] ?? 0;
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return length === 1 || isUtf8(content.subarray(at, at + length)) ? length : 0;
}
