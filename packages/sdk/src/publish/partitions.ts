import { createHash } from "node:crypto";

/** The key in which the platform says how many partitions the stream has; it is not there while there is one. */
export function partitionCountKey(stream: string): string {
  return keyBeside(stream, "partitions");
}

/** The key in which the platform says which version of a project's contents there is: another one after some were deleted. */
export function contentsVersionKey(partition: string, projectId: string): string {
  return keyBeside(partition, `contents:${projectId.toLowerCase()}`);
}

function keyBeside(stream: string, name: string): string {
  return `${/\{[^}]+\}/.test(stream) ? stream : `{${stream}}`}:${name}`;
}

/** Two letters for each partition from the second on, by which a Redis Cluster spreads them evenly; the same as the platform's. */
const LETTERS =
  "swesyzcsaxgeuwzwvzkkwbxizbgfemgeenqrsyymedmboiiquxygawldpmicujfxzqywukjufiscojaorgkbwkmbqkgotgggtomaqhqbmknmrdxqdxnfroxzkrsoof";

/** The key of the partition that a producer's events go to, all of them. The SDK for Python and the platform choose alike. */
export function partitionKeyOf(stream: string, producerId: string, count: number): string {
  const index = count === 1 ? 0 : createHash("sha256").update(producerId.toLowerCase()).digest().readUInt32BE(0) % count;
  return index === 0 ? stream : `${stream}:{${index}${LETTERS.slice(2 * index - 2, 2 * index)}}`;
}
