import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "#errors.ts";
import { makeFolder } from "./make-folder.ts";
import { isOfThisMachine, isRunning, readIdentity, thisProcess, type ProcessIdentity } from "#process-table.ts";

const BEAT_MS = 5_000;
/** After such a silence a holder on another machine, which can't be looked at, counts as gone. */
const SILENT_MS = 120_000;
const POLL_MS = 100;

export type FolderLock = { readonly path: string; readonly release: () => Promise<void> };

type Locking = {
  /** Permissions of the folder, when it has to be made. */
  readonly mode?: number;
  /** Whether other machines lock the folder, too. Then a holder says by the time of its file that it lives, as `withFolderLock` does. */
  readonly isShared?: boolean;
};

/**
 * Makes this process the holder of a folder, unless another one is: then the answer is its number, or `undefined` where it
 * takes the folder at this moment.
 *
 * Locks are numbered files, `lock.<n>`, and the highest one counts. Who finds no living holder in it links the next number,
 * whole, which the file system allows once. Nobody ever removes the highest file: a holder removes lower ones only, and
 * releases its own by emptying it. So the highest number never falls, which settles how processes can come between each other:
 *
 * - Many find the same leftover: they all link the same number, and one succeeds.
 * - One pauses after it looked, while others take over, release and clean up: the number that it links may be free again,
 *   but then a higher one stands, so it looks again after linking, and withdraws. Taken for the highest by nobody, its file did no harm.
 * - A holder that looked again and found nothing higher keeps the lock: whoever links the next number has read its file first.
 * - A process dies anywhere: what it left is either the highest file, without a living holder, or a lower one.
 *
 * A look is one moment: a folder of so few names is read by one system call, during which no name comes or goes.
 */
export async function takeFolderLock(
  folder: string,
  { mode, isShared = false }: Locking = {},
): Promise<FolderLock | { readonly holder: number | undefined }> {
  await makeFolder(folder, mode === undefined ? {} : { mode });
  const { highest, holder } = await readHighestLock(folder, isShared);
  if (holder !== undefined) {
    return { holder };
  }
  const own = highest + 1;
  const path = lockPath(folder, own);
  if (!(await linkWhole(folder, path)) || !(await standsAlone(folder, own))) {
    return { holder: undefined };
  }
  // A folder that was removed meanwhile has no lock either.
  return { path, release: () => truncate(path).catch(unlessMissing) };
}

/** The process of this machine that holds the folder, if one does. */
export async function findFolderHolder(folder: string): Promise<number | undefined> {
  return (await readHighestLock(folder, false)).holder;
}

/** Runs `work` while no other process that shares the folder does, also in other containers and after a crash. */
export async function withFolderLock<Result>(folder: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const lock = await awaitFolderLock(folder, signal);
  const beat = setInterval(() => void utimes(lock.path, new Date(), new Date()).catch(() => undefined), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await lock.release();
  }
}

async function awaitFolderLock(folder: string, signal: AbortSignal): Promise<FolderLock> {
  for (;;) {
    signal.throwIfAborted();
    const taken = await takeFolderLock(folder, { isShared: true });
    if ("release" in taken) {
      return taken;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function readHighestLock(
  folder: string,
  isShared: boolean,
): Promise<{ readonly highest: number; readonly holder: number | undefined }> {
  const highest = Math.max(0, ...(await lockNumbers(folder)));
  const path = lockPath(folder, highest);
  // A file that is gone was not the highest any more.
  const holder = readIdentity((await readFile(path, "utf8").catch(unlessMissing)) ?? "");
  return { highest, holder: holder !== undefined && (await isHeld(path, holder, isShared)) ? holder.pid : undefined };
}

/** A lock outlives a process that was killed; then its process is gone, or the number belongs to another one. */
async function isHeld(path: string, holder: ProcessIdentity, isShared: boolean): Promise<boolean> {
  if (!isShared || (await isOfThisMachine(holder))) {
    return isRunning(holder);
  }
  const found = await stat(path).catch(unlessMissing);
  return found !== undefined && Date.now() - found.mtimeMs <= SILENT_MS;
}

function lockPath(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}

async function lockNumbers(folder: string): Promise<readonly number[]> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  return names.flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/** Linked into place whole, so that nobody ever reads half a lock. */
async function linkWhole(folder: string, path: string): Promise<boolean> {
  const draft = join(folder, `lock-draft.${randomUUID()}`);
  await writeFile(draft, JSON.stringify(await thisProcess()), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") {
      return false;
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Looks again: the highest of all cleans up below itself, any other withdraws. */
async function standsAlone(folder: string, own: number): Promise<boolean> {
  const numbers = await lockNumbers(folder);
  const isHighest = numbers.every((number) => number <= own);
  const superfluous = isHighest ? numbers.filter((number) => number < own) : [own];
  await Promise.all(superfluous.map((number) => rm(lockPath(folder, number), { force: true })));
  return isHighest;
}

function unlessMissing(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") {
    throw error;
  }
}
