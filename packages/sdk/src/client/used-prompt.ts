import type { PromptReference } from "../event/event.ts";
import { sdkState } from "./sdk-state.ts";

const MAX_TEXTS = 1_000;
const MAX_CHARACTERS = 8_000_000;
/** Parts of one call's messages that are looked at, of whatever type. */
const MAX_LOOKED_AT = 2_000;
const MAX_DEPTH = 6;

/** Notes what a prompt was compiled to; the newest texts of this process are kept. */
export function rememberCompiled(text: string, reference: PromptReference): void {
  const { compiled } = sdkState;
  if (text.trim() === "" || text.length > MAX_CHARACTERS) {
    return;
  }
  compiled.characters += compiled.texts.delete(text) ? 0 : text.length;
  compiled.texts.set(text, reference);
  for (const oldest of compiled.texts.keys()) {
    if (compiled.texts.size <= MAX_TEXTS && compiled.characters <= MAX_CHARACTERS) {
      break;
    }
    compiled.texts.delete(oldest);
    compiled.characters -= oldest.length;
  }
}

/** The prompt that a model call is made with: the one whose text is among its messages, in whatever form a library has them, unless the code says another. */
export function usedPrompt(messages: unknown): PromptReference | undefined {
  const { texts } = sdkState.compiled;
  const chosen = sdkState.chosenPrompt.getStore();
  if (chosen !== undefined || texts.size === 0) {
    return chosen;
  }
  let lookedAt = 0;
  for (const part of partsOf(messages, MAX_DEPTH)) {
    const found = typeof part === "string" ? texts.get(part) : undefined;
    if (found !== undefined || ++lookedAt >= MAX_LOOKED_AT) {
      return found;
    }
  }
  return undefined;
}

function* partsOf(value: unknown, depth: number): Generator {
  yield value;
  if (typeof value === "object" && value !== null && depth > 0) {
    // LangChain's messages are objects of a class, with a content.
    const isPlain = Object.getPrototypeOf(value) === Object.prototype;
    const parts: readonly unknown[] = Array.isArray(value) ? value : isPlain ? Object.values(value) : [Reflect.get(value, "content")];
    for (const part of parts) {
      yield* partsOf(part, depth - 1);
    }
  }
}
