import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@sightline/foundation/log";
import { withFolderLock } from "@sightline/foundation/folder-lock";
import { runGit } from "./git.ts";
import { historyFolder } from "./history.ts";
import { mirrorsFolder, refsOf } from "./mirror.ts";
import { compact, exists, removeFolder } from "./mirror-folder.ts";

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
  const folder = mirrorsFolder(dataDir);
  // Read first: a repository that is registered meanwhile is in the list, or its mirror is not among these.
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) {
    return;
  }
  const repositories = await listRepositories();
  for (const name of names) {
    signal.throwIfAborted();
    const branches = repositories.get(name);
    if (branches === undefined) {
      await removeFolder(join(folder, name));
    } else {
      const mirror = join(folder, name);
      for (const place of [mirror, historyFolder(mirror)]) {
        await putInOrder(place, branches, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          log.warn({ err: error, repository: name }, "a mirror was not put in order; the next fetch looks after it");
        });
      }
    }
  }
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
  const kept = new Set(["HEAD", ...branches].map(refsOf));
  const listed = await runGit({ arguments: ["for-each-ref", "--format=%(refname)"], directory, signal });
  const refs = listed.toString("latin1").split("\n").filter(Boolean);
  const gone = refs.filter((ref) => !kept.has(ref.split("/", 3).join("/")));
  if (gone.length > 0) {
    await runGit({ arguments: ["update-ref", "--stdin"], directory, signal }, gone.map((ref) => `delete ${ref}\n`).join(""));
  }
}
