import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOfThisMachine, isRunning, readIdentity, thisProcess } from "@sightline/foundation/process-table";

const PREFIX = "sightline-private-";
const OWNER = "owner.json";

/** Lends a folder that only our own user can open, and removes it. */
export async function withPrivateFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  await sweepPrivateFolders();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    await writePrivateFile(join(folder, OWNER), JSON.stringify(await thisProcess()));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function writePrivateFile(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flag: "wx" });
}

/** Removes the folders of processes that were killed before they could. */
export async function sweepPrivateFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const folder = join(tmpdir(), name);
    if (name.startsWith(PREFIX) && (await isOrphaned(folder))) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

async function isOrphaned(folder: string): Promise<boolean> {
  // Another user's can't be read; in one that is being made nothing secret is before its owner's name.
  const owner = readIdentity(await readFile(join(folder, OWNER), "utf8").catch(() => ""));
  return owner !== undefined && (await isOfThisMachine(owner)) && !(await isRunning(owner));
}
