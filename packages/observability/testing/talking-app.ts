import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pythonProgram } from "./python-program.ts";

const TYPESCRIPT = fileURLToPath(new URL("../../sdk/testing/converse.ts", import.meta.url));

/** An observed application under the real SDK, in a process of its own, which says what it is told to. */
export type TalkingApp = {
  /** Records a trace of the user with these messages; its id, once it is on the stream. */
  readonly say: (user: string, messages: readonly object[]) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** @param given The Redis, the stream and the project that it sends to. */
export function startTalkingApp(language: "TypeScript" | "Python", given: readonly string[]): TalkingApp {
  const python = pythonProgram("testing/converse.py");
  const [[file, ...script], options] =
    language === "Python" ? [python.program, python.options] : [[process.execPath, TYPESCRIPT] as const, {}];
  const child = spawn(file, [...script, ...given], { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    say: async (user, messages) => {
      child.stdin.write(`${JSON.stringify({ user, messages })}\n`);
      return String((await lines.next()).value);
    },
    stop: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
