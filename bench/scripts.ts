import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export const repository: string = fileURLToPath(new URL("..", import.meta.url));

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a script of a part's tests in a process of its own and answers what it printed. */
export async function runScript(path: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [path, ...words], { cwd: repository, maxBuffer: MAX_OUTPUT });
  return stdout;
}
