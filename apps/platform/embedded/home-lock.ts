import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { findProcess } from "./process-table.ts";

const holderSchema = z.object({ pid: z.int(), startedAt: z.string() });

export type HomeLock = { readonly release: () => Promise<void> };

/**
 * Makes this process the only one that runs embedded stores in `home`: two of them on one data folder would destroy it.
 *
 * @throws {Error} naming the process that has it.
 */
export async function lockHome(home: string): Promise<HomeLock> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const path = join(home, "lock");
  if (!(await write(path))) {
    const text = await readText(path);
    const holder = await livingHolder(text);
    if (holder !== undefined) {
      throw new Error(
        `Sightline already runs in ${home} (process ${holder}). Stop it first, or choose another folder with SIGHTLINE_HOME and other ports.`,
      );
    }
    if (!(await removeLeftover(path, text)) || !(await write(path))) {
      throw new Error(`Another Sightline starts in ${home} at this moment.`);
    }
  }
  return { release: () => rm(path, { force: true }) };
}

/** Linked into place whole, so that nobody ever reads half a lock. */
async function write(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}`;
  const self = await findProcess(process.pid);
  await writeFile(draft, JSON.stringify({ pid: process.pid, startedAt: self?.startedAt ?? "" }), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      return false;
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Of many that found the same leftover only one may remove it. Another may have done so meanwhile, and what stands there
 * now is its lock: moving aside takes exactly one file, which is looked at then, and put back when it is not the leftover.
 */
async function removeLeftover(path: string, leftover: string): Promise<boolean> {
  if ((await readText(path)) !== leftover) {
    return false;
  }
  const aside = `${path}.${process.pid}.leftover`;
  try {
    await rename(path, aside);
    const moved = await readText(aside);
    if (moved !== leftover) {
      await link(aside, path);
    }
    return moved === leftover;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EEXIST")) {
      return false;
    }
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** A lock file outlives a process that was killed; then its process is gone, or the number belongs to another one. */
async function livingHolder(text: string): Promise<number | undefined> {
  const holder = holderSchema.safeParse(parseJson(text)).data;
  if (holder === undefined || holder.pid === process.pid) {
    return undefined;
  }
  const found = await findProcess(holder.pid);
  return found?.startedAt === holder.startedAt ? holder.pid : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
