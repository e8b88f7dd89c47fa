import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Tree } from "./trees.ts";

const run = promisify(execFile);

/** Seconds, and bytes of what was written; `undefined` where the program is not installed. */
export type PeerFigures = { readonly seconds: number; readonly bytes: number } | undefined;

/** Trigram index of Debian's `codesearch`. */
export async function runCindex(tree: Tree): Promise<PeerFigures> {
  return inFolder((folder) => {
    const index = join(folder, "index");
    return timed(index, () => run("cindex", ["-reset", tree.directory], { env: { ...process.env, CSEARCHINDEX: index } }));
  });
}

/** Definitions by `universal-ctags`. */
export async function runCtags(tree: Tree): Promise<PeerFigures> {
  return inFolder((folder) => {
    const tags = join(folder, "tags");
    return timed(tags, () => run("ctags", ["-R", "--exclude=.git", "-f", tags, tree.directory]));
  });
}

async function inFolder(work: (folder: string) => Promise<PeerFigures>): Promise<PeerFigures> {
  const folder = await mkdtemp(join(tmpdir(), "sightline-bench-peer-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function timed(written: string, work: () => Promise<unknown>): Promise<PeerFigures> {
  const began = performance.now();
  try {
    await work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  const seconds = (performance.now() - began) / 1000;
  return { seconds, bytes: (await stat(written)).size };
}
