import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findProcess } from "@sightline/foundation/process-table";

/** Returns the data folder of the embedded redis-server, and makes it when it isn't there. */
export async function redisFolder(home: string): Promise<string> {
  const folder = resolve(home, "redis");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export async function rememberRedis(home: string, pid: number): Promise<void> {
  await writeFile(pidFile(home), String(pid));
}

const END_MS = 5_000;

/** Ends a redis-server of this home whose parent was killed before it could end it. */
export async function endLeftoverRedis(home: string): Promise<void> {
  const pid = Number(await readFile(pidFile(home), "utf8").catch(() => ""));
  if (!Number.isSafeInteger(pid) || pid <= 1 || !(await isRedis(pid))) {
    return;
  }
  process.kill(pid, "SIGTERM");
  const deadline = Date.now() + END_MS;
  while (await isRedis(pid)) {
    if (Date.now() > deadline) {
      process.kill(pid, "SIGKILL");
    }
    await delay(50);
  }
  await rm(pidFile(home), { force: true });
}

function pidFile(home: string): string {
  return join(home, "redis", "server.pid");
}

/** Process ids are reused, so the command of the process is checked too. */
async function isRedis(pid: number): Promise<boolean> {
  const found = await findProcess(pid);
  return found !== undefined && /^(redis|valkey)-server/.test(found.command.split("/").at(-1) ?? "");
}
