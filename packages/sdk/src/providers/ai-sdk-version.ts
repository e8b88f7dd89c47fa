import { createRequire } from "node:module";
import { join } from "node:path";
import { asObject, asText, quietly } from "../capture/loose-values.ts";
import { warn } from "../client/sdk-state.ts";

/** The first that publishes its operations on a diagnostics channel. */
const FIRST_VERSION = 7;

/** Says once that an AI SDK which is installed beside the application is too old to be recorded; it would be silent itself. */
export function warnOfOldVersion(folders: readonly string[]): void {
  for (const folder of folders) {
    const version = quietly(() => asText(asObject(createRequire(join(folder, "any.js"))("ai/package.json"))["version"]));
    if (version !== undefined) {
      if (Number.parseInt(version, 10) < FIRST_VERSION) {
        warn(
          "ai-sdk",
          `traceAiSdk() records the AI SDK from version ${FIRST_VERSION} on, and ai ${version} is installed, of which nothing is recorded. ` +
            `Update it (npm install ai@${FIRST_VERSION}), or send its own telemetry (experimental_telemetry) by an OpenTelemetry exporter.`,
        );
      }
      return;
    }
  }
}
