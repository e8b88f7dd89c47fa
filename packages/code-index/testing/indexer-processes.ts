import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";

const PROGRAM = fileURLToPath(new URL("waiting-indexer.ts", import.meta.url));

type LogLine = Readonly<Record<string, unknown>>;

/** An indexer that can be killed. */
export type IndexerProcess = {
  readonly pid: number;
  /** Lets it take jobs. */
  readonly begin: () => void;
  readonly signal: (name: "SIGKILL" | "SIGSTOP" | "SIGCONT") => void;
  readonly exited: Promise<unknown>;
  readonly lines: readonly LogLine[];
  readonly hasSaid: (text: string) => Promise<void>;
};

export type IndexerProcesses = {
  /** Starts one, with a data folder of its own, that takes jobs once it is let to. */
  readonly spawn: () => Promise<IndexerProcess>;
  readonly stop: () => Promise<void>;
};

export function createIndexerProcesses(databaseUrl: string): IndexerProcesses {
  const children: ChildProcessByStdio<Writable, Readable, null>[] = [];
  const folders: string[] = [];

  return {
    spawn: async () => {
      const dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
      folders.push(dataDir);
      const child = spawn(process.execPath, [PROGRAM, databaseUrl, dataDir], {
        env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: join(tmpdir(), "sightline-test-compiled") },
        stdio: ["pipe", "pipe", "inherit"],
      });
      children.push(child);
      // Writing to one that was killed is no failure of the test.
      child.stdin.on("error", () => undefined);
      const lines: LogLine[] = [];
      let text = "";
      child.stdout.on("data", (data) => {
        text += String(data);
        const complete = text.split("\n");
        text = complete.pop() ?? "";
        lines.push(...complete.map((line) => JSON.parse(line) as LogLine));
      });
      const hasSaid = async (message: string) =>
        vi.waitFor(() => expect(lines.map((line) => line["msg"])).toContain(message), { timeout: 25_000, interval: 10 });
      return {
        pid: child.pid ?? 0,
        begin: () => child.stdin.write("begin\n"),
        signal: (name) => void child.kill(name),
        exited: once(child, "exit"),
        lines,
        hasSaid,
      };
    },
    stop: async () => {
      await Promise.all(
        children
          .filter((child) => child.exitCode === null && child.signalCode === null)
          .map(async (child) => {
            const exited = once(child, "exit");
            child.kill("SIGKILL");
            await exited;
          }),
      );
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}
