import { createHash } from "node:crypto";
import { isExactNumber } from "@sightline/foundation/exact-json";
import type { WriteItem } from "#contract.ts";

/** The input and the expected value, whatever the order of their keys; of its project, so that equal contents of two can't be told. */
export function hashContent(projectId: string, { input, expected }: Pick<WriteItem, "input" | "expected">): string {
  return hash([projectId, input, expected]);
}

/** All of an item that makes it another revision. */
export function hashRevision(item: Omit<WriteItem, "id">): string {
  const { input, expected, checks, metadata, split, subject, cluster, required, source } = item;
  return hash([input, expected, checks, metadata, split, subject, cluster, required, source]);
}

function hash(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(inOrder(value)))
    .digest("hex");
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inOrder);
  }
  return typeof value === "object" && value !== null && !isExactNumber(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, part]) => part !== undefined)
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .map(([key, part]) => [key, inOrder(part)]),
      )
    : value;
}
