import type { Step } from "@sightline/observability/contract";

/** A call whose tokens are known and whose model has no price in the project. */
export function isUnpriced({ kind, cost, input_tokens: input, output_tokens: output }: Step): boolean {
  return kind === "llm" && cost === null && (input !== null || output !== null);
}
