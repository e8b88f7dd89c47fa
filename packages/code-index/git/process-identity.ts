import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";

/** Which process of which machine; a later one with the same number is another. */
export const processIdentitySchema = z.object({ machine: z.string(), pid: z.int(), started: z.string() });
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

export function thisProcess(): ProcessIdentity {
  return { machine: thisMachine(), pid: process.pid, started: startOf(process.pid) };
}

/** Whether it has ended for certain; of another machine's nothing is known. */
export function hasEnded({ machine, pid, started }: ProcessIdentity): boolean {
  return machine === thisMachine() && (!isAlive(pid) || startOf(pid) !== started);
}

/** Two containers may have one name, and each its own process 1. */
function thisMachine(): string {
  return `${hostname()} ${attempt(() => readlinkSync("/proc/self/ns/pid"))}`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** In ticks since the machine's start; the name before may hold anything, spaces and brackets included. */
function startOf(pid: number): string {
  return attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });
}

/** Where there is no /proc, a process is known by its number alone. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
