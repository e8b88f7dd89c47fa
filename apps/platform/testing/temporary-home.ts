import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { runCommand, type CommandResult } from "./run-command.ts";

/** What must never be printed. */
export const HIDDEN_TOKEN = "codeindex_0123456789abcdef";

type Circumstances = { readonly input?: string; readonly environment?: Readonly<Record<string, string>> };

export type TemporaryHome = {
  readonly folder: string;
  /** Runs `sightline connect` in it, with no program on PATH, and makes sure that the token is not shown. */
  readonly connect: (words: readonly string[], circumstances?: Circumstances) => Promise<CommandResult>;
  /** Writes without asking, with the token on stdin. */
  readonly connectWithToken: (...words: readonly string[]) => Promise<CommandResult>;
  readonly put: (name: string, text: string | Uint8Array, mode?: number) => Promise<void>;
  readonly read: (name: string) => Promise<string>;
  readonly has: (name: string) => Promise<boolean>;
  readonly modeOf: (name: string) => Promise<number>;
  readonly remove: () => Promise<void>;
};

export async function makeTemporaryHome(): Promise<TemporaryHome> {
  const folder = await mkdtemp(join(tmpdir(), "sightline-connect-"));
  const connect: TemporaryHome["connect"] = async (words, { input, environment } = {}) => {
    const result = await runCommand(["connect", ...words], {
      folder,
      environment: { PATH: "", HOME: folder, ...environment },
      ...(input === undefined ? {} : { input }),
    });
    expect(result.out + result.error).not.toContain(HIDDEN_TOKEN);
    return result;
  };
  return {
    folder,
    connect,
    connectWithToken: (...words) =>
      connect(["--url", "https://sightline.example.org", "--yes", "--token-stdin", ...words], { input: `${HIDDEN_TOKEN}\n` }),
    put: async (name, text, mode = 0o644) => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
      await chmod(join(folder, name), mode);
    },
    read: (name) => readFile(join(folder, name), "utf8"),
    has: (name) =>
      stat(join(folder, name)).then(
        () => true,
        () => false,
      ),
    modeOf: async (name) => (await stat(join(folder, name))).mode & 0o777,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
