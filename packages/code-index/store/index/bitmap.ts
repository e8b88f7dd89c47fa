/** A set of a segment's ordinals: bit n of byte n >> 3, the least significant first. `null` stands for all of them. */
export type Bitmap = Buffer | null;

export function toBitmap(ordinals: Iterable<number>, chunks: number): Buffer {
  const bits = emptyBitmap(chunks);
  for (const ordinal of ordinals) {
    setBit(bits, ordinal);
  }
  return bits;
}

/** A copy that can be changed. */
export function openBitmap(bits: Bitmap, chunks: number): Buffer {
  if (bits !== null) {
    return Buffer.from(bits);
  }
  const all = emptyBitmap(chunks).fill(255);
  const last = chunks & 7;
  if (last !== 0) {
    all[all.length - 1] = (1 << last) - 1;
  }
  return all;
}

export function setBit(bits: Buffer, ordinal: number): void {
  bits[ordinal >> 3] = (bits[ordinal >> 3] ?? 0) | (1 << (ordinal & 7));
}

export function clearBit(bits: Buffer, ordinal: number): void {
  bits[ordinal >> 3] = (bits[ordinal >> 3] ?? 0) & ~(1 << (ordinal & 7));
}

export function hasBit(bits: Uint8Array, ordinal: number): boolean {
  return ((bits[ordinal >> 3] ?? 0) & (1 << (ordinal & 7))) !== 0;
}

/** The number of set bits, by byte. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

export function countBits(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) {
    count += ONES[byte] ?? 0;
  }
  return count;
}

export function emptyBitmap(chunks: number): Buffer {
  return Buffer.alloc((chunks + 7) >> 3);
}
