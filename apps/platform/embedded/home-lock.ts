import { link, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@sightline/foundation/make-folder";
import { z } from "zod";
import { findProcess } from "./process-table.ts";

const holderSchema = z.object({ pid: z.int(), startedAt: z.string() });

export type HomeLock = { readonly release: () => Promise<void> };

/**
 * Makes this process the only one that runs embedded stores in `home`: two of them on one data folder would destroy it.
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
 *
 * @throws {HomeTakenError} naming the process that has it.
 */
export async function lockHome(home: string): Promise<HomeLock> {
  await makeFolder(home, { mode: 0o700 });
  const { highest, holder } = await readHighestLock(home);
  if (holder !== undefined) {
    throw new HomeTakenError(
      `Sightline already runs in ${home} (process ${holder})`,
      "Stop it first, or choose another folder with SIGHTLINE_HOME and other ports.",
    );
  }
  const own = highest + 1;
  const path = lockPath(home, own);
  if (!(await linkWhole(home, path)) || !(await standsAlone(home, own))) {
    throw new HomeTakenError(`Another Sightline starts in ${home} at this moment`);
  }
  return { release: () => truncate(path).catch(unlessMissing) };
}

/** The process that runs embedded stores in `home`, if one does. */
export async function findHomeHolder(home: string): Promise<number | undefined> {
  return (await readHighestLock(home)).holder;
}

export class HomeTakenError extends Error {
  /** Without what to do about it. */
  readonly fact: string;

  constructor(fact: string, remedy?: string) {
    super(remedy === undefined ? `${fact}.` : `${fact}. ${remedy}`);
    this.fact = fact;
  }
}

async function readHighestLock(home: string): Promise<{ readonly highest: number; readonly holder: number | undefined }> {
  const highest = Math.max(0, ...(await lockNumbers(home)));
  return { highest, holder: await livingHolder(await readText(lockPath(home, highest))) };
}

function lockPath(home: string, number: number): string {
  return join(home, `lock.${number}`);
}

async function lockNumbers(home: string): Promise<readonly number[]> {
  const names = (await readdir(home).catch(unlessMissing)) ?? [];
  return names.flatMap((name) => /^lock\.(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/** Linked into place whole, so that nobody ever reads half a lock. */
async function linkWhole(home: string, path: string): Promise<boolean> {
  const draft = join(home, `lock-draft.${process.pid}`);
  const self = await findProcess(process.pid);
  await writeFile(draft, JSON.stringify({ pid: process.pid, startedAt: self?.startedAt ?? "" }), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) {
      return false;
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Looks again: the highest of all cleans up below itself, any other withdraws. */
async function standsAlone(home: string, own: number): Promise<boolean> {
  const numbers = await lockNumbers(home);
  const isHighest = numbers.every((number) => number <= own);
  const superfluous = isHighest ? numbers.filter((number) => number < own) : [own];
  await Promise.all(superfluous.map((number) => rm(lockPath(home, number), { force: true })));
  return isHighest;
}

/** A lock outlives a process that was killed; then its process is gone, or the number belongs to another one. */
async function livingHolder(text: string): Promise<number | undefined> {
  const holder = holderSchema.safeParse(parseJson(text)).data;
  if (holder === undefined || holder.pid === process.pid) {
    return undefined;
  }
  const found = await findProcess(holder.pid);
  return found?.startedAt === holder.startedAt ? holder.pid : undefined;
}

/** A file that is gone was not the highest any more. */
async function readText(path: string): Promise<string> {
  return (await readFile(path, "utf8").catch(unlessMissing)) ?? "";
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, "ENOENT")) {
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
