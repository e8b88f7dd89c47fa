import type { ShownMessage } from "./message.tsx";

type Spoken = Pick<ShownMessage, "role">;

/** So few are shown whole. */
const FEW = 4;

/** Where the newest turn of what went into a model call begins: what was said since the model spoke last. */
export function newestTurn(input: readonly Spoken[]): number {
  return input.length <= FEW ? 0 : Math.min(input.findLastIndex(({ role }) => role === "assistant") + 1, input.length - 1);
}

/** Where what a step that is no model call took in or gave back is to be read from: its last message. */
export function newestMessage(messages: readonly Spoken[]): number {
  return messages.length <= FEW - 1 ? 0 : messages.length - 1;
}
