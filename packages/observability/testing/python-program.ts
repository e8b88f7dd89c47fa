import { fileURLToPath } from "node:url";
import { findPython } from "@sightline/foundation/testing/find-python";

/** How a script of the SDK for Python is run: the program with its first arguments, and where. Its test is marked `needsPython`. */
export function pythonProgram(script: string) {
  const cwd = fileURLToPath(new URL("../../sdk-python", import.meta.url));
  return {
    program: [findPython() ?? "python3", script] as const,
    options: { cwd, env: { ...process.env, PYTHONPATH: "src:testing" } },
  };
}
