import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { keyBeside, partitionCountKey, partitionKey, partitionKeys, findPartition } from "./partitions.ts";

type Vectors = {
  readonly keys: readonly { readonly stream: string; readonly partition: number; readonly key: string }[];
  readonly partitions: readonly { readonly producer_id: string; readonly of: Readonly<Record<string, number>> }[];
  readonly counts: readonly { readonly stream: string; readonly key: string }[];
};
const vectors = JSON.parse(readFileSync(new URL("./partition-vectors.json", import.meta.url), "utf8")) as Vectors;

describe("the vectors that the SDKs share", () => {
  test.each(vectors.keys)("partition $partition is $key", ({ stream, partition, key }) => {
    expect(partitionKey(stream, partition)).toBe(key);
  });

  test.each(vectors.partitions)("$producer_id has its partition", ({ producer_id: producerId, of }) => {
    for (const [count, partition] of Object.entries(of)) {
      expect(findPartition(producerId, Number(count))).toBe(partition);
    }
  });

  test.each(vectors.counts)("the number of partitions of $stream is told in $key", ({ stream, key }) => {
    expect(partitionCountKey(stream)).toBe(key);
  });
});

test("one partition is the contract's stream", () => {
  expect(partitionKeys("observability:events", 1)).toEqual(["observability:events"]);
  expect(findPartition("ffffffff-ffff-4fff-bfff-ffffffffffff", 1)).toBe(0);
});

test("what lies beside a partition has the partition's hash tag", () => {
  expect(keyBeside("observability:events", "otlp:1")).toBe("{observability:events}:otlp:1");
  expect(keyBeside("observability:events:{3cs}", "otlp:1")).toBe("observability:events:{3cs}:otlp:1");
});

test("producers are spread evenly", () => {
  const counts = Array.from({ length: 4 }, () => 0);
  for (let index = 0; index < 10_000; index += 1) {
    const partition = findPartition(`019ac000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`, 4);
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(2_300);
});

test.each([
  [3, 12, 3],
  [3, 24, 8],
  [4, 16, 4],
  [6, 24, 4],
])("of %i masters and %i partitions each master has at least %i", (masters, partitions, least) => {
  const share = Math.ceil(16_384 / masters);
  const counts = Array.from({ length: masters }, () => 0);
  for (const key of partitionKeys("observability:events", partitions)) {
    const master = Math.floor(slotOf(key) / share);
    counts[master] = (counts[master] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBe(least);
});

/** The slot of Redis Cluster: CRC-16/XMODEM of the hash tag, or of the whole key. */
function slotOf(key: string): number {
  const tag = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x80_00) === 0 ? (crc << 1) & 0xff_ff : ((crc << 1) ^ 0x10_21) & 0xff_ff;
    }
  }
  return crc % 16_384;
}
