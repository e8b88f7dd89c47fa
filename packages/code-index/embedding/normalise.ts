/** The vector at length 1; all zeros when it has no direction. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) {
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  return squares === 0 || !Number.isFinite(length) ? new Float32Array(vector.length) : vector.map((value) => value / length);
}
