import { boundMessageReasoning, plainContent } from "../capture/chat-message.ts";
import { asText, type Values } from "../capture/loose-values.ts";
import { sdkState } from "../client/sdk-state.ts";

/** Text of one stream that is kept; what is recorded is cut again, shorter. */
const MAX_TEXT_LENGTH = 1_048_576;

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

/** The entries of a request that are set, as attributes of its call. */
export function pickSettings(request: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
}

/** Text that comes in pieces. */
export type CollectedText = { readonly add: (piece: unknown) => void; readonly read: () => string | undefined };

export function createCollectedText(): CollectedText {
  const pieces: string[] = [];
  let length = 0;
  return {
    add: (piece) => {
      if (typeof piece === "string" && length < MAX_TEXT_LENGTH) {
        pieces.push(piece);
        length += piece.length;
      }
    },
    read: () => asText(pieces.join("")),
  };
}
