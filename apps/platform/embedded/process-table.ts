import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export type RunningProcess = {
  readonly command: string;
  /** Tells two processes apart that got the same number one after the other. */
  readonly startedAt: string;
};

/** The process of that number, unless there is none or it has ended. */
export async function findProcess(pid: number): Promise<RunningProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat === undefined ? askPs(pid) : parseStat(stat);
}

/** `pid (command) state …`; the command may hold spaces and brackets, and the start time is the 22nd field. */
function parseStat(stat: string): RunningProcess | undefined {
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") {
    return undefined;
  }
  return { command: stat.slice(stat.indexOf("(") + 1, end), startedAt: fields[19] ?? "" };
}

/** Where there is no /proc: macOS. */
async function askPs(pid: number): Promise<RunningProcess | undefined> {
  if (process.platform === "linux") {
    return undefined;
  }
  try {
    const { stdout } = await run("ps", ["-o", "stat=,lstart=,comm=", "-p", String(pid)], { timeout: 5_000 });
    const [, state, startedAt, command] = /^(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.+)$/.exec(stdout.trim()) ?? [];
    return state === undefined || state.startsWith("Z") ? undefined : { command: command ?? "", startedAt: startedAt ?? "" };
  } catch {
    return undefined;
  }
}
