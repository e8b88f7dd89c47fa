import { createHash } from "node:crypto";

/** The most partitions that a stream may have; `OBSERVABILITY_STREAMS` says how many it has. */
export const MAX_PARTITIONS = 64;

/**
 * Two letters for each partition from the second on, by which its hash tag falls where the partitions before leave most room among the
 * slots of a Redis Cluster: so however many partitions and masters there are, each master has about as many. Of the numbers alone three
 * masters would have 5, 5 and 2 of 12.
 */
const LETTERS =
  "swesyzcsaxgeuwzwvzkkwbxizbgfemgeenqrsyymedmboiiquxygawldpmicujfxzqywukjufiscojaorgkbwkmbqkgotgggtomaqhqbmknmrdxqdxnfroxzkrsoof";

/**
 * The key of a partition of the stream. The first is the stream itself, so that one partition is the contract's one stream. The name
 * of a further one ends in a hash tag, and a key that begins with the partition's own lies in the same slot.
 */
export function partitionKey(stream: string, index: number): string {
  return index === 0 ? stream : `${stream}:{${index}${LETTERS.slice(2 * index - 2, 2 * index)}}`;
}

/** All keys that a partition of the stream can have, in their order. */
export function partitionKeys(stream: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => partitionKey(stream, index));
}

/**
 * The partition of a producer: all its events are on one, in their order. `partition-vectors.json` has examples; every SDK chooses
 * alike.
 *
 * @param producerId A UUID, in either case.
 */
export function findPartition(producerId: string, count: number): number {
  return count === 1 ? 0 : createHash("sha256").update(producerId.toLowerCase()).digest().readUInt32BE(0) % count;
}

/** The key of what belongs to a stream or partition: in the same slot of a Redis Cluster, since one script may use both. */
export function keyBeside(stream: string, name: string): string {
  const hasTag = /\{[^}]+\}/.test(stream);
  return `${hasTag ? stream : `{${stream}}`}:${name}`;
}

/** The key that tells SDKs how many partitions there are; it is not there while there is one. */
export function partitionCountKey(stream: string): string {
  return keyBeside(stream, "partitions");
}

/** The key that tells the producers on a partition which version of a project's contents there is; it is not there while none was deleted of late. */
export function contentsVersionKey(partition: string, projectId: string): string {
  return keyBeside(partition, `contents:${projectId.toLowerCase()}`);
}
