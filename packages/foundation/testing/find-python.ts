import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../../tools/python-environment.sh", import.meta.url));

/**
 * The Python that the SDK is checked with, if `tools/python-environment.sh` made it. The script is asked, as an environment of
 * other packages, or of an older list, may lie beside it.
 */
export function findPython(): string | undefined {
  const { status, stdout } = spawnSync(SCRIPT, ["--find"], { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? stdout.trim() : undefined;
}

/** Marks a test that runs the SDK for Python: it is skipped without a Python, except where real services are required. */
export const needsPython = { skip: findPython() === undefined && process.env["REQUIRE_REAL_SERVICES"] !== "1" };
