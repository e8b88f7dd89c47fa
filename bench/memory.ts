import { readdir, readFile } from "node:fs/promises";

/** The most memory that the indexer below a process has had, in bytes, as Linux counts it; `undefined` elsewhere. */
export async function peakOfIndexer(pid: number): Promise<number | undefined> {
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
  const peaks = found.flatMap((one) => (one !== undefined && family.has(one.pid) && one.command.includes("indexer") ? [one.peak] : []));
  return peaks.length === 0 ? undefined : Math.max(...peaks);
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
