import { spawn } from "node:child_process";
import { once } from "node:events";
import { errorMessage } from "@sightline/foundation/errors";

/** Runs a command in the foreground, as a shell would. @throws {Error} where it can't be started or ends with anything but 0. */
export async function runToEnd([program = "", ...words]: readonly string[], environment: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(program, words, { stdio: "inherit", env: { ...process.env, ...environment } });
  // Ctrl-C reaches both; the command reports what ended, and ends by itself.
  const leaveToChild = () => {};
  process.on("SIGINT", leaveToChild);
  const forward = () => child.kill("SIGTERM");
  process.on("SIGTERM", forward);
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    if (code !== 0) {
      throw new Error(`${program} ended with ${code ?? signal}, so nothing was judged.`);
    }
  } catch (error) {
    throw "code" in Object(error) ? new Error(`${program} can't be started: ${errorMessage(error)}`, { cause: error }) : error;
  } finally {
    process.off("SIGINT", leaveToChild).off("SIGTERM", forward);
  }
}
