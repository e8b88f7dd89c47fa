import { fork, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Environment } from "#settings/environment.ts";

/** A child process. */
export type ChildSpecification = {
  readonly name: string;
  /** Absolute path of the program; secrets travel in the environment, never in the arguments. */
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Environment;
  /** The longest silence until it is ready, when it differs from the default. */
  readonly readyMs?: number;
};

/** Starts the process with this Node.js, with an IPC channel that closes when the parent is gone. */
export function launchChild(specification: ChildSpecification, onLine: (name: string, line: string) => void): ChildProcess {
  const child = fork(specification.program, [...specification.words], {
    env: { ...specification.environment },
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  forwardLines(child.stdout, (line) => onLine(specification.name, line));
  forwardLines(child.stderr, (line) => onLine(specification.name, line));
  return child;
}

function forwardLines(stream: Readable | null, onLine: (line: string) => void): void {
  if (stream !== null) {
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", onLine);
  }
}
