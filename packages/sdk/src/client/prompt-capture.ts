import { sdkState } from "./sdk-state.ts";

/**
 * Turns on the capture of prompts, responses and reasoning of LangChain models that run inside traced graphs, for the whole process.
 * Without it model calls are recorded with model, usage, status and time only. Never throws.
 */
export function wrapLlmAdapter(): void {
  sdkState.capturePrompts = true;
}
