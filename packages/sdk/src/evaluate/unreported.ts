import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Run } from "./run-item.ts";
import { processEnvironment } from "../settings/settings.ts";

/** Python's SDK keeps its own there, too, in the same form. */
function keptFolder(): string {
  return join(processEnvironment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "sightline-sdk", "evaluations");
}

/** Writes a file of runs that the platform has not taken, one a line, which only this user may read. @throws Error of the system */
export function keepUnreported(experimentId: string, runs: readonly Run[]): string {
  const name = `${experimentId}-${randomUUID()}.jsonl`;
  const text = runs.map((run) => `${JSON.stringify(run)}\n`).join("");
  const write = (folder: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return path;
  };
  try {
    mkdirSync(keptFolder(), { recursive: true });
    return write(keptFolder());
  } catch {
    return write(tmpdir());
  }
}

/** The runs that were kept, and the files that may go once they are reported. A line that was cut off is left out. */
export function readUnreported(experimentId: string): { readonly runs: readonly Run[]; readonly paths: readonly string[] } {
  const paths = [keptFolder(), tmpdir()].flatMap((folder) =>
    listFolder(folder)
      .filter((name) => name.startsWith(`${experimentId}-`) && name.endsWith(".jsonl"))
      .map((name) => join(folder, name))
      // Others may write into the temporary folder, too.
      .filter((path) => process.getuid === undefined || statSync(path).uid === process.getuid()),
  );
  // By their lines, as a run that could not be reported twice is in two files.
  const lines = new Set(paths.flatMap((path) => readFileSync(path, "utf8").split("\n")));
  return { runs: [...lines].flatMap(readRun), paths };
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readRun(line: string): readonly Run[] {
  try {
    return [JSON.parse(line) as Run];
  } catch {
    return [];
  }
}
