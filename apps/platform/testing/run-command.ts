import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type CommandResult = { readonly code: number | null; readonly out: string; readonly error: string };

/** Each command is a process that loads the whole product, on a machine that runs other tests too. */
export const COMMAND_MS = 90_000;

const PROGRAM = fileURLToPath(new URL("../sightline.ts", import.meta.url));

/** Runs the command line as a user does, in `folder`, with nothing but `environment` set and `input` on stdin. */
export async function runCommand(
  words: readonly string[],
  options: {
    readonly folder: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly timeoutMs?: number;
  },
): Promise<CommandResult> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: options.folder,
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: join(tmpdir(), "sightline-test-compiled"), ...options.environment },
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    timeout: options.timeoutMs ?? 60_000,
  });
  child.stdin?.end(options.input);
  let out = "";
  let error = "";
  child.stdout?.on("data", (data) => (out += String(data)));
  child.stderr?.on("data", (data) => (error += String(data)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, error };
}
