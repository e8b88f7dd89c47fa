/** A vector as pgvector reads it; five decimals are as many as a halfvec keeps of numbers this small. */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Math.round(value * 100_000) / 100_000).join(",")}]`;
}
