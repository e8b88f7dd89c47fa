import { z } from "zod";

export type Tensor = { readonly shape: readonly number[]; readonly values: Float32Array };

const headerSchema = z.record(
  z.string(),
  z.looseObject({
    dtype: z.string().optional(),
    shape: z.array(z.int().nonnegative()).optional(),
    data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]).optional(),
  }),
);

const LENGTH_BYTES = 8;
/** What the format allows. */
const HEADER_BYTES = 100_000_000;

/**
 * The tensors of a file, as 32-bit numbers whatever they are kept as: first the length of the header (64 bits, low byte
 * first), then the header as JSON, then the numbers.
 *
 * @throws {Error} when the file is not what it says it is.
 */
export function readSafetensors(file: Buffer): ReadonlyMap<string, Tensor> {
  const length = file.length < LENGTH_BYTES ? Number.NaN : Number(file.readBigUInt64LE(0));
  if (!(length <= Math.min(HEADER_BYTES, file.length - LENGTH_BYTES))) {
    throw new Error("it is no safetensors file, or only the beginning of one");
  }
  const begin = LENGTH_BYTES + length;
  const header = headerSchema.parse(JSON.parse(file.toString("utf8", LENGTH_BYTES, begin)));
  const tensors = new Map<string, Tensor>();
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header)) {
    if (dtype !== undefined && shape !== undefined && offsets !== undefined) {
      const data = file.subarray(begin + offsets[0], begin + offsets[1]);
      tensors.set(name, { shape, values: readValues(name, { dtype, shape, data, bytes: offsets[1] - offsets[0] }) });
    }
  }
  return tensors;
}

type Stored = { readonly dtype: string; readonly shape: readonly number[]; readonly data: Buffer; readonly bytes: number };

type Reader = { readonly width: number; readonly read: (data: Buffer, at: number) => number };

const READERS: Readonly<Record<string, Reader>> = {
  F64: { width: 8, read: (data, at) => data.readDoubleLE(at) },
  F32: { width: 4, read: (data, at) => data.readFloatLE(at) },
  F16: { width: 2, read: (data, at) => fromHalf(data.readUInt16LE(at)) },
  BF16: { width: 2, read: (data, at) => fromBrainFloat(data.readUInt16LE(at)) },
  I8: { width: 1, read: (data, at) => data.readInt8(at) },
  I32: { width: 4, read: (data, at) => data.readInt32LE(at) },
  I64: { width: 8, read: (data, at) => Number(data.readBigInt64LE(at)) },
};

function readValues(name: string, { dtype, shape, data, bytes }: Stored): Float32Array {
  const reader = READERS[dtype];
  const count = shape.reduce((product, size) => product * size, 1);
  if (reader === undefined) {
    throw new Error(`its tensor ${name} is of the type ${dtype}; those known are ${Object.keys(READERS).join(", ")}`);
  }
  if (data.length !== bytes || bytes !== count * reader.width) {
    throw new Error(`its tensor ${name} is not whole`);
  }
  return Float32Array.from({ length: count }, (_, index) => reader.read(data, index * reader.width));
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) {
    return fraction === 0 ? sign * Infinity : Number.NaN;
  }
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

function fromBrainFloat(bits: number): number {
  CONVERSION.setUint32(0, bits << 16);
  return CONVERSION.getFloat32(0);
}

const CONVERSION = new DataView(new ArrayBuffer(4));
