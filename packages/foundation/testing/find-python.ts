import { existsSync, lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The Python of the newest environment that `tools/python-environment.sh` made, if any. */
export function findPython(): string | undefined {
  const { SIGHTLINE_TEST_CACHE: given } = process.env;
  const cache = given === undefined || given === "" ? join(homedir(), ".cache/sightline") : given;
  const programs = existsSync(cache)
    ? readdirSync(cache)
        .filter((name) => name.startsWith("python-"))
        .map((name) => join(cache, name, "bin/python"))
        .filter((program) => existsSync(program))
    : [];
  return programs.toSorted((left, right) => lstatSync(left).birthtimeMs - lstatSync(right).birthtimeMs).at(-1);
}

/** Marks a test that runs the SDK for Python: it is skipped without a Python, except where real services are required. */
export const needsPython = { skip: findPython() === undefined && process.env["REQUIRE_REAL_SERVICES"] !== "1" };
