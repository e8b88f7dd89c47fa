import { truncatedValueSchema } from "#contract.ts";

/** Depth at which values are no longer looked into. */
const DEPTH = 50;
const MASKED = /^\[(?:masked|redacted)[^\]]*\]$/i;

/** The paths of what was cut, masked or not kept when it was recorded. */
export function nameIncomplete(path: string, value: unknown, depth = 0): readonly string[] {
  if (isIncomplete(value)) {
    return [path];
  }
  if (typeof value !== "object" || value === null || depth > DEPTH) {
    return [];
  }
  return Object.entries(value)
    .flatMap(([key, part]) => nameIncomplete(`${path}/${key}`.slice(0, 200), part, depth + 1))
    .slice(0, 100);
}

/** Whether it stands for something that was cut, masked or not kept. */
export function isIncomplete(value: unknown): boolean {
  if (typeof value === "string") {
    return MASKED.test(value);
  }
  return typeof value === "object" && value !== null && (truncatedValueSchema.safeParse(value).success || "$blob" in value);
}
