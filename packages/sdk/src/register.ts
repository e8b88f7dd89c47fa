/**
 * Set-up without a line of code, from the `OBS_*` variables alone: `node --import @sightline/sdk/register app.js`, or as the first
 * import of an application. Starts publishing, records the AI SDK's operations and turns on the capture of prompts; the application does
 * not wait for it.
 */
import { traceAiSdk } from "./ai-sdk.ts";
import { initializeRedisPublisher } from "./client/initialize.ts";
import { wrapLlmAdapter } from "./client/sdk-state.ts";

wrapLlmAdapter();
traceAiSdk();
void initializeRedisPublisher();
