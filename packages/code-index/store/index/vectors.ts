/** A vector as pgvector reads it; five decimals are as many as a halfvec keeps of numbers this small. */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Math.round(value * 100_000) / 100_000).join(",")}]`;
}

const REAL = 700;

/** Vectors one behind the other, as PostgreSQL reads a `real[]` in its binary form: a tenth of the work of their text. */
export function realArray(vectors: readonly Float32Array[]): Buffer {
  const length = vectors.reduce((sum, vector) => sum + vector.length, 0);
  const bytes = Buffer.allocUnsafe(20 + length * 8);
  const [dimensions, flags, lowerBound] = [1, 0, 1];
  let at = 0;
  for (const header of [dimensions, flags, REAL, length, lowerBound]) {
    at = bytes.writeInt32BE(header, at);
  }
  for (const vector of vectors) {
    for (const value of vector) {
      at = bytes.writeInt32BE(4, at);
      at = bytes.writeFloatBE(value, at);
    }
  }
  return bytes;
}
