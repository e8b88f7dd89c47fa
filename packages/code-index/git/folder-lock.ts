import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "@sightline/foundation/make-folder";
import { hasEnded, processIdentitySchema, thisProcess } from "./process-identity.ts";

const BEAT_MS = 5_000;
/** Of an owner on another machine, which can't be looked at. */
const SILENT_MS = 120_000;
const POLL_MS = 100;

const NAME = /^lock-(\d+)$/;

/**
 * Runs `work` while no other process that shares the folder does, also in other containers and after a crash.
 *
 * Every holder makes the file with the next number, which the file system lets only one do, and empties it when done. The
 * file with the highest number says who holds the lock and is never removed, so nobody who looked too early can come in.
 */
export async function withFolderLock<Result>(folder: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  await makeFolder(folder);
  const held = await acquire(folder, signal);
  const beat = setInterval(() => void utimes(held, new Date(), new Date()).catch(() => undefined), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    // A folder that was removed meanwhile has no lock either.
    await truncate(held).catch(() => undefined);
  }
}

async function acquire(folder: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    const last = await lastNumber(folder);
    const held = (await isFree(folder, last)) ? await take(folder, last + 1) : undefined;
    if (held !== undefined) {
      return held;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function lastNumber(folder: string): Promise<number> {
  const names = await readdir(folder);
  return Math.max(0, ...names.map((name) => Number(NAME.exec(name)?.[1] ?? 0)));
}

async function isFree(folder: string, number: number): Promise<boolean> {
  if (number === 0) {
    return true;
  }
  const path = join(folder, `lock-${number}`);
  try {
    const [content, { mtimeMs }] = [await readFile(path, "utf8"), await stat(path)];
    return content === "" || Date.now() - mtimeMs > SILENT_MS || hasEnded(processIdentitySchema.parse(JSON.parse(content)));
  } catch {
    // A later one came meanwhile, or it is being emptied.
    return false;
  }
}

/** @returns the file, unless another was faster. */
async function take(folder: string, number: number): Promise<string | undefined> {
  const draft = join(folder, `draft-${randomUUID()}`);
  const path = join(folder, `lock-${number}`);
  await writeFile(draft, JSON.stringify(thisProcess()));
  try {
    await link(draft, path);
  } catch {
    return undefined;
  } finally {
    await rm(draft, { force: true });
  }
  if ((await lastNumber(folder)) !== number) {
    await rm(path, { force: true });
    return undefined;
  }
  await rm(join(folder, `lock-${number - 1}`), { force: true });
  return path;
}
