import { boundMessageReasoning, plainContent } from "../capture/chat-message.ts";
import type { Usage } from "../event/event.ts";
import { asText, type Values } from "../capture/loose-values.ts";
import type { ObservationOutcome } from "../capture/recorder.ts";
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

/** The outcome of a model call that was answered. The reasoning is an entry of its own, recorded where answers are. */
export function answeredOutcome(answer: Answer): ObservationOutcome {
  const { model, usage, output, reasoning, tools, attributes } = answer;
  return {
    status: "success",
    model: asText(model),
    usage,
    output: captured(output),
    reasoning: asText(captured(reasoning.join("\n"))),
    attributes: { ...attributes, ...(tools.length > 0 ? { tool_calls: tools } : {}) },
  };
}

type Answer = {
  readonly model: unknown;
  readonly usage: Usage | undefined;
  readonly output: unknown;
  readonly reasoning: readonly string[];
  /** Names of the tools that it calls. */
  readonly tools: readonly string[];
  readonly attributes: Values;
};

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
