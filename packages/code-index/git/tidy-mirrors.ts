import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@sightline/foundation/log";
import { withFolderLock } from "@sightline/foundation/files/folder-lock";
import { historyFolder } from "./history.ts";
import { mirrorsFolder, toMirrorRefs } from "./mirror.ts";
import { compact, exists, removeFolder } from "./mirror-folder.ts";
import { ASKED, wholeFolder } from "./whole-folder.ts";
import { dropRefs, listRefs } from "./refs.ts";

type Tidying = {
  /** `CODEINDEX_DATA_DIR`. */
  readonly dataDir: string;
  /** Every repository that is registered, by id, with the branches that are indexed. */
  readonly listRepositories: () => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
};

const MAX_PACKS = 20;

/** Removes mirrors of repositories that are gone, drops branches that are no longer indexed, and packs what many fetches brought. */
export async function tidyMirrors({ dataDir, listRepositories, log, signal }: Tidying): Promise<void> {
  for (const { folder, branches } of await removeStrayMirrors({ dataDir, listRepositories, log, signal })) {
    await forgetUnasked(folder).catch((error: unknown) =>
      log.warn({ err: error, folder }, "a history that nobody asks for was not removed"),
    );
    for (const place of [folder, historyFolder(folder)]) {
      await putInOrder(place, branches, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        log.warn({ err: error, folder }, "a mirror was not put in order; the next fetch looks after it");
      });
    }
  }
}

/** A whole history that nobody asked for so long is not kept on the disk. */
const ASKED_MS = 7 * 86_400_000;

/** Removes all commits of a repository that were fetched for questions, once there are none any more. */
async function forgetUnasked(folder: string): Promise<void> {
  const whole = wholeFolder(folder);
  const asked = await stat(join(whole, "repository.git", ASKED)).catch(() => undefined);
  if (asked !== undefined && Date.now() - asked.mtimeMs > ASKED_MS) {
    await removeFolder(whole);
  }
}

type Kept = { readonly folder: string; readonly branches: readonly string[] };

/** @returns the mirrors that are needed. */
export async function removeStrayMirrors({ dataDir, listRepositories, log, signal }: Tidying): Promise<readonly Kept[]> {
  const parent = mirrorsFolder(dataDir);
  // Read first: a repository that is registered meanwhile is in the list, or its mirror is not among these.
  const names = await readdir(parent).catch(() => []);
  const repositories = names.length === 0 ? new Map<string, readonly string[]>() : await listRepositories();
  const kept: Kept[] = [];
  for (const name of names) {
    signal.throwIfAborted();
    const folder = join(parent, name);
    const branches = repositories.get(name);
    if (branches === undefined) {
      await removeFolder(folder).catch((error: unknown) =>
        log.warn({ err: error, folder }, "a mirror that nobody needs could not be removed; it is tried again"),
      );
    } else {
      kept.push({ folder, branches });
    }
  }
  return kept;
}

/** A number that differs once a mirror came or went. */
export async function mirrorsVersion(dataDir: string): Promise<bigint> {
  return (await stat(mirrorsFolder(dataDir), { bigint: true }).catch(() => undefined))?.mtimeNs ?? 0n;
}

async function putInOrder(folder: string, branches: readonly string[], signal: AbortSignal): Promise<void> {
  const directory = join(folder, "repository.git");
  if (await exists(directory)) {
    await withFolderLock(folder, signal, async () => {
      await letGo(directory, branches, signal);
      await compact({ directory, maxPacks: MAX_PACKS, signal });
    });
  }
}

async function letGo(directory: string, branches: readonly string[], signal: AbortSignal): Promise<void> {
  const kept = new Set(["HEAD", ...branches].map(toMirrorRefs));
  const refs = await listRefs({ directory, signal });
  await dropRefs(
    { directory, signal },
    refs.filter((ref) => !kept.has(ref.split("/", 3).join("/"))),
  );
}
