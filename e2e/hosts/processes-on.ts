import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

export type Started = {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** @throws {Error} with all that was printed, when it ends or takes too long before. */
  readonly printed: (pattern: RegExp, timeoutMs: number) => Promise<void>;
  /** As a machine that loses its power. */
  readonly kill: () => Promise<void>;
  readonly end: () => Promise<void>;
};

const END_MS = 20_000;

/** A command with all its children in a group of its own. */
export function start(words: readonly string[], environment: NodeJS.ProcessEnv, cwd: string): Started {
  const [file = "", ...rest] = words;
  const child = spawn(file, rest, { cwd, env: environment, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const signal = async (name: NodeJS.Signals) => {
    if (!hasEnded() && child.pid !== undefined) {
      const ended = once(child, "exit");
      process.kill(-child.pid, name);
      await Promise.race([ended, delay(END_MS, undefined, { ref: false })]);
    }
  };
  return {
    child,
    output: () => output,
    async printed(pattern, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      while (!pattern.test(output)) {
        if (hasEnded() || Date.now() > deadline) {
          throw new Error(`${pattern} was not printed:\n${output}`);
        }
        await delay(100);
      }
    },
    kill: () => signal("SIGKILL"),
    end: () => signal("SIGTERM"),
  };
}
