import { readdir, readFile, readlink } from "node:fs/promises";

export type RunningProcess = { readonly pid: number; readonly command: readonly string[] };

/** Every process that was told of the folder by its environment, or works in it. */
export async function processesOf(home: string): Promise<readonly RunningProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.filter((pid) => pid !== process.pid).map((pid) => inspect(pid, home)));
  return found.filter((one) => one !== undefined);
}

async function inspect(pid: number, home: string): Promise<RunningProcess | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8");
    const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").filter((word) => word !== "");
    const folder = await readlink(`/proc/${pid}/cwd`);
    const belongs = environment.split("\0").includes(`SIGHTLINE_HOME=${home}`) || folder.startsWith(home);
    // A process that has ended and waits to be collected has no command any more.
    return belongs && command.length > 0 ? { pid, command } : undefined;
  } catch {
    // It ended meanwhile, or belongs to someone else.
    return undefined;
  }
}
