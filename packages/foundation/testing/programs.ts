import { existsSync } from "node:fs";
import { delimiter, resolve } from "node:path";

/**
 * For a test or a group that needs programs of the machine's own. Where one is missing it is skipped, and its name says which:
 * `const curl = needsPrograms("curl")`, then ``test(`downloads${curl.note}`, { skip: curl.skip }, …)``.
 */
export function needsPrograms(...programs: readonly string[]): { readonly skip: boolean; readonly note: string } {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  return { skip: missing.length > 0, note: missing.length > 0 ? ` (skipped without ${missing.join(", ")})` : "" };
}

/** A program by its name or its whole path: on the path of this process, or in other folders. */
export function findProgram(program: string, others: readonly string[] = []): string | undefined {
  const { PATH: path = "" } = process.env;
  return [...path.split(delimiter), ...others].map((folder) => resolve(folder, program)).find((candidate) => existsSync(candidate));
}
