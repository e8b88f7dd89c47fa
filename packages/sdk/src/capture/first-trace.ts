import { sdkState } from "../client/sdk-state.ts";
import { isWatched } from "../settings/settings.ts";

/** Says in a terminal where the first trace of this process can be seen, if the console's address is known. Never throws. */
export function tellFirstTrace({ traceId }: { readonly traceId: string }): void {
  const { publisher, isFirstTraceTold } = sdkState;
  if (publisher === undefined || isFirstTraceTold) {
    return;
  }
  sdkState.isFirstTraceTold = true;
  const address = traceAddress(traceId);
  try {
    if (address !== undefined && isWatched()) {
      process.stderr.write(`Sightline: ${address}\n`);
    }
  } catch {
    // Whoever watches misses a line; the application is not disturbed.
  }
}

/** The console's address of a trace; undefined unless its address is known. */
export function traceAddress(traceId: string): string | undefined {
  const { consoleUrl = "", projectId } = sdkState.publisher?.settings ?? {};
  return consoleUrl === "" ? undefined : `${consoleUrl.replace(/\/+$/, "")}/projects/${projectId}/traces/${traceId}`;
}
