/**
 * Parameters as PostgreSQL reads an array in its binary form, for statements that write many rows: a driver sends a buffer as it is. To write
 * and to read them is a part of the work of arrays as text, or of JSON.
 */
const [TEXT, BYTEA, REAL] = [25, 17, 700];
const HEADER_BYTES = 20;
const NULL_LENGTH = -1;

/** A `text[]`. */
export function textArray(texts: readonly (string | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + 4 + (text === null ? 0 : Buffer.byteLength(text)), HEADER_BYTES));
  let at = writeHeader(bytes, TEXT, texts.length);
  for (const text of texts) {
    const length = text === null ? NULL_LENGTH : bytes.write(text, at + 4);
    at = bytes.writeInt32BE(length, at) + Math.max(0, length);
  }
  return bytes;
}

/** A `bytea[]`. */
export function byteaArray(parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + 4 + part.length, HEADER_BYTES));
  let at = writeHeader(bytes, BYTEA, parts.length);
  for (const part of parts) {
    at = bytes.writeInt32BE(part.length, at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A `real[]` of vectors one behind the other. */
export function realArray(vectors: readonly Float32Array[]): Buffer {
  const length = vectors.reduce((sum, vector) => sum + vector.length, 0);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length * 8);
  let at = writeHeader(bytes, REAL, length);
  for (const vector of vectors) {
    for (const value of vector) {
      at = bytes.writeInt32BE(4, at);
      at = bytes.writeFloatBE(value, at);
    }
  }
  return bytes;
}

function writeHeader(bytes: Buffer, type: number, length: number): number {
  const [dimensions, hasNulls, lowerBound] = [1, 1, 1];
  let at = 0;
  for (const part of [dimensions, hasNulls, type, length, lowerBound]) {
    at = bytes.writeInt32BE(part, at);
  }
  return at;
}

type Value = string | number | boolean | null | undefined;

/** What a column of a row is given as; a list is an array. */
export type ParameterValue = Value | readonly Value[];

/** A value as PostgreSQL reads its type from a text, for {@link textArray}. */
export function textOfValue(value: ParameterValue): string | null {
  if (value === null || value === undefined) {
    return null;
  }
  return typeof value === "object" ? `{${value.map(quoted).join(",")}}` : String(value);
}

function quoted(value: Value): string {
  return value === null || value === undefined ? "null" : `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
