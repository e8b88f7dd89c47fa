/** A vector as pgvector reads it; four decimals are more than a halfvec keeps. */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Math.round(value * 10_000) / 10_000).join(",")}]`;
}
