import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { z } from "zod";
import { parseJson } from "./parse-json.ts";

const run = promisify(execFile);

export type RunningProcess = {
  readonly command: string;
  /** Tells two processes apart that got the same number one after the other. */
  readonly startedAt: string;
};

/** A process as it says itself in a file who it is; a later one with the same number is another. */
const processIdentitySchema = z.object({ pid: z.int(), startedAt: z.string(), machine: z.string().optional() });
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

export async function thisProcess(): Promise<ProcessIdentity> {
  const self = await findProcess(process.pid);
  return { pid: process.pid, startedAt: self?.startedAt ?? "", machine: await thisMachine() };
}

/** `undefined` when the text is not, or not all of, what `thisProcess` gave as JSON. */
export function readIdentity(text: string): ProcessIdentity | undefined {
  return processIdentitySchema.safeParse(parseJson(text)).data;
}

export async function isOfThisMachine({ machine }: ProcessIdentity): Promise<boolean> {
  return machine === (await thisMachine());
}

/** Whether this machine runs it: to be asked only of processes of this machine. */
export async function isRunning({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  return (await findProcess(pid))?.startedAt === startedAt;
}

/** Two containers may have one name, and each its own process 1. */
async function thisMachine(): Promise<string> {
  return `${hostname()} ${await readlink("/proc/self/ns/pid").catch(() => "")}`;
}

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
