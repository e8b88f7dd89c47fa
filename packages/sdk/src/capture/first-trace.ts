import { sdkState } from "../client/sdk-state.ts";
import { isWatched } from "../settings/settings.ts";

/** Says in a terminal where the first trace of this process can be seen, if the console's address is known. Never throws. */
export function tellFirstTrace({ traceId }: { readonly traceId: string }): void {
  const { publisher, isFirstTraceTold } = sdkState;
  if (publisher === undefined || isFirstTraceTold) {
    return;
  }
  sdkState.isFirstTraceTold = true;
  const { consoleUrl, projectId } = publisher.settings;
  try {
    if (consoleUrl !== "" && isWatched()) {
      process.stderr.write(`Sightline: ${consoleUrl.replace(/\/+$/, "")}/projects/${projectId}/traces/${traceId}\n`);
    }
  } catch {
    // Whoever watches misses a line; the application is not disturbed.
  }
}
