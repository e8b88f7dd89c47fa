import { readdir, readFile, writeFile } from "node:fs/promises";

/** The most memory that the indexer below a process has had, in bytes, as Linux counts it; `undefined` elsewhere. */
export async function peakOfIndexer(pid: number): Promise<number | undefined> {
  const indexers = await findIndexers(pid);
  return indexers.length === 0 ? undefined : Math.max(...indexers.map(({ peak }) => peak));
}

/** Has it counted from now on. */
export async function resetPeak(pid: number): Promise<void> {
  for (const indexer of await findIndexers(pid)) {
    await writeFile(`/proc/${indexer.pid}/clear_refs`, "5");
  }
}

async function findIndexers(pid: number) {
  const processes = await readdir("/proc").catch(() => []);
  const found = await Promise.all(processes.filter((name) => /^\d+$/.test(name)).map(readProcess));
  const family = new Set([pid]);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const one of found) {
      if (one !== undefined && family.has(one.parent)) {
        family.add(one.pid);
      }
    }
  }
  return found.flatMap((one) => (one !== undefined && family.has(one.pid) && one.command.includes("indexer") ? [one] : []));
}

async function readProcess(name: string) {
  try {
    const [status, command] = await Promise.all([readFile(`/proc/${name}/status`, "utf8"), readFile(`/proc/${name}/cmdline`, "utf8")]);
    const number = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return { pid: Number(name), parent: number("PPid"), peak: number("VmHWM") * 1024, command: command.replaceAll("\0", " ") };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
