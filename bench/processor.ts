import { readdir, readFile } from "node:fs/promises";

/** Milliseconds of one of the system's ticks, by which it counts the time of its processes. */
const TICK_MS = 10;

/** Milliseconds that a process has spent on the processor, its threads included; Linux only, 0 elsewhere. */
export async function processorTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // What stands before the name's end may hold anything.
  const [user = "0", system = "0"] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}

/**
 * As {@link processorTimeOf}, of each process with which PostgreSQL serves a database, by its id; none where it is on another machine. Processes
 * end with their connections, so that only what each has taken since can be added up.
 */
export async function processorTimesOfDatabase(name: string): Promise<ReadonlyMap<number, number>> {
  const pids = (await readdir("/proc").catch(() => [])).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const times = new Map<number, number>();
  for (const pid of pids) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.startsWith("postgres:") && command.includes(` ${name} `)) {
      times.set(pid, await processorTimeOf(pid));
    }
  }
  return times;
}
