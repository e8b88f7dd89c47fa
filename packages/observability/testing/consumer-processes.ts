import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConsumerProcessOptions } from "./consumer-process.ts";

const PROGRAM = fileURLToPath(new URL("consumer-process.ts", import.meta.url));
const LINES_KEPT = 200;

/** One replica of the consumer, which can be killed and started again. */
export type ConsumerReplica = {
  readonly start: () => void;
  readonly kill: () => Promise<void>;
  /** Its last log lines, over all its lives. */
  readonly lines: readonly string[];
};

export function createConsumerReplica(options: ConsumerProcessOptions): ConsumerReplica {
  return createReplica(PROGRAM, options);
}

/** Of any program, which takes its options as JSON. */
export function createReplica(program: string, options: object): ConsumerReplica {
  let child: ChildProcess | undefined;
  const lines: string[] = [];
  return {
    lines,
    start: () => {
      const started = spawn(process.execPath, [program, JSON.stringify(options)], {
        env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: join(tmpdir(), "sightline-test-compiled") },
        stdio: ["pipe", "pipe", "inherit"],
      });
      started.stdout.setEncoding("utf8").on("data", (text: string) => {
        lines.push(...text.trimEnd().split("\n"));
        lines.splice(0, lines.length - LINES_KEPT);
      });
      child = started;
    },
    kill: async () => {
      const running = child;
      child = undefined;
      if (running !== undefined && running.exitCode === null && running.signalCode === null) {
        const exited = once(running, "exit");
        running.kill("SIGKILL");
        await exited;
      }
    },
  };
}
