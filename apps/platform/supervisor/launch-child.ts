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

/**
 * Node.js keeps what it once needed for objects that live shortly, up to 48 MB a process; with this it keeps 6 and collects them
 * more often. The GNU allocator likewise gives nothing back of what lies between, unless it is told to; others don't read these.
 */
const YOUNG_SPACE = "--max-semi-space-size=2";
const SMALL_MEMORY = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };

/** Starts the process with this Node.js, with an IPC channel that closes when the parent is gone. */
export function launchChild(specification: ChildSpecification, onLine: (name: string, line: string) => void): ChildProcess {
  const child = fork(specification.program, [...specification.words], {
    env: { ...SMALL_MEMORY, ...specification.environment },
    execArgv: [YOUNG_SPACE],
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
