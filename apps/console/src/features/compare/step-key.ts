import type { AlignedStep } from "@sightline/observability/contract";

/** By this a pair of steps is known in the address. */
export function stepKey({ a, b }: Pick<AlignedStep, "a" | "b">): string {
  return `${a?.id ?? ""}.${b?.id ?? ""}`;
}
