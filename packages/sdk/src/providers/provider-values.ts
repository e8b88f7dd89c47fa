import type { Usage } from "../event/event.ts";
import { boundMessageReasoning, plainContent } from "../capture/chat-message.ts";
import { sdkState } from "../client/sdk-state.ts";

export type Values = Readonly<Record<string, unknown>>;

/** Text of one stream that is kept; what is recorded is cut again, shorter. */
const LONGEST_TEXT = 1_048_576;

export function values(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** Undefined when nothing was counted. */
export function usageOf(counts: Omit<Usage, "raw">, raw: unknown): Usage | undefined {
  const known = Object.entries(counts).filter(([, counted]) => counted !== undefined);
  return known.length === 0 ? undefined : { ...Object.fromEntries(known), raw: values(raw) };
}

/** Prompts and answers leave the process only after `wrapLlmAdapter`, and the reasoning in them as the settings say. */
export function captured(messages: unknown): unknown {
  const settings = sdkState.publisher?.settings;
  if (!sdkState.capturePrompts || settings === undefined) {
    return undefined;
  }
  const policy = { capture: settings.captureReasoning, maximum: settings.reasoningMaxLength };
  const plain = plainContent(messages, policy);
  return Array.isArray(plain)
    ? plain.map((message: unknown) => boundMessageReasoning(message, policy))
    : boundMessageReasoning(plain, policy);
}

/** Text that comes in pieces. */
export function createText() {
  const pieces: string[] = [];
  let length = 0;
  return {
    add: (piece: unknown) => {
      if (typeof piece === "string" && length < LONGEST_TEXT) {
        pieces.push(piece);
        length += piece.length;
      }
    },
    read: () => text(pieces.join("")),
  };
}
